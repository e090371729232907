"""The runs of a component, newest first, and one run with what it used and what it made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import OuterRef, Q, QuerySet

from lineage.compiled import by_their_ids
from lineage.formats.times import read_instant
from lineage.models import Node, Reference
from lineage.nodes.component_figures import runs_of
from lineage.nodes.counting import AtLeast, at_least, count_of, counted
from lineage.nodes.find import find
from lineage.nodes.paging import (
    DEFAULT_LIMIT,
    CursorInvalid,
    after_newest,
    bounded,
    cursor_of,
    newest_first,
    read_cursor,
    write_cursor,
)
from lineage.nodes.run_outcomes import RunOutcome, outcome_of
from lineage.nodes.states import node_states
from lineage.nodes.view import node as node_view
from lineage.nodes.view import views
from lineage.types import NodeView, NotFound, Viewer
from lineage.vocabulary import Edge

# Inputs and outputs of one run of a list are counted so far; the run's own page counts further.
MOST_COUNTED: Final = 1_000
MOST_OF_ONE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in a list. `seconds`: from its start to its end, where it states both."""

    uid: str
    run_kind: str | None
    status: str | None
    outcome: RunOutcome
    state: str
    occurred_at: datetime | None
    started_at: datetime | None
    seconds: float | None
    used: AtLeast
    generated: AtLeast


@dataclass(frozen=True, slots=True)
class RunPage:
    items: tuple[RunRow, ...]
    next: str | None
    total: int


@dataclass(frozen=True, slots=True)
class Beside:
    """A page of the nodes that a run used or made, in the order in which they were recorded."""

    items: tuple[NodeView, ...]
    next: str | None
    total: AtLeast


@dataclass(frozen=True, slots=True)
class RunView:
    """A run with its component, where one is named."""

    run: NodeView
    row: RunRow
    component: NodeView | None
    used: Beside
    generated: Beside


def component_runs(
    viewer: Viewer, component: Node, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None
) -> RunPage:
    """The runs of a component, newest first, unknown times last. Raises CursorInvalid."""
    size = bounded(limit)
    rows = by_their_ids(Node.objects.all(), viewer.workspace_id).filter(
        after_newest(cursor),
        edges_out__edge=Edge.WAS_ASSOCIATED_WITH,
        edges_out__to_node_id=component.pk,
    )
    # Ids first: all runs are sorted, and whole rows would be sorted with them.
    found = list(rows.order_by(*newest_first()).values_list("pk", flat=True)[: size + 1])
    nodes = Node.objects.in_bulk(found[:size])
    page = [nodes[pk] for pk in found[:size] if pk in nodes]
    more = len(found) > size
    return RunPage(
        tuple(_rows(viewer, page)),
        cursor_of(page[-1].occurred_at, page[-1].uid) if more else None,
        runs_of(viewer.workspace_id, component.pk).count(),
    )


def run_view(
    viewer: Viewer,
    uid: str,
    *,
    limit: int = DEFAULT_LIMIT,
    used: str | None = None,
    generated: str | None = None,
) -> RunView:
    """A run; `used` and `generated` are cursors of its two lists.

    Raises NotFound for an unknown or foreign uid and for what is no run, Moved for an
    alias, CursorInvalid.
    """
    found = find(viewer, uid)
    if found.kind != "run":
        raise NotFound(uid)
    node_view(viewer, uid)
    doing = Reference.objects.filter(
        workspace_id=viewer.workspace_id,
        from_node=found,
        edge=Edge.WAS_ASSOCIATED_WITH,
        to_node__isnull=False,
    ).select_related("to_node")
    doer = doing.order_by("pk").first()
    component = [doer.to_node] if doer is not None and doer.to_node is not None else []
    shown = views(viewer, [found, *component])
    (row,) = _rows(viewer, [found])
    inputs, outputs = _used(viewer, found.pk), _generated(viewer, found.pk)
    return RunView(
        run=shown[0],
        row=row,
        component=shown[1] if component else None,
        used=_beside(viewer, inputs, "to_node", bounded(limit), used),
        generated=_beside(viewer, outputs, "from_node", bounded(limit), generated),
    )


def _used(viewer: Viewer, run: Any) -> "QuerySet[Reference, Any]":
    rows = by_their_ids(Reference.objects.all(), viewer.workspace_id)
    return rows.filter(from_node_id=run, edge=Edge.USED, to_node__isnull=False)


def _generated(viewer: Viewer, run: Any) -> "QuerySet[Reference, Any]":
    rows = by_their_ids(Reference.objects.all(), viewer.workspace_id)
    return rows.filter(to_node_id=run, edge=Edge.WAS_GENERATED_BY, from_node__isnull=False)


def _beside(
    viewer: Viewer, rows: "QuerySet[Reference, Any]", end: str, size: int, cursor: str | None
) -> Beside:
    """A page of the nodes at one end of these references."""
    after = Q()
    if cursor is not None:
        (pk,) = read_cursor(cursor, int)
        if pk is None:
            raise CursorInvalid
        after = Q(pk__gt=pk)
    found = list(rows.filter(after).select_related(end).order_by("pk")[: size + 1])
    nodes = [getattr(row, end) for row in found[:size]]
    more = len(found) > size
    return Beside(
        items=tuple(views(viewer, nodes)),
        next=write_cursor(found[size - 1].pk) if more else None,
        total=count_of(rows, MOST_OF_ONE),
    )


def _rows(viewer: Viewer, runs: Sequence[Node]) -> list[RunRow]:
    states = node_states(viewer.workspace_id, runs)
    rows = (
        by_their_ids(
            Node.objects.filter(pk__in=[run.pk for run in runs]), viewer.workspace_id
        )
        .annotate(
            used=counted(_used(viewer, OuterRef("pk")), MOST_COUNTED),
            generated=counted(_generated(viewer, OuterRef("pk")), MOST_COUNTED),
        )
        .order_by("pk")
        .values_list("pk", "used", "generated")
    )  # fmt: skip
    counts = {pk: (used, generated) for pk, used, generated in rows}
    return [_row(run, states[run.pk].word, *counts[run.pk]) for run in runs]


def _row(run: Node, state: str, used: int, generated: int) -> RunRow:
    started, ended = instant_of(run.fields, "started_at"), instant_of(run.fields, "ended_at")
    status = run.fields.get("status")
    run_kind = run.fields.get("run_kind")
    return RunRow(
        uid=run.uid,
        run_kind=run_kind if isinstance(run_kind, str) else None,
        status=status if isinstance(status, str) and status else None,
        outcome=outcome_of(status),
        state=state,
        occurred_at=run.occurred_at,
        started_at=started,
        seconds=(ended - started).total_seconds() if started and ended else None,
        used=at_least(used, MOST_COUNTED),
        generated=at_least(generated, MOST_COUNTED),
    )


def instant_of(fields: Mapping[str, Any], name: str) -> datetime | None:
    """An instant that a record states; None where it states none."""
    value = fields.get(name)
    try:
        return read_instant(value).at if isinstance(value, str) else None
    except ValueError:
        return None
