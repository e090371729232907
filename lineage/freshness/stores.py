"""Sources in object stores and folders of this machine: read by fsspec, as a site is fetched.

Only below places that the environment names for a workspace, and only by schemes that it allows:
`PROVEXPLORER_FETCH_FOLDERS="WORKSPACE=/PATH,WORKSPACE=s3://BUCKET/PREFIX"` and
`PROVEXPLORER_FETCH_SCHEMES="file,s3"`. Of what fsspec knows these are object stores alone: none
of its readers of sites, shells, repositories or archives, and no chains of them.
"""

import hashlib
import logging
import mimetypes
import os
import queue
import stat
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import unquote, urlsplit

import fsspec
from django.conf import settings
from fsspec.implementations.local import LocalFileSystem

from lineage.freshness.credentials import store_options_for
from lineage.freshness.fetch import MOST_BYTES, SECONDS, Fetched
from lineage.outside import LONGEST_URL, AddressRefused

logger = logging.getLogger(__name__)

# How each store is asked where no secret is named for it: as one who is not known there, never
# with what a machine or its environment happens to be allowed.
_UNSIGNED: Final[Mapping[str, Mapping[str, Any]]] = {
    "file": {},
    "memory": {},
    "s3": {"anon": True},
    "gs": {"token": "anon"},
    "az": {"anon": True},
    "abfs": {"anon": True},
}
_PLAIN: Final = {".md": "text/markdown", ".rst": "text/x-rst", ".txt": "text/plain"}
_CHUNK: Final = 256 * 1024
# What stores call the digest or the version of an object; a file has its bytes' own.
_ETAGS: Final = ("ETag", "etag", "generation")
_KINDS: Final = ("ContentType", "contentType", "content_type")
# Readers that may hang on a store at one time, beyond those that are waited for.
_READERS: Final = threading.BoundedSemaphore(32)


@dataclass(frozen=True, slots=True)
class StoredAt:
    """An object or file: by which scheme, where in it, and how it is asked; `credential` by its name."""

    uri: str
    scheme: str
    path: str
    credential: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)


def is_stored(uri: str) -> bool:
    """Whether an address is one of a store, allowed or not."""
    return uri.partition(":")[0].lower() in _UNSIGNED


def stored_at(uri: str, workspace: str) -> StoredAt:
    """Where an address leads for a workspace (slug). Raises AddressRefused."""
    scheme, _, rest = uri.partition(":")
    scheme = scheme.lower()
    if scheme not in _UNSIGNED or scheme not in settings.FETCH_SCHEMES:
        raise AddressRefused("address_refused")
    if len(uri) > LONGEST_URL or "\0" in uri or not rest.startswith("//"):
        raise AddressRefused("address_refused")
    if scheme == "file":
        return StoredAt(uri, scheme, _file(uri, workspace))
    path = rest[2:]
    if any(part in (".", "..") for part in path.split("/")) or not _is_below(uri, workspace):
        raise AddressRefused("address_refused")
    named = store_options_for(workspace, scheme, path)
    if named is None:
        return StoredAt(uri, scheme, path, options=_UNSIGNED[scheme])
    return StoredAt(uri, scheme, path, named.name, named.options)


def read_stored(
    place: StoredAt, *, etag: str = "", most_bytes: int = MOST_BYTES, seconds: float = SECONDS
) -> Fetched:
    """Read an object or a file, told as a reply of a site: 200, 304 (it is what `etag` was), 403, 404.

    Nothing that a store does raises; what takes longer than `seconds` is left behind.
    """
    until = time.monotonic() + seconds
    told: queue.SimpleQueue[Fetched] = queue.SimpleQueue()
    if not _READERS.acquire(blocking=False):
        return _failed(place, "too_slow")

    def read() -> None:
        try:
            told.put(_read(place, etag, most_bytes, until))
        finally:
            _READERS.release()

    threading.Thread(target=read, name="reading-store", daemon=True).start()
    try:
        return told.get(timeout=seconds)
    except queue.Empty:
        return _failed(place, "too_slow")


