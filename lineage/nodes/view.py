"""A node as a viewer may see it."""

from collections.abc import Sequence

from lineage.models import Node
from lineage.nodes.fields import shown_fields
from lineage.nodes.find import find
from lineage.nodes.repeating import given_taken, without_long
from lineage.nodes.states import NodeState, node_states
from lineage.nodes.visible import given_hidden, visible
from lineage.types import Erased, JsonValue, NodeView, Viewer, Warned
from provexplorer.workspaces.audit.reads import note_hidden


def node(viewer: Viewer, uid: str) -> NodeView:
    """The node with this uid, with its whole text and its members.

    Raises NotFound (unknown and foreign alike), Moved (a provisional or placeholder's
    uid) and Erased, which carries the tombstone. The texts of an answer that was given
    something hidden, or rests on something that a case has taken out of sight, stand as null, and
    what else it says in 40 code points or more is left out: its page (citations.answer) masks it
    word by word.
    """
    found = find(viewer, uid)
    state = node_states(viewer.workspace_id, [found])[found.pk]
    if state.erasure is not None:
        erasure = state.erasure
        raise Erased(found.uid, erasure.case_kind, erasure.at, erasure.case_uid)
    (seen,) = _views(viewer, [found], {found.pk: state}, whole=True)
    if seen.hidden:
        note_hidden(viewer, found.uid)
    return seen


def views(viewer: Viewer, nodes: Sequence[Node]) -> list[NodeView]:
    """The nodes in their order; the queries do not grow with them.

    An erased one keeps its shape only: no key, label, fields or attributes. Texts of whole
    documents and versions are left out (null), as are members of snapshots and runs.
    """
    return _views(viewer, nodes, node_states(viewer.workspace_id, nodes), whole=False)


def _views(
    viewer: Viewer, nodes: Sequence[Node], states: dict[int, NodeState], *, whole: bool
) -> list[NodeView]:
    seen = visible(viewer, nodes)
    bare = {each.pk for each in nodes if not seen[each.pk] or states[each.pk].erasure}
    shown = [each for each in nodes if each.pk not in bare]
    wordless = {each.pk for each in shown if states[each.pk].passage_hidden}
    wordless |= given_hidden(viewer, shown) | given_taken(viewer.workspace_id, shown, states)
    fields = shown_fields(viewer, shown, wordless=wordless, whole=whole)
    return [
        _view(
            each,
            states[each.pk],
            fields.get(each.pk),
            hidden=not seen[each.pk],
            wordless=each.pk in wordless,
        )
        for each in nodes
    ]


def _view(
    node: Node,
    state: NodeState,
    fields: dict[str, JsonValue] | None,
    *,
    hidden: bool,
    wordless: bool,
) -> NodeView:
    """`fields` None: only the shape may be told. `wordless`: nothing that may repeat what is out of sight."""
    told = fields is not None
    attributes = node.attributes if told else {}
    if wordless:
        attributes = {} if state.passage_hidden else without_long(attributes)
    return NodeView(
        uid=node.uid,
        kind=node.kind,
        key=node.key if told else None,
        namespace=node.namespace if told else None,
        label=node.label if told else None,
        state=state.word,
        resolved=node.resolved,
        hidden=hidden,
        occurred_at=node.occurred_at,
        recorded_at=node.recorded_at,
        fields=fields or {},
        attributes=attributes,
        withdrawn_by=state.case_uids,
        flags=tuple(Warned(**flag) for flag in node.flags) if told else (),
    )
