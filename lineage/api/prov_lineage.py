"""What lies up- or downstream of a node as a PROV document."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from lineage.api.neighbourhood import MOST_NODES, around
from lineage.cases.register import withdrawals_of
from lineage.formats.prov_export import Invalidation, to_document
from lineage.formats.prov_write import write
from lineage.formats.trustgraph import to_graph
from lineage.graph import walk
from lineage.models import Node
from lineage.nodes import views
from lineage.nodes.beside import edges_beside, inputs_of_runs
from lineage.types import LineageView, Viewer
from provexplorer.workspaces.audit.recording import record

# Cases after which the thing itself is not to be used any more; others only comment on it.
_ENDING: Final = frozenset({"retraction", "revocation", "erasure"})

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
    record("export.made", viewer, object_uid=uid, code=form)
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
        nodes,
        [*found.edges, *beside],
        base=base,
        invalidations=invalidations(viewer, [view.uid for view in nodes if view.withdrawn_by]),
        truncated=truncated,
        plain=plain,
    )
    content, media_type = write(document, form)
    return Exported(content, media_type, truncated)


def invalidations(viewer: Viewer, uids: Sequence[str]) -> list[Invalidation]:
    """The cases in effect on these nodes themselves, as far as they end what they are on."""
    rows = Node.objects.filter(workspace_id=viewer.workspace_id, uid__in=uids).order_by("uid")
    uid_of = dict(rows[:MOST_NODES].values_list("pk", "uid"))
    found = withdrawals_of(viewer.workspace_id, list(uid_of))
    return [
        Invalidation(uid, case.case_uid, case.case_kind, case.at)
        for pk, uid in uid_of.items()
        for case in found.get(pk, ())
        if case.node_uid == uid and case.case_kind in _ENDING
    ]
