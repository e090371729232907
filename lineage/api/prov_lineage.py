"""What lies up- or downstream of a node as a PROV document."""

from dataclasses import dataclass
from typing import Literal

from lineage.api.neighbourhood import MOST_NODES, around
from lineage.formats.prov_export import to_document
from lineage.formats.prov_write import write
from lineage.formats.trustgraph import to_graph
from lineage.graph import walk
from lineage.models import Node
from lineage.nodes import views
from lineage.nodes.beside import edges_beside, inputs_of_runs
from lineage.types import LineageView, Viewer

Direction = Literal["upstream", "downstream"]
Format = Literal["json", "turtle", "jsonld", "trustgraph"]


@dataclass(frozen=True, slots=True)
class Exported:
    """The bytes of a document, and whether a bound cut it."""

    content: bytes
    media_type: str
    truncated: bool


def exported(
    viewer: Viewer,
    uid: str,
    direction: Direction,
    *,
    depth: int,
    form: Format,
    base: str,
    plain: bool = False,
) -> Exported:
    """The walk of the reading API as PROV, or in TrustGraph's terms, with the inputs of its runs; at most 2,000 nodes.

    What the viewer may not see keeps its shape. Raises what `around` raises.
    """
    found = around(viewer, uid, getattr(walk, direction), depth)
    nodes, truncated = list(found.nodes), found.truncated
    uids = [view.uid for view in nodes]
    if direction == "upstream":
        runs = [view.uid for view in nodes if view.kind == "run"]
        more, cut = inputs_of_runs(viewer, runs, MOST_NODES - len(uids)) if runs else ([], False)
        fresh = [one for one in more if one not in set(uids)]
        rows = Node.objects.filter(workspace_id=viewer.workspace_id, uid__in=fresh).order_by("uid")
        nodes += views(viewer, list(rows[:MOST_NODES]))
        truncated = truncated or cut
        uids = [view.uid for view in nodes]
    beside, cut = edges_beside(viewer, uids)
    truncated = truncated or cut
    if form == "trustgraph":
        around_it = LineageView(uid, tuple(nodes), (*found.edges, *beside), truncated)
        turtle = to_graph(around_it).serialize(format="turtle", encoding="utf-8")
        return Exported(turtle, "text/turtle; charset=utf-8", truncated)
    document = to_document(
        nodes, [*found.edges, *beside], base=base, truncated=truncated, plain=plain
    )
    content, media_type = write(document, form)
    return Exported(content, media_type, truncated)
