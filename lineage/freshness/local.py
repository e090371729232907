"""Sources that are files of this machine: only below folders that the environment names.

`PROVEXPLORER_FETCH_FOLDERS="WORKSPACE=/PATH,…"`: a file is read for sources of that workspace
alone. A link that leads out of the folder leads nowhere.
"""

import hashlib
import mimetypes
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from django.conf import settings

from lineage.freshness.fetch import MOST_BYTES

_PLAIN: Final = {".md": "text/markdown", ".rst": "text/x-rst", ".txt": "text/plain"}


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What reading a file came to: a `status` as HTTP has it (200, 304, 404, 403), or a failure."""

    status: int | None
    failure: str = ""
    etag: str = ""
    media_type: str = ""
    body: bytes = b""


def read_file(uri: str, workspace: str, etag: str = "") -> ReadFile:
    """Read a `file:` address for a workspace (slug); 304 where it has kept the `etag`."""
    parts = urlsplit(uri)
    asked = unquote(parts.path)
    if parts.netloc not in ("", "localhost") or "\0" in asked:
        return ReadFile(None, "address_refused")
    path = os.path.realpath(asked)
    folders = [
        os.path.realpath(folder)
        for slug, _, folder in (said.partition("=") for said in settings.FETCH_FOLDERS)
        if slug == workspace and folder
    ]
    if not any(os.path.commonpath([path, folder]) == folder for folder in folders):
        return ReadFile(None, "address_refused")
    try:
        # What the name stands for now is opened without following a link that came in between.
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return ReadFile(404)
    except OSError:
        return ReadFile(403)
    with os.fdopen(number, "rb") as file:
        about = os.fstat(number)
        if not stat.S_ISREG(about.st_mode):
            return ReadFile(404)
        if about.st_size > MOST_BYTES:
            return ReadFile(200, "too_large")
        body = file.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        return ReadFile(200, "too_large")
    own = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    if etag == own:
        return ReadFile(304, etag=own)
    suffix = Path(path).suffix.lower()
    kind = _PLAIN.get(suffix) or mimetypes.guess_type(path)[0] or ""
    return ReadFile(200, "", own, kind, body)
