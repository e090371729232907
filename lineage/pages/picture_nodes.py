"""The nodes of a lineage in two depths: in outline, for all that was found, and whole, for what is shown.

What decides a node's place (kind, state, whether it is visible) costs a few queries for
thousands of nodes; names, fields and texts are read only of those that stand on the page.
"""

from collections.abc import Collection
from typing import Final

from lineage.models import Node
from lineage.nodes.states import node_states
from lineage.nodes.visible import visible
from lineage.pages.names import MOST_NAMED, name_of, nodes_of
from lineage.types import NodeView, Viewer

# Columns of a node that its outline, its state and its visibility need.
_NEEDED: Final = (
    "uid", "kind", "key", "version_id", "parent_id", "resolved", "occurred_at", "recorded_at",
)  # fmt: skip


def outlines(viewer: Viewer, uids: Collection[str]) -> dict[str, NodeView]:
    """The nodes with these uids without names and fields; unknown ones are missing. At most 5,000."""
    rows = Node.objects.filter(
        workspace_id=viewer.workspace_id, uid__in=sorted(uids)[:MOST_NAMED]
    ).only(*_NEEDED)
    nodes = list(rows.order_by("uid"))
    states = node_states(viewer.workspace_id, nodes)
    seen = visible(viewer, nodes)
    return {
        node.uid: NodeView(
            uid=node.uid,
            kind=node.kind,
            key=None,
            namespace=None,
            label=None,
            state=states[node.pk].word,
            resolved=node.resolved,
            hidden=not seen[node.pk],
            occurred_at=node.occurred_at,
            recorded_at=node.recorded_at,
            fields={},
            attributes={},
            withdrawn_by=states[node.pk].case_uids,
        )
        for node in nodes
    }


def saying(viewer: Viewer, uids: Collection[str], words: str) -> frozenset[str]:
    """Those of these nodes whose name, key or own text holds all the words; of hidden ones nothing is known."""
    wanted = words.casefold().split()
    return frozenset(
        uid
        for uid, node in nodes_of(viewer, uids).items()
        if not node.hidden and all(word in _said(node) for word in wanted)
    )


def _said(node: NodeView) -> str:
    text = node.fields.get("text")
    parts = (name_of(node), node.key or "", text if isinstance(text, str) else "")
    return " ".join(parts).casefold()
