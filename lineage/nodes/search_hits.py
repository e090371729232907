"""All that a query finds, each hit with its state, in order of how well it is found; nothing that is hidden."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from django.db.models import Q

from lineage.cases.register import has_active, passage_hidden
from lineage.compiled import by_their_ids
from lineage.content.passages import field_text
from lineage.ingest.search_words import folded_words
from lineage.models import Node
from lineage.nodes.search_exact import nodes_named
from lineage.nodes.search_matches import (
    KINDS_BY_WORDS,
    Meanings,
    meanings_of,
    nodes_with,
    words_asked,
)
from lineage.nodes.states import NodeState, node_states
from lineage.nodes.visible import LEAST_OVERLAP, given_hidden, visible
from lineage.types import Viewer
from lineage.vocabulary import KINDS

# Nodes of each kind; beyond these, more precise words help more than more pages.
MOST_OF_A_KIND: Final = 200
# Nodes of one kind that lists narrow down to by words.
MOST_FOUND: Final = 1_000
_LONGEST_QUERY: Final = 2_000  # of a key
# With fewer than these found, words may be mistyped.
_FEW: Final = 5


class Rank(IntEnum):
    """How well a node is found; the least comes first."""

    EXACT = 0
    TITLE = 1
    BEGINNING = 2
    ELSEWHERE = 3
    MISTYPED = 4


@dataclass(slots=True)
class Hits:
    """All that was found, in order, with the state of each."""

    nodes: list[Node] = field(default_factory=list)
    states: dict[int, NodeState] = field(default_factory=dict)
    exact: set[int] = field(default_factory=set)
    more: set[str] = field(default_factory=set)
    words: Meanings = ()

    def kept(self, kind: str | None, state: str | None) -> list[Node]:
        """Those of a kind and in a state, where one is asked for."""
        return [
            node
            for node in self.nodes
            if kind in (None, node.kind) and state in (None, self.states[node.pk].word)
        ]


def hits_of(viewer: Viewer, q: str, kind: str | None) -> Hits:
    """All that is found, at most 200 of a kind and 200 named exactly."""
    wanted = q.strip()[:_LONGEST_QUERY]
    if not wanted or (kind is not None and kind not in KINDS):
        return Hits()
    hits = Hits(words=tuple((word,) for word in words_asked(wanted)))
    named = nodes_named(viewer, wanted, kind)
    seen, states = visible(viewer, named), _states(viewer, named)
    hits.states |= states
    hits.nodes += [
        node
        for node in named
        if node.uid == wanted or (seen[node.pk] and states[node.pk].erasure is None)
    ]
    hits.exact |= {node.pk for node in hits.nodes}
    kinds = [each for each in KINDS_BY_WORDS if kind in (None, each)]
    _add(viewer, hits, kinds, hits.words, None)
    if len(hits.nodes) < _FEW:
        meant = meanings_of(viewer, [words[0] for words in hits.words])
        if any(len(words) > 1 for words in meant):
            _add(viewer, hits, kinds, meant, Rank.MISTYPED)
    sources = {node.pk for node in hits.nodes if node.kind == "source"}
    # A version is found by its creators, as its source is: one of them is enough.
    hits.nodes = [n for n in hits.nodes if n.pk in hits.exact or n.parent_id not in sources]
    return hits


def _add(
    viewer: Viewer, hits: Hits, kinds: Collection[str], meanings: Meanings, rank: Rank | None
) -> None:
    """Add what the words find that is not among the hits, in order; of this rank where one is given."""
    there = {node.pk for node in hits.nodes}
    found = _found(viewer, kinds, meanings, hits.more)
    nodes = _load(viewer, [pk for pk in found if pk not in there])
    states, questions = _states(viewer, nodes), _questions(viewer, nodes)
    new = _findable(viewer, nodes, states, questions, meanings)
    ranks = {node.pk: rank or _rank(node, questions, meanings) for node in new}
    new.sort(key=lambda node: (ranks[node.pk], -_happened(node), -node.pk))
    hits.nodes += new
    hits.states |= states
    if rank is Rank.MISTYPED:
        # Only what stands in titles that were found: other terms may be those of hidden ones.
        told = {word for node in new for word in folded_words(_title(node, questions))}
        hits.words = tuple(
            (several[0], *(word for word in several[1:] if word in told)) for several in meanings
        )


def found_of_kind(viewer: Viewer, kind: str, q: str) -> list[int]:
    """Ids of the nodes of a kind that have all the words and that the viewer may find; at most 1,000."""
    meanings = [[word] for word in words_asked(q)]
    nodes = _load(viewer, nodes_with(viewer, kind, meanings, MOST_FOUND))
    questions = _questions(viewer, nodes)
    states = _states(viewer, nodes)
    return [node.pk for node in _findable(viewer, nodes, states, questions, meanings)]


def having_words(viewer: Viewer, q: str, kind: str = "component") -> Q:
    """Nodes of a kind that `found_of_kind` finds, as a condition for lists."""
    return Q(pk__in=found_of_kind(viewer, kind, q))


def _found(viewer: Viewer, kinds: Collection[str], meanings: Meanings, more: set[str]) -> list[int]:
    found: list[int] = []
    for kind in kinds:
        some = nodes_with(viewer, kind, meanings, MOST_OF_A_KIND + 1)
        if len(some) > MOST_OF_A_KIND:
            more.add(kind)
        found += some[:MOST_OF_A_KIND]
    return found


def _load(viewer: Viewer, ids: Collection[int]) -> list[Node]:
    """What decides on the visibility and the place of these nodes; of answers their fields, too."""
    rows = by_their_ids(Node.objects.filter(pk__in=ids), viewer.workspace_id).order_by("-pk")
    slim = (
        "pk", "uid", "kind", "key", "version_id", "parent_id", "owner_id", "label", "occurred_at",
    )  # fmt: skip
    answers = rows.filter(kind="answer").only(*slim, "fields")
    return [*answers, *rows.exclude(kind="answer").only(*slim)] if ids else []


def _states(viewer: Viewer, nodes: Sequence[Node]) -> dict[int, NodeState]:
    if nodes and has_active(viewer.workspace_id):
        return node_states(viewer.workspace_id, nodes)
    return {n.pk: NodeState("current" if n.kind == "answer" else "active") for n in nodes}


def _questions(viewer: Viewer, nodes: Sequence[Node]) -> dict[int, str]:
    answers = [node for node in nodes if node.kind == "answer"]
    return field_text(answers, "question", workspace=viewer)


def _findable(
    viewer: Viewer,
    nodes: Sequence[Node],
    states: Mapping[int, NodeState],
    questions: Mapping[int, str],
    meanings: Meanings,
) -> list[Node]:
    """Those that the viewer may find by these words.

    Neither what is hidden or erased; nor answers whose text may repeat what is hidden or taken
    out of sight, unless a question that is too short to repeat anything has all the words.
    """
    seen = visible(viewer, nodes)
    answers = [node for node in nodes if node.kind == "answer"]
    withheld = given_hidden(viewer, answers)
    withheld |= {n.pk for n in answers if passage_hidden(states[n.pk].cases) is not None}
    return [
        node
        for node in nodes
        if seen[node.pk]
        and states[node.pk].erasure is None
        and (node.pk not in withheld or _asks(questions.get(node.pk, ""), meanings))
    ]


def _asks(question: str, meanings: Meanings) -> bool:
    words = folded_words(question)
    return len(question) < LEAST_OVERLAP and _begun(words, meanings)


def _rank(node: Node, questions: Mapping[int, str], meanings: Meanings) -> Rank:
    words = folded_words(_title(node, questions))
    if all(any(word in words for word in several) for several in meanings):
        return Rank.TITLE
    return Rank.BEGINNING if _begun(words, meanings) else Rank.ELSEWHERE


def _title(node: Node, questions: Mapping[int, str]) -> str:
    return questions.get(node.pk, "") if node.kind == "answer" else node.label


def _happened(node: Node) -> float:
    """When, in seconds; unknown times before all others."""
    return node.occurred_at.timestamp() if node.occurred_at else float("-inf")


def _begun(words: Sequence[str], meanings: Meanings) -> bool:
    """Whether each word asked for, or one it may be mistyped for, begins one of these."""
    return all(
        any(word.startswith(begun) for word in words for begun in several) for several in meanings
    )
