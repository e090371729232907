"""Makes the graph of a workspace anew from the relational store, while it is being read."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from lineage.graph.case_projection import project_case
from lineage.graph.client import Unit
from lineage.graph.dirty import mark_dirty
from lineage.graph.projection import project
from lineage.graph.reads.nodes_of_workspace import nodes_of_workspace
from lineage.graph.scope import Scope, scope_of
from lineage.graph.state import live_uids
from lineage.graph.turn import in_turn
from lineage.graph.write_batch import remove_nodes
from lineage.models import Case, Node
from lineage.models.turns import turn
from lineage.vocabulary import KINDS

_PAGE: Final = 1000


def rebuild(workspace_id: int) -> int:
    """Write every node and case of the workspace again, and remove what is no longer one.

    Gives how many nodes were written. Safe to stop and to repeat. Raises GraphAway.
    """
    scope = scope_of(workspace_id)
    written = 0
    last = 0
    nodes = Node.objects.filter(workspace_id=workspace_id)
    while ids := list(
        nodes.filter(id__gt=last).order_by("id").values_list("id", flat=True)[:_PAGE]
    ):
        with turn(workspace_id):
            mark_dirty(workspace_id, ids)
        written += project(workspace_id, ids)
        last = ids[-1]
    cases = Case.objects.filter(workspace_id=workspace_id).order_by("id")
    for case_id in cases.values_list("id", flat=True).iterator(chunk_size=_PAGE):
        project_case(case_id)
    _sweep(scope)
    return written


def _sweep(scope: Scope) -> None:
    """Remove nodes that the relational store does not have."""
    for kind in KINDS:
        after = ""
        while page := nodes_of_workspace(workspace=scope.code, kind=kind, after=after, limit=_PAGE):
            uids = [node["uid"] for node in page]
            in_turn(scope, partial(_remove_unknown, scope, uids), name=f"{__name__}.sweep")
            after = uids[-1]


def _remove_unknown(scope: Scope, uids: Sequence[str], unit: Unit, _batch: int) -> None:
    """Remove those that no node or case has, asked again in turn: one may just have come."""
    cases = Case.objects.filter(workspace_id=scope.workspace_id, uid__in=uids).order_by("uid")
    known = live_uids(scope, uids) | set(cases.values_list("uid", flat=True))
    if len(known) < len(uids):
        remove_nodes(unit, workspace=scope.code, uids=set(uids) - known)
