"""The list of a report as PROV: its answers, what explains each, and every edge between those."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lineage.cases.register import withdrawals_of
from lineage.compiled import by_their_ids
from lineage.formats.prov_export import Invalidation, to_document
from lineage.formats.prov_write import write
from lineage.impact.affected import Affected
from lineage.impact.export import batches
from lineage.models import Node, Reference
from lineage.nodes import views
from lineage.types import EdgeView, NodeView
from lineage.vocabulary import UPSTREAM_EDGES, Edge

# A document is held as a whole, by us and by whoever reads it.
MOST_NODES: Final = 2_000
_MOST_EDGES: Final = 20_000
# Cases after which the thing itself is not to be used any more; others only comment on it.
_ENDING: Final = frozenset({"retraction", "revocation", "erasure"})


@dataclass(frozen=True, slots=True)
class ProvOfList:
    """The bytes of a document; `truncated` where the list has more than 2,000 nodes can tell."""

    content: bytes
    media_type: str
    truncated: bool


def prov_of(found: Affected, *, form: str, base: str) -> ProvOfList:
    """The answers from the head of the list, with their chains, as PROV-JSON, Turtle or JSON-LD.

    `base` + uid is the IRI of a node that has none. What the viewer may not see keeps its
    shape.
    """
    uids: dict[str, None] = {}
    truncated = False
    for items in batches(found):
        for item in items:
            fresh = [uid for uid in (item.uid, *item.because) if uid not in uids]
            if len(uids) + len(fresh) > MOST_NODES:
                truncated = True
                break
            uids |= dict.fromkeys(fresh)
        if truncated:
            break
    nodes = _nodes(found, list(uids))
    edges, cut = _edges(found, nodes)
    document = to_document(
        nodes,
        edges,
        base=base,
        invalidations=_invalidations(found, [view.uid for view in nodes if view.withdrawn_by]),
        truncated=truncated or cut,
    )
    content, media_type = write(document, form)
    return ProvOfList(content, media_type, truncated or cut)


def _nodes(found: Affected, uids: Sequence[str]) -> list[NodeView]:
    rows = Node.objects.filter(workspace_id=found.viewer.workspace_id, uid__in=uids)
    by_uid = {view.uid: view for view in views(found.viewer, list(rows.order_by("uid")))}
    return [by_uid[uid] for uid in uids if uid in by_uid]


def _edges(found: Affected, nodes: Sequence[NodeView]) -> tuple[list[EdgeView], bool]:
    """The edges between these nodes that lead upstream, and what claims are stated in."""
    uids = [view.uid for view in nodes]
    ids = list(
        Node.objects.filter(workspace_id=found.viewer.workspace_id, uid__in=uids)
        .order_by()
        .values_list("pk", flat=True)
    )
    rows = (
        by_their_ids(Reference.objects.all(), found.viewer.workspace_id)
        .filter(
            edge__in=[*UPSTREAM_EDGES, Edge.STATED_IN], from_node_id__in=ids, to_node_id__in=ids
        )
        .order_by("from_node__uid", "edge", "to_node__uid", "pk")
        .values_list("edge", "from_node__uid", "to_node__uid", "properties")
    )
    edges: dict[tuple[str, str, str], EdgeView] = {}
    rows_found = list(rows[: _MOST_EDGES + 1])
    for edge, start, end, properties in rows_found[:_MOST_EDGES]:
        view = EdgeView(edge, start or "", end or "", properties)
        edges.setdefault((view.type, view.from_uid, view.to_uid), view)
    return list(edges.values()), len(rows_found) > _MOST_EDGES


def _invalidations(found: Affected, uids: Sequence[str]) -> list[Invalidation]:
    """The cases in effect on these nodes themselves, as far as they end what they are on."""
    rows = Node.objects.filter(workspace_id=found.viewer.workspace_id, uid__in=uids)
    uid_of = dict(rows.order_by("uid").values_list("pk", "uid"))
    cases = withdrawals_of(found.viewer.workspace_id, list(uid_of))
    return [
        Invalidation(uid, case.case_uid, case.case_kind, case.at)
        for pk, uid in uid_of.items()
        for case in cases.get(pk, ())
        if case.node_uid == uid and case.case_kind in _ENDING
    ]
