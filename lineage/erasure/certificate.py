"""What the certificate of a case says of its erasure: places, times, probes, and what remains.

Plain values: the certificate's page and its signed file show the same.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

from lineage.erasure.evidence import keeps_unread
from lineage.erasure.files import PROBE
from lineage.erasure.ledger import ErasureView, PlaceView, ProbeView, view_of
from lineage.formats.times import written
from lineage.models import Case, ErasedNode, Erasure
from lineage.types import JsonValue

# What is still there after an erasure, of every one of them; words of lineage.pages.erasure_words.
_ALWAYS: Final = ("uids", "sizes", "keyed_digests", "edges", "server_logs")


@dataclass(frozen=True, slots=True)
class Remains:
    """What remains: a word that says what, and until when; `until` None: for good, or not known here."""

    what: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class ErasurePart:
    """The erasure's part of a certificate.

    `by_kind`: tombstones by the kind of node; `complete`: every place is done and every probe
    found nothing. What the probe `by_table` has found is among what `remains`, as the log is:
    bytes in files that no query reads.
    """

    describing: bool
    complete: bool
    begun_at: datetime | None
    destroyed_at: datetime | None
    done_at: datetime | None
    again: bool
    by_kind: dict[str, int]
    places: tuple[PlaceView, ...]
    probes: tuple[ProbeView, ...]
    remains: tuple[Remains, ...]

    def as_json(self) -> dict[str, JsonValue]:
        """The same for the signed file: no text, no key."""
        return {
            "describing": self.describing,
            "complete": self.complete,
            "begun_at": _written(self.begun_at),
            "keys_destroyed_at": _written(self.destroyed_at),
            "done_at": _written(self.done_at),
            "applied_again_after_restore": self.again,
            "tombstones": dict(self.by_kind),
            "places": [
                {
                    "place": one.name,
                    "target": one.target_uid,
                    "state": one.state,
                    "cleared": one.cleared,
                    "unread": one.unread,
                    "attempts": one.attempts,
                    "error": one.error or None,
                    "done_at": _written(one.done_at),
                }
                for one in self.places
            ],
            "probes": [
                {
                    "probe": one.name,
                    "looked_at": one.looked_at,
                    "found": one.found,
                    "asked_at": _written(one.asked_at),
                }
                for one in self.probes
            ],
            "remains": [{"what": one.what, "until": _written(one.until)} for one in self.remains],
        }


def erasure_part(case: Case) -> ErasurePart | None:
    """What the certificate of the case says of its erasure; None where it is none, or has not begun."""
    if case.kind != "erasure":
        return None
    view = view_of(case)
    if view.begun_at is None:
        return None
    return ErasurePart(
        describing=view.describing,
        complete=view.state == "done" and all(one.state == "done" for one in view.places),
        begun_at=view.begun_at,
        destroyed_at=view.destroyed_at,
        done_at=view.done_at,
        again=view.again,
        by_kind=_by_kind(case),
        places=view.places,
        probes=view.probes,
        remains=_remains(case, view),
    )


def _by_kind(case: Case) -> dict[str, int]:
    found: dict[str, int] = {}
    rows = ErasedNode.objects.filter(erasure_id=case.pk, node__isnull=False).order_by("kind")
    for kind in rows.values_list("kind", flat=True).iterator(chunk_size=5_000):
        found[kind] = found.get(kind, 0) + 1
    return found


def _remains(case: Case, view: ErasureView) -> tuple[Remains, ...]:
    """Honestly, and in this order: what stays for good, then what ends by itself."""
    found = [Remains(one) for one in _ALWAYS]
    if case.reason or case.evidence or case.owner_id is not None:
        found.append(Remains("evidence"))
    if keeps_unread(Erasure.objects.get(case=case)):
        found.append(Remains("files_unread"))
    if not view.describing:
        found.insert(0, Remains("descriptions"))
    if any(one.name == "notices" and one.cleared for one in view.places):
        found.append(Remains("notices_in_backups"))
    if view.destroyed_at is not None:
        # Backups of keys and of texts together could still be read until the older of them goes.
        kept = timedelta(days=settings.BACKUP_DAYS)
        found.append(Remains("backups", view.destroyed_at + kept))
    if any(one.name == PROBE and one.found for one in view.probes):
        found.append(Remains("old_rows"))
    found.append(Remains("dead_rows"))
    return tuple(found)


def _written(instant: datetime | None) -> str | None:
    return None if instant is None else written(instant)
