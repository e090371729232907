"""What a request has in memory of the nodes it made or changed, for their projection."""

from collections.abc import Collection

from lineage.graph.fresh import Fresh
from lineage.graph.scope import scope_of
from lineage.graph.state import Stated, state_of
from lineage.ingest.rebound import Rebound
from lineage.ingest.touched import Touched
from provexplorer.workspaces.models import Workspace


def fresh_nodes(
    workspace: Workspace, touched: Touched, rebound: Rebound, dirty: Collection[int]
) -> Fresh:
    """Those of the `dirty` nodes of which the request knows every edge, or has changed none.

    To be called when all that the request changes is written.
    """
    scope = scope_of(workspace.pk)
    made = rebound.made.edges
    nodes = [touched.nodes[pk] for pk in made.keys() & dirty]
    only_said = _only_said(touched, rebound).intersection(dirty)
    return Fresh(
        states={
            node.pk: state_of(scope, node)
            for node in (*nodes, *(touched.nodes[pk] for pk in only_said))
        },
        references={
            node.pk: [
                Stated(
                    node.uid, out.edge, node.kind, out.to_kind, out.to_uid, out.relation,
                    out.ordinal, out.properties,
                )
                for out in made[node.pk]
            ]
            for node in nodes
        },
    )  # fmt: skip


def _only_said(touched: Touched, rebound: Rebound) -> set[int]:
    """Nodes of which the records say something else, and nothing more: they keep uid and edges."""
    if touched.left_over or touched.unsaid or rebound.let_go:
        return set()
    known = touched.changed & touched.nodes.keys() - touched.new
    return known - touched.moved - rebound.from_nodes - rebound.nodes
