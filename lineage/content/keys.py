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
from typing import Final, Protocol, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db.models import F

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
        .values_list("owner_id", "wrapped", "following")
    )
)


class Key(Protocol):
    """What encrypts and decrypts for one owner."""

    def encrypt(self, nonce: bytes, data: bytes, associated_data: bytes) -> bytes: ...
    def decrypt(self, nonce: bytes, data: bytes, associated_data: bytes) -> bytes: ...


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


class _Changing:
    """The keys of an owner whose texts are being moved from one key to the next."""

    def __init__(self, present: AESGCM, following: AESGCM) -> None:
        self._present, self._following = present, following

    def encrypt(self, nonce: bytes, data: bytes, associated_data: bytes) -> bytes:
        """Under the next key: what is written now must outlive the present one."""
        return self._following.encrypt(nonce, data, associated_data)

    def decrypt(self, nonce: bytes, data: bytes, associated_data: bytes) -> bytes:
        """By whichever of the two opens it. Raises InvalidTag."""
        try:
            return self._following.decrypt(nonce, data, associated_data)
        except InvalidTag:
            return self._present.decrypt(nonce, data, associated_data)


def keys_of(owner_ids: Collection[int]) -> dict[int, Key]:
    """The live keys of those owners that have one; destroyed and unknown ones are absent."""
    if not owner_ids:
        return {}
    rows = [row for batch in in_batches(set(owner_ids)) for row in _LIVE.rows(owners=batch)]
    if not rows:
        return {}
    wrapping = AESGCM(master_key())
    found: dict[int, Key] = {}
    for owner_id, wrapped, following in rows:
        present = _unwrapped(wrapping, owner_id, bytes(wrapped))
        found[owner_id] = (
            _Changing(present, _unwrapped(wrapping, owner_id, bytes(following)))
            if following
            else present
        )
    return found


def _unwrapped(wrapping: AESGCM, owner_id: int, wrapped: bytes) -> AESGCM:
    nonce, sealed = wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:]
    try:
        return AESGCM(wrapping.decrypt(nonce, sealed, _bound_to(owner_id)))
    except (InvalidTag, ValueError) as error:
        msg = f"the data key of owner {owner_id} was not wrapped by this master key, or is damaged"
        raise MasterKeyError(msg) from error


def ensure_keys(owner_ids: Collection[int]) -> dict[int, Key]:
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
        wrapped=b"", following=b"", destroyed_at=now
    )


def prepare_next_keys(owner_ids: Collection[int]) -> None:
    """Give each of these owners that has a live key a next one; from now on texts are written under it.

    Idempotent: one that is being changed keeps the next key that it has. What is under the
    present key is still read, until `take_next_keys` destroys that.
    """
    wrapping = AESGCM(master_key())
    for owner_id in sorted(set(owner_ids)):
        nonce = secrets.token_bytes(NONCE_BYTES)
        sealed = wrapping.encrypt(nonce, AESGCM.generate_key(8 * KEY_BYTES), _bound_to(owner_id))
        DataKey.objects.filter(owner_id=owner_id, destroyed_at=None, following=b"").update(
            following=nonce + sealed
        )


def take_next_keys(owner_ids: Collection[int]) -> None:
    """Put the next key of each of these owners in the place of the present one, which is destroyed by it.

    To be called when nothing that is to stay is under the present key any more. Idempotent.
    """
    for some in in_batches(set(owner_ids)):
        changing = DataKey.objects.filter(owner_id__in=some, destroyed_at=None)
        changing.exclude(following=b"").update(wrapped=F("following"), following=b"")
