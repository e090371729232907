"""Goes through a workspace's chain from its first entry and names the first that does not fit."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from citations.exports.signing import signing_key
from provexplorer.workspaces.audit import chain
from provexplorer.workspaces.audit.models import (
    AuditEntry,
    AuditHead,
    AuditPlace,
    AuditSeal,
    AuditWaiting,
)

_STEP: Final = 1_000


@dataclass(frozen=True, slots=True)
class Mark:
    """A seal that was exported before: its number and its hash."""

    number: int
    hash: str


@dataclass(frozen=True, slots=True)
class Broken:
    """What does not fit first. `what` is one of:

    entry_missing, entry_changed, place_missing, seal_missing, seal_changed, signature_invalid,
    tail_missing (the chain ends before the head), seal_differs (from the one exported),
    entry_unsealed (in the log, neither sealed nor waiting), waiting_lost (waiting, not in the log).
    """

    what: str
    sequence: int | None
    entry: str
    seal: int | None


@dataclass(frozen=True, slots=True)
class Verified:
    """What was looked at: sealed entries, seals, entries that wait for one; the first fault, or None."""

    entries: int
    seals: int
    waiting: int
    broken: Broken | None


def verify(
    workspace_id: int, marks: tuple[Mark, ...] = (), *, key: Ed25519PublicKey | None = None
) -> Verified:
    """Compute the chain again and compare. In bounded memory, however long it is.

    `marks`: seals of earlier exports, without which a chain that was cut at its end and its
    head put back looks whole. `key`: the public key of the signatures; None: this installation's.
    """
    public = key or signing_key().public_key()
    entries = seals = 0
    before, last_hash, broken = chain.START, chain.START, None
    exported = {mark.number: mark.hash for mark in marks}
    # Before the seals are read: what is sealed meanwhile is not missing.
    head = AuditHead.objects.filter(workspace_id=workspace_id).first()
    for seal in _seals(workspace_id):
        broken, before = _entries_of(seal, before, entries)
        broken = broken or _seal_fault(seal, seals, entries, before, last_hash, public)
        if broken is None and exported.pop(seal.number, seal.hash) != seal.hash:
            broken = Broken("seal_differs", None, "", seal.number)
        if broken is not None:
            return Verified(entries, seals, _waiting(workspace_id), broken)
        last_hash, seals, entries = seal.hash, seal.number, seal.last
    broken = _end_fault(workspace_id, entries, seals, head, exported) or _stray(workspace_id)
    return Verified(entries, seals, _waiting(workspace_id), broken)


def _seals(workspace_id: int) -> Iterator[AuditSeal]:
    rows = AuditSeal.objects.filter(workspace_id=workspace_id).order_by("number")
    return rows.iterator(chunk_size=_STEP)


def _entries_of(seal: AuditSeal, before: str, done: int) -> tuple[Broken | None, str]:
    """The first entry under the seal that does not fit; the hash of the chain up to its last."""
    # What the seal says of its range is checked afterwards: a range that lies is not walked far.
    last = min(seal.last, done + _STEP)
    rows = AuditPlace.objects.filter(
        workspace_id=seal.workspace_id, sequence__gt=done, sequence__lte=last
    )
    places = {place.sequence: place for place in rows.order_by("sequence")}
    ids = [place.entry_id for place in places.values()]
    found = {
        entry.pk: entry
        for entry in AuditEntry.objects.filter(workspace_id=seal.workspace_id, pk__in=ids)
    }
    for sequence in range(done + 1, last + 1):
        place = places.get(sequence)
        if place is None:
            return Broken("place_missing", sequence, "", seal.number), before
        entry = found.get(place.entry_id)
        if entry is None:
            return Broken("entry_missing", sequence, "", seal.number), before
        here = chain.link(before, chain.entry_line(entry, sequence))
        if here != place.hash:
            return Broken("entry_changed", sequence, entry.uid, seal.number), before
        before = here
    return None, before


def _seal_fault(
    seal: AuditSeal, seals: int, entries: int, before: str, last: str, public: Ed25519PublicKey
) -> Broken | None:
    if seal.number != seals + 1:
        return Broken("seal_missing", None, "", seals + 1)
    whole = seal.first == entries + 1 and seal.first <= seal.last and seal.chain == before
    if not whole or seal.hash != chain.link(last, chain.seal_line(seal)):
        return Broken("seal_changed", None, "", seal.number)
    try:
        public.verify(bytes.fromhex(seal.signature), seal.hash.encode("ascii"))
    except (InvalidSignature, ValueError):
        return Broken("signature_invalid", None, "", seal.number)
    return None


def _end_fault(
    workspace_id: int, entries: int, seals: int, head: AuditHead | None, exported: dict[int, str]
) -> Broken | None:
    """Whether the chain ends before its head, or before a seal that was exported."""
    number = max([head.number if head else 0, *exported])
    if number > seals:
        return Broken("tail_missing", entries + 1, "", seals + 1)
    beyond = AuditPlace.objects.filter(workspace_id=workspace_id, sequence__gt=entries)
    place = beyond.order_by("sequence").first()
    newer = AuditSeal.objects.filter(workspace_id=workspace_id, number__gt=seals)
    if place is not None and not newer.exists():
        return Broken("seal_missing", place.sequence, "", seals + 1)
    return None


def _stray(workspace_id: int) -> Broken | None:
    """An entry that is neither sealed nor waiting, or one that waits and is not there."""
    placed = AuditPlace.objects.filter(workspace_id=workspace_id).values("entry_id")
    waits = AuditWaiting.objects.filter(workspace_id=workspace_id)
    strays = AuditEntry.objects.filter(workspace_id=workspace_id).exclude(pk__in=placed)
    stray = strays.exclude(pk__in=waits.values("entry_id")).order_by("pk").first()
    if stray is not None:
        return Broken("entry_unsealed", None, stray.uid, None)
    entries = AuditEntry.objects.filter(workspace_id=workspace_id).values("pk")
    if waits.exclude(entry_id__in=entries).exists():
        return Broken("waiting_lost", None, "", None)
    return None


def _waiting(workspace_id: int) -> int:
    return AuditWaiting.objects.filter(workspace_id=workspace_id).count()