def _read(place: StoredAt, etag: str, most_bytes: int, until: float) -> Fetched:
    try:
        return _asked(place, etag, most_bytes, until)
    except (FileNotFoundError, NotADirectoryError):
        return _told(place, 404)
    except (PermissionError, IsADirectoryError):
        return _told(place, 403)
    except Exception as error:  # noqa: BLE001 - each store has errors of its own
        logger.warning("store not read", extra={"error": type(error).__name__})
        return _failed(place, "unreachable")


def _asked(place: StoredAt, etag: str, most_bytes: int, until: float) -> Fetched:
    # Neither an instance nor a listing of another workspace's is used again.
    shared = {"skip_instance_cache": True, "use_listings_cache": False}
    make: Callable[..., Any] = (
        _Files if place.scheme == "file" else fsspec.get_filesystem_class(place.scheme)
    )
    store = make(**{**place.options, **shared})
    about: Mapping[str, Any] = store.info(place.path)
    if about.get("type") != "file":
        return _told(place, 404)
    size, own = about.get("size"), _etag(about)
    if isinstance(size, int) and size > most_bytes:
        return _failed(place, "too_large", 200)
    if own and own == etag:
        return _told(place, 304, own)
    held = bytearray()
    with store.open(place.path, "rb") as file:
        while piece := file.read(_CHUNK):
            held += piece
            if len(held) > most_bytes:
                return _failed(place, "too_large", 200)
            if time.monotonic() > until:
                return _failed(place, "too_slow")
    body = bytes(held)
    own = own or f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    if own == etag:
        return _told(place, 304, own)
    return _told(place, 200, own, _kind(place, about), body)


class _Files(LocalFileSystem):  # type: ignore[misc]  # the library has no types
    """Files of this machine: what a name stands for now, without following a link that came in between."""

    def _open(self, path: str, mode: str = "rb", **_: Any) -> BinaryIO:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        file = os.fdopen(number, "rb")
        if not stat.S_ISREG(os.fstat(number).st_mode):
            file.close()
            raise FileNotFoundError(path)
        return file


def _file(uri: str, workspace: str) -> str:
    """The path of a file below one of the workspace's folders. Raises AddressRefused."""
    parts = urlsplit(uri)
    asked = unquote(parts.path)
    if parts.netloc not in ("", "localhost") or "\0" in asked:
        raise AddressRefused("address_refused")
    path = os.path.realpath(asked)
    folders = [os.path.realpath(each) for each in _folders(workspace) if "://" not in each]
    if not any(os.path.commonpath([path, folder]) == folder for folder in folders):
        raise AddressRefused("address_refused")
    return path


def _is_below(uri: str, workspace: str) -> bool:
    """Whether an object is below one of the workspace's places."""
    scheme, _, path = uri.partition("://")
    whole = f"{scheme.lower()}://{path}"
    roots = [each.rstrip("/") for each in _folders(workspace) if "://" in each]
    return any(whole.startswith(f"{root}/") and not root.endswith(":") for root in roots)


def _folders(workspace: str) -> list[str]:
    said = (each.partition("=") for each in settings.FETCH_FOLDERS)
    return [folder for slug, _, folder in said if slug == workspace and folder]


def _etag(about: Mapping[str, Any]) -> str:
    said = next((str(about[name]) for name in _ETAGS if about.get(name)), "")
    return said if said.isprintable() else ""


def _kind(place: StoredAt, about: Mapping[str, Any]) -> str:
    said = next((about[name] for name in _KINDS if isinstance(about.get(name), str)), "")
    # What stores say of an object that nobody has said anything of.
    if said and said not in ("application/octet-stream", "binary/octet-stream"):
        return str(said)
    suffix = Path(place.path).suffix.lower()
    return _PLAIN.get(suffix) or mimetypes.guess_type(place.path)[0] or str(said)


def _told(
    place: StoredAt, status: int, etag: str = "", kind: str = "", body: bytes = b""
) -> Fetched:
    said = {"etag": etag, "content-type": kind}
    headers = {name: value for name, value in said.items() if value}
    return Fetched(place.uri, place.uri, status, "", headers, body, len(body))


def _failed(place: StoredAt, failure: str, status: int | None = None) -> Fetched:
    return Fetched(place.uri, place.uri, status, failure)
