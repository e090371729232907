"""Files that are evidence in a case: a few kinds, of bounded size, encrypted under the case's own key.

What a file is told by its bytes and not by what its sender calls it; what is none of the
kinds below is refused. They are for those who work on cases, and only ever downloaded.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from lineage.cases.discussion import owner_of
from lineage.cases.errors import CaseNotFound, DraftRefused
from lineage.cases.history import record
from lineage.cases.steps import case_of, require
from lineage.content import sealed
from lineage.content.store import Keyed, forget_texts
from lineage.formats.storable import is_storable
from lineage.identifiers import keyed_hash
from lineage.models import Case, CaseEvent, CaseFile
from lineage.types import Viewer
from provexplorer import clock

MOST_BYTES: Final = 10 * 2**20
MOST_FILES: Final = 50
LONGEST_NAME: Final = 200
_ZIP: Final = b"PK\x03\x04"
# Ending → media type, and how such a file begins; empty: it is text, in UTF-8.
_KINDS: Final[dict[str, tuple[str, bytes]]] = {
    ".pdf": ("application/pdf", b"%PDF-"),
    ".png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    ".jpg": ("image/jpeg", b"\xff\xd8\xff"),
    ".jpeg": ("image/jpeg", b"\xff\xd8\xff"),
    ".webp": ("image/webp", b"RIFF"),
    ".txt": ("text/plain", b""),
    ".md": ("text/markdown", b""),
    ".csv": ("text/csv", b""),
    ".json": ("application/json", b""),
    ".eml": ("message/rfc822", b""),
    ".odt": ("application/vnd.oasis.opendocument.text", _ZIP),
    ".ods": ("application/vnd.oasis.opendocument.spreadsheet", _ZIP),
    ".docx": ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", _ZIP),
    ".xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", _ZIP),
}
ENDINGS: Final = tuple(_KINDS)


@dataclass(frozen=True, slots=True)
class FileView:
    """A file; `name` is None where it was destroyed with its bytes. `size` in bytes."""

    number: int
    name: str | None
    media_type: str
    size: int
    added_at: datetime


def add_file(viewer: Viewer, uid: str, *, name: str, data: bytes) -> FileView:
    """Keep a file as evidence of a case; the same bytes twice are one file.

    Raises CaseNotFound, ScopeMissing, DraftRefused for what is too large, empty, of another
    kind than those that are kept, or one too many.
    """
    require(viewer, "operate")
    case = case_of(viewer, uid)
    name = _name(name)
    media_type = _media_type(name, data)
    digest = keyed_hash(viewer.hash_key, "case file", hashlib.sha256(data).hexdigest())
    known = CaseFile.objects.filter(case=case, digest=digest).first()
    if known is None:
        if CaseFile.objects.filter(case=case)[:MOST_FILES].count() >= MOST_FILES:
            raise DraftRefused("/file", _("This case has as many files as it can hold."))
        known = _keep(viewer, case, digest=digest, name=name, media_type=media_type, data=data)
    return _view(viewer, case, known)


def files(viewer: Viewer, uid: str) -> tuple[FileView, ...]:
    """The files of a case in the order in which they came, at most 50. Raises CaseNotFound, ScopeMissing."""
    require(viewer, "operate")
    case = case_of(viewer, uid)
    rows = CaseFile.objects.filter(case=case).order_by("pk")[:MOST_FILES]
    return tuple(_view(viewer, case, row) for row in rows)


def read_file(viewer: Viewer, uid: str, number: int) -> tuple[FileView, bytes]:
    """A file with its bytes. Raises CaseNotFound for what is not there, ScopeMissing."""
    require(viewer, "operate")
    case = case_of(viewer, uid)
    row = CaseFile.objects.filter(case=case, pk=number).first()
    kept = kept_file(viewer, case, row) if row is not None else None
    if row is None or kept is None:
        raise CaseNotFound(uid)
    return _view(viewer, case, row), kept[1]


def remove_file(viewer: Viewer, uid: str, number: int) -> None:
    """Destroy a file's bytes and name; that there was one stays in the history. Twice is once.

    Raises CaseNotFound, ScopeMissing for who is no editor.
    """
    require(viewer, "edit")
    case = case_of(viewer, uid)
    with transaction.atomic():
        row = CaseFile.objects.filter(case=case, pk=number).first()
        if row is None or case.owner_id is None:
            return
        if destroy_bytes(viewer, case, row):
            record(case, CaseEvent.What.FILE, viewer, numbers={"file": number, "removed": 1})


def kept_file(workspace: Keyed, case: Case, row: CaseFile) -> tuple[str, bytes] | None:
    """Name and bytes of a file; None where no key opens it."""
    key = sealed.key_of(case.owner_id) if case.owner_id is not None else None
    if key is None or case.owner_id is None:
        return None
    data = sealed.unseal(workspace, case.owner_id, key, _bytes_of(row.digest))
    name = sealed.unseal(workspace, case.owner_id, key, _name_of(row.digest))
    return None if data is None else ((name or b"").decode(), data)


def destroy_bytes(workspace: Keyed, case: Case, row: CaseFile) -> bool:
    """Destroy a file; False where somebody did so before. In the caller's transaction."""
    if case.owner_id is None or not CaseFile.objects.filter(pk=row.pk).delete()[0]:
        return False
    names = (_bytes_of(row.digest), _name_of(row.digest))
    forget_texts(workspace, [(case.owner_id, name) for name in names])
    return True


