"""Makes the graph of a workspace anew from the relational store, while it is being read."""

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from lineage.graph.case_projection import project_case
from lineage.graph.client import Unit
from lineage.graph.dirty import mark_dirty
from lineage.graph.projection import project
from lineage.graph.reads.nodes_of_workspace import nodes_of_workspace
from lineage.graph.scope import Scope, scope_of
from lineage.graph.state import live_uids
from lineage.graph.turn import in_turn
from lineage.graph.write_batch import remove_nodes
from lineage.graph.writes.drop_older_case_edges import drop_older_case_edges
from lineage.models import Case, Node
from lineage.models.turns import turn
from lineage.vocabulary import KINDS

_PAGE: Final = 1000
_EDGES: Final = 5000


class Place(NamedTuple):
    """How far a workspace has got: a stage, and the last id (of kinds the number) that is done in it."""

    stage: int = 0
    after: int = 0


def rebuild(workspace_id: int) -> int:
    """Write every node and case of the workspace again, and remove what is no longer one.

    Gives how many nodes were written. Safe to stop and to repeat. Raises GraphAway.
    """
    written = 0
    place: Place | None = Place()
    while place is not None:
        place, some = rebuild_some(workspace_id, place)
        written += some
    return written


def rebuild_some(workspace_id: int, place: Place) -> tuple[Place | None, int]:
    """Go on from there: a page of nodes, a case, or a kind of which to remove what is too much.

    Gives where to go on, None at the end, and how many nodes were written. Raises GraphAway,
    NotFound where there is no such workspace.
    """
    scope = scope_of(workspace_id)
    after, written = _STAGES[place.stage](scope, place.after)
    if after is not None:
        return Place(place.stage, after), written
    following = place.stage + 1
    return (Place(following) if following < len(_STAGES) else None), written


def _write_page(scope: Scope, after: int) -> tuple[int | None, int]:
    nodes = Node.objects.filter(workspace_id=scope.workspace_id, id__gt=after).order_by("id")
    ids = list(nodes.values_list("id", flat=True)[:_PAGE])
    if not ids:
        return None, 0
    with turn(scope.workspace_id):
        mark_dirty(scope.workspace_id, ids)
    return ids[-1], project(scope.workspace_id, ids)


def _write_case(scope: Scope, after: int) -> tuple[int | None, int]:
    """The next case, and none of the edges that lead to it but its own."""
    cases = Case.objects.filter(workspace_id=scope.workspace_id, id__gt=after).order_by("id")
    case = cases.values_list("id", "uid").first()
    if case is None:
        return None, 0
    before = in_turn(scope, lambda _unit, batch: batch, name=f"{__name__}.before")
    project_case(case[0])
    drop = partial(_drop_edges, scope, case[1], before)
    while in_turn(scope, drop, name=f"{__name__}.case") == _EDGES:
        pass
    return case[0], 0


def _drop_edges(scope: Scope, uid: str, before: int, unit: Unit, _batch: int) -> int:
    return drop_older_case_edges(unit, workspace=scope.code, uid=uid, batch=before, limit=_EDGES)


def _sweep_kind(scope: Scope, done: int) -> tuple[int | None, int]:
    """Remove nodes of the next kind that the relational store does not have."""
    kinds = list(KINDS)
    after = ""
    while page := nodes_of_workspace(
        workspace=scope.code, kind=kinds[done], after=after, limit=_PAGE
    ):
        uids = [node["uid"] for node in page]
        in_turn(scope, partial(_remove_unknown, scope, uids), name=f"{__name__}.sweep")
        after = uids[-1]
    return (done + 1 if done + 1 < len(kinds) else None), 0


def _remove_unknown(scope: Scope, uids: Sequence[str], unit: Unit, _batch: int) -> None:
    """Remove those that no node or case has, asked again in turn: one may just have come."""
    cases = Case.objects.filter(workspace_id=scope.workspace_id, uid__in=uids).order_by("uid")
    known = live_uids(scope, uids) | set(cases.values_list("uid", flat=True))
    if len(known) < len(uids):
        remove_nodes(unit, workspace=scope.code, uids=set(uids) - known)


_STAGES: Final = (_write_page, _write_case, _sweep_kind)
