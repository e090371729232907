"""What a request has in memory of the nodes it made, for their projection."""

from collections.abc import Collection

from lineage.graph.fresh import Fresh
from lineage.graph.scope import scope_of
from lineage.graph.state import Stated, state_of
from lineage.ingest.references import Rebound
from lineage.ingest.touched import Touched
from provexplorer.workspaces.models import Workspace


def fresh_nodes(
    workspace: Workspace, touched: Touched, rebound: Rebound, dirty: Collection[int]
) -> Fresh:
    """Those of the `dirty` nodes that the request has made and of which it knows every edge.

    To be called when all that the request changes is written.
    """
    scope = scope_of(workspace.pk)
    made = rebound.made.edges
    nodes = [touched.nodes[pk] for pk in made.keys() & dirty]
    return Fresh(
        states={node.pk: state_of(scope, node) for node in nodes},
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
