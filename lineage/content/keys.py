"""Data keys: one per owner of texts, wrapped by the master key; destroying one erases.

The wrapped keys live in the `keys` database (lineage.router), so that a backup of the
texts without a backup of the keys is unreadable. Unwrapped keys are never kept between
two calls: a key destroyed by one process is gone for all of them at once.
"""

import os
import secrets
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from lineage.compiled import Compiled
from lineage.models import DataKey
from provexplorer import clock

KEY_BYTES: Final = 32  # AES-256
NONCE_BYTES: Final = 12  # what GCM is specified for
# Ids per SELECT … IN: below SQLite's limit of 32,766 variables in a statement.
IDS_PER_QUERY: Final = 2_000

_Id = TypeVar("_Id", int, str)
_LIVE: Final = Compiled(
    lambda given: (
        DataKey.objects.filter(owner_id__in=given.ids("owners"), destroyed_at=None)
        .order_by("owner_id")
        .values_list("owner_id", "wrapped")
    )
)


class MasterKeyError(ImproperlyConfigured):
    """The master key is missing, malformed, or not the one that wrapped the data keys."""


class OwnerErased(Exception):
    """Texts cannot be stored for owners whose key was destroyed; `owner_ids` says which."""

    def __init__(self, owner_ids: Collection[int]) -> None:
        super().__init__(f"the data keys of {len(owner_ids)} owners are destroyed")
        self.owner_ids = frozenset(owner_ids)


def master_key() -> bytes:
    """The 32 bytes that wrap the data keys, from MASTER_KEY or from MASTER_KEY_FILE.

    A missing file is created with mode 600, but only while no data key exists: a new
    master key would make every stored text unreadable. Raises MasterKeyError.
    """
    if settings.MASTER_KEY:
        return _parsed(settings.MASTER_KEY, "PROVEXPLORER_MASTER_KEY")
    path = Path(settings.MASTER_KEY_FILE)
    if not path.exists():
        if DataKey.objects.exists():
            msg = f"the master key file {path} is missing, but data keys wrapped by it exist"
            raise MasterKeyError(msg)
        _create(path)
    try:
        text = path.read_text("ascii")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"the master key file {path} cannot be read: {error.__class__.__name__}"
        raise MasterKeyError(msg) from error
    return _parsed(text, f"the master key file {path}")


def _parsed(text: str, where: str) -> bytes:
    digits = text.strip()
    if len(digits) != 2 * KEY_BYTES:
        msg = f"{where} must hold {2 * KEY_BYTES} hexadecimal digits, not {len(digits)} characters"
        raise MasterKeyError(msg)
    try:
        return bytes.fromhex(digits)
    except ValueError as error:
        msg = f"{where} must hold hexadecimal digits only"
        raise MasterKeyError(msg) from error


def _create(path: Path) -> None:
    """Write a new key so that no process ever sees half of it; whoever links first wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".master-key-")  # mode 600
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(KEY_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        Path(draft).unlink()


def _bound_to(owner_id: int) -> bytes:
    """Authenticated with the wrapped key, so that a key cannot be moved to another owner."""
    return f"data-key:{owner_id}".encode("ascii")


def in_batches(ids: Collection[_Id]) -> Iterator[Sequence[_Id]]:
    """The ids in order, cut to what one statement may carry."""
    ordered = sorted(ids)
    for begin in range(0, len(ordered), IDS_PER_QUERY):
        yield ordered[begin : begin + IDS_PER_QUERY]


def keys_of(owner_ids: Collection[int]) -> dict[int, AESGCM]:
    """The live keys of those owners that have one; destroyed and unknown ones are absent."""
    if not owner_ids:
        return {}
    rows = [row for batch in in_batches(set(owner_ids)) for row in _LIVE.rows(owners=batch)]
    if not rows:
        return {}
    wrapping = AESGCM(master_key())
    return {owner_id: _unwrapped(wrapping, owner_id, bytes(wrapped)) for owner_id, wrapped in rows}


def _unwrapped(wrapping: AESGCM, owner_id: int, wrapped: bytes) -> AESGCM:
    nonce, sealed = wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:]
    try:
        return AESGCM(wrapping.decrypt(nonce, sealed, _bound_to(owner_id)))
    except (InvalidTag, ValueError) as error:
        msg = f"the data key of owner {owner_id} was not wrapped by this master key, or is damaged"
        raise MasterKeyError(msg) from error


def ensure_keys(owner_ids: Collection[int]) -> dict[int, AESGCM]:
    """The keys of all these owners, made where there was none. Raises OwnerErased, MasterKeyError.

    Keys are committed at once in their own database, before the texts: a key without texts
    is harmless, texts without a key would be lost.
    """
    wanted = set(owner_ids)
    keys = keys_of(wanted)
    missing = sorted(wanted - keys.keys())
    if not missing:
        return keys
    if erased := erased_owners(missing):
        raise OwnerErased(erased)
    wrapping = AESGCM(master_key())
    created_at = clock.now()
    rows = []
    for owner_id in missing:
        nonce = secrets.token_bytes(NONCE_BYTES)
        sealed = wrapping.encrypt(nonce, AESGCM.generate_key(8 * KEY_BYTES), _bound_to(owner_id))
        rows.append(DataKey(owner_id=owner_id, wrapped=nonce + sealed, created_at=created_at))
    DataKey.objects.bulk_create(rows, ignore_conflicts=True)
    # Read back: another process may have made the key of the same owner a moment before.
    made = keys_of(missing)
    if lost := set(missing) - made.keys():
        raise OwnerErased(lost)
    return keys | made


def new_key(owner_id: int) -> AESGCM:
    """The key of an owner that has none, in one statement; IntegrityError where it has one."""
    plain, nonce = AESGCM.generate_key(8 * KEY_BYTES), secrets.token_bytes(NONCE_BYTES)
    sealed = AESGCM(master_key()).encrypt(nonce, plain, _bound_to(owner_id))
    DataKey.objects.bulk_create(
        [DataKey(owner_id=owner_id, wrapped=nonce + sealed, created_at=clock.now())]
    )
    return AESGCM(plain)


def erased_owners(owner_ids: Collection[int]) -> frozenset[int]:
    """Those of the owners whose key was destroyed: nothing may be stored for them again."""
    return frozenset(
        owner_id
        for batch in in_batches(set(owner_ids))
        for owner_id in DataKey.objects.filter(owner_id__in=batch, destroyed_at__isnull=False)
        .order_by("owner_id")
        .values_list("owner_id", flat=True)
    )


def destroy_key(owner_id: int) -> None:
    """Destroy the owner's key: every text of it becomes unreadable, in backups of texts too.

    Idempotent; the row stays and says since when. An owner that never had a key gets a
    destroyed one, so that no text can be stored for it later.
    """
    now = clock.now()
    DataKey.objects.bulk_create(
        [DataKey(owner_id=owner_id, wrapped=b"", created_at=now, destroyed_at=now)],
        ignore_conflicts=True,
    )
    DataKey.objects.filter(owner_id=owner_id, destroyed_at=None).update(
        wrapped=b"", destroyed_at=now
    )
