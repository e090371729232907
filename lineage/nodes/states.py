"""The state of nodes: an answer's by its reasons, others' by the cases on them or upstream."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lineage.cases.register import Active, passage_hidden, states_of, withdrawals_of
from lineage.models import Node

# Kinds of which an erasure leaves only a tombstone; what was made from them keeps its shape.
_ERASABLE: Final = frozenset(
    {
        "source", "source_version", "acquisition", "document", "part", "chunk", "fact",
        "embedding",
    }
)  # fmt: skip
# Kinds that carry text of the source itself, which a revocation or an erasure takes out of sight.
_CARRIES_PASSAGE: Final = _ERASABLE | {"citation"}


@dataclass(frozen=True, slots=True)
class NodeState:
    """`word`: active, withdrawn or erased; of an answer current, review or stale.

    `cases`: those in effect on the node or upstream of it, the latest first. `erasure`:
    the one that leaves a tombstone. `passage_hidden`: the text must not be shown.
    """

    word: str
    cases: tuple[Active, ...] = ()
    erasure: Active | None = None
    passage_hidden: bool = False

    @property
    def case_uids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(case.case_uid for case in self.cases))


def node_states(workspace_id: int, nodes: Sequence[Node]) -> dict[int, NodeState]:
    """The state of each node, by node id, fail closed; the queries do not grow with the nodes."""
    cases = withdrawals_of(workspace_id, [node.pk for node in nodes])
    answers = [node.pk for node in nodes if node.kind == "answer"]
    standings = states_of(workspace_id, answers) if answers else {}
    found: dict[int, NodeState] = {}
    for node in nodes:
        active = tuple(cases.get(node.pk, ()))
        if node.kind == "answer":
            found[node.pk] = NodeState(standings[node.pk].state.word, active)
            continue
        hiding = passage_hidden(active) if node.kind in _CARRIES_PASSAGE else None
        erased = hiding is not None and hiding.case_kind == "erasure"
        tombstone = hiding if erased and node.kind in _ERASABLE else None
        word = "erased" if tombstone else "withdrawn" if active else "active"
        found[node.pk] = NodeState(word, active, tombstone, hiding is not None)
    return found
