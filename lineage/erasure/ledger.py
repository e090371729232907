"""The ledger of an erasure: its places in their order, their states, and what is told of them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction

from lineage.cases.errors import CaseConflict, ScopeMissing
from lineage.models import Case, ErasedNode, Erasure, ErasurePlace, ErasureProbe
from lineage.types import NotFound, Viewer
from provexplorer import clock
from provexplorer.workspaces.audit import recording as audit

# What is cleared, in this order. What stands last waits for all of ours before it.
PLACES: Final = (
    "key", "blobs", "records", "search", "answers", "inbox", "notes", "notices", "evidence",
    "audit", "reports", "graph", "files", "probes",
)  # fmt: skip
LAST: Final = frozenset({"files", "probes"})
EXTERNAL: Final = "external:"
# Why a place could not be cleared, where it is not an exception that nobody foresaw (its class then).
ERRORS: Final = (
    "graph_away", "store_busy", "master_key", "not_acknowledged", "text_found", "files_in_use",
    "payloads_waiting",
    "removed",
)  # fmt: skip
PROBES: Final = ("by_id", "by_digest", "by_window", "by_key", "by_notice", "by_file", "by_table")

_State = Erasure.State


@dataclass(frozen=True, slots=True)
class PlaceView:
    """One place: `name` of PLACES or `external`, with the target's uid and name then.

    `state`: pending, failed, waiting or done; `error`: of the last attempt; `cleared`: how
    many things went there, `unread`: how many of them because nobody could read what they held.
    """

    name: str
    target_uid: str | None
    target_name: str
    state: str
    attempts: int
    error: str
    cleared: int
    unread: int
    tried_at: datetime | None
    next_at: datetime | None
    done_at: datetime | None


@dataclass(frozen=True, slots=True)
class ProbeView:
    """One probe: of how many things it looked at how many still held the text."""

    name: str
    looked_at: int
    found: int
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class ErasureView:
    """An erasure as its case's page and the API show it. `state`: chosen, running or done."""

    case_uid: str
    state: str
    describing: bool
    begun_at: datetime | None
    destroyed_at: datetime | None
    done_at: datetime | None
    lifted_at: datetime | None
    again: bool
    tombstones: int
    places: tuple[PlaceView, ...]
    probes: tuple[ProbeView, ...]


def erasure_view(viewer: Viewer, case_uid: str) -> ErasureView:
    """The erasure of a case. Raises NotFound for what is no erasure in this workspace."""
    return view_of(_case(viewer, case_uid))


def choose(viewer: Viewer, case_uid: str, *, describing: bool) -> ErasureView:
    """Decide whether what describes the content goes as well; before the case takes effect alone.

    Raises NotFound, ScopeMissing (operate), CaseConflict once it is in effect.
    """
    if "operate" not in viewer.scopes:
        raise ScopeMissing("operate")
    case = _case(viewer, case_uid)
    row, is_new = Erasure.objects.get_or_create(
        case=case, defaults={"workspace_id": viewer.workspace_id, "describing": describing}
    )
    still = Erasure.objects.filter(pk=row.pk, state=_State.CHOSEN, case__state__in=_UNDECIDED)
    with transaction.atomic():
        if not still.update(describing=describing):
            raise CaseConflict("in_effect", "What goes is fixed once the case takes effect.", state=case.state)  # fmt: skip
        if is_new or row.describing != describing:
            code = "describing" if describing else "content"
            audit.record("erasure.chosen", viewer, object_uid=case.uid, code=code)
    return view_of(case)


_UNDECIDED: Final = (Case.State.DRAFT, Case.State.READY, Case.State.SCHEDULED)


def _case(viewer: Viewer, case_uid: str) -> Case:
    case = Case.objects.filter(
        workspace_id=viewer.workspace_id, uid=case_uid, kind="erasure"
    ).first()
    if case is None:
        raise NotFound
    return case


def view_of(case: Case) -> ErasureView:
    """What is known of the erasure of a case; nothing chosen and nothing begun is a view, too."""
    row = Erasure.objects.filter(case=case).first()
    if row is None:
        return ErasureView(case.uid, _State.CHOSEN, False, None, None, None, None, False, 0, (), ())
    return ErasureView(
        case_uid=case.uid,
        state=row.state,
        describing=row.describing,
        begun_at=row.begun_at,
        destroyed_at=row.destroyed_at,
        done_at=row.done_at,
        lifted_at=row.lifted_at,
        again=row.again,
        tombstones=ErasedNode.objects.filter(erasure=row, node__isnull=False).count(),
        places=tuple(_place(one) for one in rows_of(row)),
        probes=tuple(
            ProbeView(one.name, one.looked_at, one.found, one.asked_at)
            for one in ErasureProbe.objects.filter(erasure=row).order_by("pk")
        ),
    )


def rows_of(erasure: Erasure) -> Sequence[ErasurePlace]:
    """The ledger, in its order."""
    rows = ErasurePlace.objects.filter(erasure=erasure).select_related("target")
    return list(rows.order_by("ordinal", "pk"))


def open_places(case: Case) -> tuple[list[str], bool] | None:
    """Names of the places that are not done, the first first, and whether any of them has failed.

    None where the erasure has not begun.
    """
    row = Erasure.objects.filter(case=case).exclude(state=_State.CHOSEN).first()
    if row is None:
        return None
    left = [one for one in rows_of(row) if one.state != ErasurePlace.State.DONE]
    return [one.name for one in left], any(one.attempts and one.error for one in left)


def not_cleared(workspace_id: int, case_uids: Collection[str]) -> set[str]:
    """Those of the cases whose erasure has begun, and has not yet masked what answers repeat."""
    rows = ErasurePlace.objects.filter(
        name="answers", erasure__workspace_id=workspace_id, erasure__case__uid__in=case_uids
    ).exclude(state=ErasurePlace.State.DONE)
    return set(rows.order_by("pk").values_list("erasure__case__uid", flat=True))


def open_ledger(erasure: Erasure, targets: Sequence[int] = ()) -> None:
    """Write the rows of the ledger that are not there yet, due at once."""
    now = clock.now()
    rows = [
        ErasurePlace(erasure=erasure, name=name, ordinal=ordinal, next_at=now)
        for ordinal, name in enumerate(PLACES)
    ]
    ErasurePlace.objects.bulk_create(rows, ignore_conflicts=True)
    del targets


def _place(row: ErasurePlace) -> PlaceView:
    return PlaceView(
        name="external" if row.target else row.name,
        target_uid=row.target.uid if row.target else None,
        target_name=row.target.name if row.target else "",
        state=row.state,
        attempts=row.attempts,
        error=row.error,
        cleared=row.cleared,
        unread=row.unread,
        tried_at=row.tried_at,
        next_at=row.next_at,
        done_at=row.done_at,
    )
