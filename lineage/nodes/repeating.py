"""Words that may repeat what a case has taken out of sight, though their own node is not."""

from collections.abc import Mapping, Sequence

from lineage.cases.register import has_active, passage_hidden, withdrawals_of
from lineage.models import Node
from lineage.nodes.states import NodeState
from lineage.nodes.visible import LEAST_OVERLAP, answers_of
from lineage.types import JsonValue


def given_taken(
    workspace_id: int, nodes: Sequence[Node], states: Mapping[int, NodeState]
) -> set[int]:
    """Nodes whose words may repeat a passage that a case hides, by node id.

    Answers that rest on one, with their claims and citations; retrievals that found one. Of
    claims, citations and retrievals one query where no case is in effect; no other kind costs any.
    """
    found = {
        node.pk
        for node in nodes
        if node.kind == "answer" and passage_hidden(states[node.pk].cases) is not None
    }
    retrievals = {node.pk for node in nodes if node.kind == "retrieval"}
    parts = [node for node in nodes if node.kind in ("claim", "citation")]
    if not (retrievals or parts) or not has_active(workspace_id):
        return found
    answer_of = answers_of(workspace_id, parts)
    asked = retrievals | set(answer_of.values())
    cases = withdrawals_of(workspace_id, asked, any_active=True)
    hiding = {pk for pk, some in cases.items() if passage_hidden(some) is not None}
    return found | (retrievals & hiding) | {pk for pk, of in answer_of.items() if of in hiding}


def without_long(told: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What is told by names, without whatever is long enough to repeat a passage."""
    return {name: value for name, value in told.items() if not _is_long(value)}


def _is_long(value: JsonValue) -> bool:
    if isinstance(value, str):
        return len(value) >= LEAST_OVERLAP
    if isinstance(value, Mapping):
        return any(_is_long(one) for one in value.values())
    return isinstance(value, list) and any(_is_long(one) for one in value)