def _keep(
    viewer: Viewer, case: Case, *, digest: str, name: str, media_type: str, data: bytes
) -> CaseFile:
    owner_id = owner_of(case)
    key = sealed.key_of(owner_id)
    if key is None:
        raise DraftRefused("/file", _("The key of this case was destroyed."))
    try:
        with transaction.atomic():
            row = CaseFile.objects.create(
                case=case, digest=digest, media_type=media_type, size=len(data),
                added_at=clock.now(), added_by_id=viewer.user_id,
                by_key=viewer.key_id is not None,
            )  # fmt: skip
            named = {_bytes_of(digest): data, _name_of(digest): name.encode()}
            sealed.seal(viewer, owner_id, key, named)
            numbers = {"file": row.pk, "size": len(data)}
            record(case, CaseEvent.What.FILE, viewer, numbers=numbers)
    except IntegrityError:
        # The same file was sent twice at once.
        return CaseFile.objects.get(case=case, digest=digest)
    return row


def _view(viewer: Viewer, case: Case, row: CaseFile) -> FileView:
    key = sealed.key_of(case.owner_id) if case.owner_id is not None else None
    name = None
    if key is not None and case.owner_id is not None:
        kept = sealed.unseal(viewer, case.owner_id, key, _name_of(row.digest))
        name = None if kept is None else kept.decode()
    return FileView(row.pk, name, row.media_type, row.size, row.added_at)


def _name(name: str) -> str:
    """The last part of a path, in one line. Raises DraftRefused."""
    last = PurePosixPath(name.replace("\\", "/")).name
    line = " ".join(last.split())
    if not line or len(line) > LONGEST_NAME or not is_storable(line):
        raise DraftRefused("/name", _("A file has a name of at most 200 characters."))
    return line


def _media_type(name: str, data: bytes) -> str:
    """What the file is. Raises DraftRefused."""
    if len(data) > MOST_BYTES:
        raise DraftRefused("/file", _("A file has at most 10 MiB."))
    if not data:
        raise DraftRefused("/file", _("The file is empty."))
    media_type, begins = _KINDS.get(PurePosixPath(name).suffix.lower(), ("", b""))
    if not media_type or (begins and not data.startswith(begins)) or not (begins or _is_text(data)):
        raise DraftRefused(
            "/file",
            _("Only these kinds of file are kept, and only what is such a file: %(endings)s")
            % {"endings": ", ".join(ENDINGS)},
        )
    return media_type


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _bytes_of(digest: str) -> str:
    return f"file:{digest}"


def _name_of(digest: str) -> str:
    return f"file:{digest}:name"
