"""Cases in the graph: what they are, what they invalidate, which answers they affect.

`WAS_INVALIDATED_BY` (target → case) stands for erasure, retraction and revocation
while they hold. `AFFECTED_BY` (answer → case) stays when a reinstatement ends it,
with the time of its end. Both follow the register and the materialised effects.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from django.db.models import Q

from lineage.graph.client import Unit
from lineage.graph.properties import edge_properties, instant, node_properties
from lineage.graph.scope import Scope, scope_of
from lineage.graph.turn import in_turn
from lineage.graph.write_batch import write_edges, write_nodes
from lineage.graph.writes.drop_edges import drop_edges
from lineage.graph.writes.merge_affected import AffectedRow, merge_affected
from lineage.graph.writes.merge_edges import EdgeRow
from lineage.graph.writes.merge_nodes import NodeRow
from lineage.models import AnswerEffect, Case, Withdrawal
from lineage.vocabulary import Edge, Grade

INVALIDATING: Final = frozenset({"erasure", "retraction", "revocation"})
ROWS_A_BATCH: Final = 2_000


@dataclass(frozen=True, slots=True)
class _Stated:
    """A row of the register or of the effects, as an edge; `holds` False: the edge must go."""

    row_id: int
    edge: EdgeRow
    holds: bool


# Writes the page of edges behind an id; gives the id behind which the next starts, None after the last.
_WritePage = Callable[[Scope, int, int, Unit, int], int | None]


def project_case(case_id: int, *, edges: bool = True) -> None:
    """Write the case and its edges as the relational store has them now; safe to repeat.

    Without `edges` the case alone: its end, just after they were written. An unknown case is
    passed over. Raises GraphAway.
    """
    case = Case.objects.filter(pk=case_id).only("workspace_id").first()
    if case is None:
        return
    scope = scope_of(case.workspace_id)
    pages = (_write_invalidations, _write_effects) if edges else ()
    left = in_turn(scope, partial(_write_case, scope, case_id, pages), name=__name__)
    for write_page, first in left:
        after = first
        while after is not None:
            work = partial(write_page, scope, case_id, after)
            after = in_turn(scope, work, name=f"{__name__}.edges")


def write_case_edges_of(unit: Unit, scope: Scope, *, node_ids: Sequence[int], batch: int) -> None:
    """Write the case edges of these nodes: they left the graph with the nodes' former uids."""
    if not node_ids:
        return
    for rows_of, which in (
        (_invalidations, Q(node_id__in=node_ids)),
        (_effects, Q(answer_id__in=node_ids)),
    ):
        after: int | None = 0
        while after is not None:
            rows = rows_of(scope, which & Q(id__gt=after))
            after = _write_rows(unit, scope, rows, batch)


def _write_case(
    scope: Scope, case_id: int, pages: Sequence[_WritePage], unit: Unit, batch: int
) -> list[tuple[_WritePage, int | None]]:
    """Write the case and the first of the pages of each kind; how the next are written, and from where."""
    case = Case.objects.filter(pk=case_id, workspace_id=scope.workspace_id).first()
    if case is None:
        return []
    values = {
        "uid": case.uid,
        "resolved": True,
        "recorded_at": case.created_at,
        "case_kind": case.kind,
        "state": case.state,
        "effective_at": case.effective_at,
    }
    rows = [NodeRow("case", case.uid, node_properties("case", values))]
    write_nodes(unit, workspace=scope.code, batch=batch, rows=rows)
    return [(write_page, write_page(scope, case_id, 0, unit, batch)) for write_page in pages]


def _write_invalidations(
    scope: Scope, case_id: int, after: int, unit: Unit, batch: int
) -> int | None:
    rows = _invalidations(scope, Q(case_id=case_id, id__gt=after))
    return _write_rows(unit, scope, rows, batch)


def _write_effects(scope: Scope, case_id: int, after: int, unit: Unit, batch: int) -> int | None:
    """As `_write_rows` of `_effects`, for the many answers of one case."""
    uid = Case.objects.filter(pk=case_id).values_list("uid", flat=True).first()
    effects = AnswerEffect.objects.filter(
        case_id=case_id, case__workspace_id=scope.workspace_id, id__gt=after
    ).order_by("id")
    rows = list(effects.values_list("pk", "answer__uid", "grade", "at", "ended_at")[:ROWS_A_BATCH])
    if uid is None or not rows:
        return None
    told = [
        AffectedRow(answer, Grade(grade).word, instant(at), instant(ended) if ended else None)
        for _, answer, grade, at, ended in rows
    ]
    merge_affected(unit, workspace=scope.code, batch=batch, case=uid, rows=told)
    return rows[-1][0] if len(rows) == ROWS_A_BATCH else None


def _write_rows(unit: Unit, scope: Scope, rows: Sequence[_Stated], batch: int) -> int | None:
    """Write a page of rows; gives the id behind which the next page starts, None after the last."""
    edges = [row.edge for row in rows if row.holds]
    write_edges(unit, workspace=scope.code, batch=batch, rows=edges)
    for row in rows:
        if not row.holds:
            drop_edges(
                unit,
                workspace=scope.code,
                edge=row.edge.edge,
                from_kind=row.edge.from_kind,
                to_kind=row.edge.to_kind,
                pairs=[(row.edge.from_uid, row.edge.to_uid)],
            )
    return rows[-1].row_id if len(rows) == ROWS_A_BATCH else None


def _invalidations(scope: Scope, which: Q) -> list[_Stated]:
    rows = (
        Withdrawal.objects.filter(which, workspace_id=scope.workspace_id)
        .filter(case__kind__in=INVALIDATING)
        .select_related("case", "node")
        .order_by("id")
    )
    return [
        _Stated(
            row.pk,
            EdgeRow(
                edge=Edge.WAS_INVALIDATED_BY,
                from_kind=row.node.kind,
                from_uid=row.node.uid,
                to_kind="case",
                to_uid=row.case.uid,
                role="",
                properties=edge_properties(Edge.WAS_INVALIDATED_BY, {"at": row.at}),
            ),
            holds=row.ended_at is None,
        )
        for row in rows[:ROWS_A_BATCH]
    ]


def _effects(scope: Scope, which: Q) -> list[_Stated]:
    rows = (
        AnswerEffect.objects.filter(which, case__workspace_id=scope.workspace_id)
        .order_by("id")
        .values_list("pk", "answer__uid", "case__uid", "grade", "at", "ended_at")
    )
    return [
        _Stated(
            pk,
            EdgeRow(
                edge=Edge.AFFECTED_BY,
                from_kind="answer",
                from_uid=answer,
                to_kind="case",
                to_uid=case,
                role="",
                properties=edge_properties(
                    Edge.AFFECTED_BY,
                    {"grade": Grade(grade).word, "at": at, "ended_at": ended_at},
                ),
            ),
            holds=True,
        )
        for pk, answer, case, grade, at, ended_at in rows[:ROWS_A_BATCH]
    ]
