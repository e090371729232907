"""Find nodes by uid, key, identifier or words; what is hidden is not found by its hidden words.

What is meant exactly comes first, then what has all words in its title, then what has their
beginnings there, then what has them elsewhere (creators, the text of an answer), and last what
has words that the query may be mistyped for. Within each the newest first.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from django.db.models import Q

from lineage.cases.register import has_active, passage_hidden
from lineage.content.passages import field_text
from lineage.ingest.search_words import folded_words
from lineage.models import Node
from lineage.nodes.paging import DEFAULT_LIMIT, bounded, read_cursor, write_cursor
from lineage.nodes.search_exact import nodes_named
from lineage.nodes.search_items import FoundItem, items_of
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


@dataclass(frozen=True, slots=True)
class Found:
    """A page of what was found.

    `total` is how many were found in all. `kinds`: how many of each kind, whatever the filter by
    kind; `states`: of each state, whatever the filter by state. At most 200 of a kind are looked
    at; `more` names the kinds of which there may be others. `words`: the words asked for, folded,
    each with those it may be mistyped for. `exact`: uids of what the query names.
    """

    items: tuple[FoundItem, ...]
    next: str | None
    total: int
    kinds: Mapping[str, int] = field(default_factory=dict)
    states: Mapping[str, int] = field(default_factory=dict)
    more: frozenset[str] = frozenset()
    words: Meanings = ()
    exact: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Group:
    """What was found of one kind: the first items, and how many there are."""

    kind: str
    items: tuple[FoundItem, ...]
    total: int
    more: bool


@dataclass(slots=True)
class _Hits:
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

    def found(
        self,
        kept: Sequence[Node],
        items: tuple[FoundItem, ...],
        following: str | None,
        kind: str | None,
        state: str | None,
    ) -> Found:
        return Found(
            items,
            following,
            len(kept),
            Counter(node.kind for node in self.kept(None, state)),
            Counter(self.states[node.pk].word for node in self.kept(kind, None)),
            frozenset(self.more),
            self.words,
            frozenset(node.uid for node in self.nodes if node.pk in self.exact),
        )


def search(
    viewer: Viewer,
    q: str,
    kind: str | None = None,
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
    *,
    state: str | None = None,
    facets: bool = False,
) -> Found:
    """Nodes that the query names or whose words it begins, the best found first.

    Words of sources, creators, components and collections, and of questions and answers; each
    may be cut short after three letters. `state`: only nodes in it (active, withdrawn, current,
    review, stale). `facets`: count other kinds than the one asked for, too. A node that is hidden
    from the viewer is found by its whole uid only. Raises CursorInvalid.
    """
    after = None if cursor is None else read_cursor(cursor, str)[0]
    hits = _hits(viewer, q, None if facets and kind in KINDS else kind)
    kept = hits.kept(kind, state)
    # What the cursor names may be gone meanwhile: then nothing follows it.
    uids = [None, *(each.uid for each in kept)]
    start = uids.index(after) if after in uids else len(kept)
    page = kept[start : start + bounded(limit)]
    more = bool(page) and page[-1].pk != kept[-1].pk
    return hits.found(
        kept,
        items_of(viewer, page, hits.states, hits.words),
        write_cursor(page[-1].uid) if more else None,
        kind,
        state,
    )


def search_by_kind(
    viewer: Viewer, q: str, *, each: int, state: str | None = None
) -> tuple[Found, tuple[Group, ...]]:
    """What `search` finds, the first `each` of every kind; the `Found` holds what is named exactly."""
    hits = _hits(viewer, q, None)
    kept = hits.kept(None, state)
    named = [node for node in kept if node.pk in hits.exact][:each]
    by_kind: dict[str, list[Node]] = {kind: [] for kind in KINDS_BY_WORDS}
    for node in kept:
        if node.pk not in hits.exact:
            by_kind[node.kind].append(node)
    shown = [*named, *(node for nodes in by_kind.values() for node in nodes[:each])]
    items = items_of(viewer, shown, hits.states, hits.words)
    exact = tuple(item for item in items if item.uid in {node.uid for node in named})
    groups = tuple(
        Group(
            kind,
            tuple(item for item in items if item.kind == kind and item not in exact),
            len(nodes),
            kind in hits.more,
        )
        for kind, nodes in by_kind.items()
        if nodes
    )
    return hits.found(kept, exact, None, None, state), groups


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


def _hits(viewer: Viewer, q: str, kind: str | None) -> _Hits:
    """All that is found, at most 200 of a kind and 200 named exactly."""
    wanted = q.strip()[:_LONGEST_QUERY]
    if not wanted or (kind is not None and kind not in KINDS):
        return _Hits()
    named = nodes_named(viewer, wanted, kind)
    kinds = [each for each in KINDS_BY_WORDS if kind in (None, each)]
    meanings: Meanings = tuple((word,) for word in words_asked(wanted))
    more: set[str] = set()
    found = _found(viewer, kinds, meanings, more)
    mistyped: set[int] = set()
    if meanings and len(found) < _FEW:
        meant = meanings_of(viewer, [words[0] for words in meanings])
        if any(len(words) > 1 for words in meant):
            also = _found(viewer, kinds, meant, more)
            mistyped = set(also) - set(found)
            found, meanings = also, meant
    exact = {node.pk for node in named}
    nodes = _load(viewer, [pk for pk in found if pk not in exact])
    states = _states(viewer, [*named, *nodes])
    questions = _questions(viewer, nodes)
    seen = visible(viewer, named)
    kept = [
        node
        for node in named
        if node.uid == wanted or (seen[node.pk] and states[node.pk].erasure is None)
    ]
    ranks = {
        node.pk: Rank.MISTYPED if node.pk in mistyped else _rank(node, questions, meanings)
        for node in nodes
    }
    findable = _findable(viewer, nodes, states, questions, meanings)
    kept += sorted(findable, key=lambda node: (ranks[node.pk], -_happened(node), -node.pk))
    sources = {node.pk for node in kept if node.kind == "source"}
    # A version is found by its creators, as its source is: one of them is enough.
    kept = [n for n in kept if n.pk in exact or n.parent_id not in sources]
    return _Hits(kept, states, exact, more, meanings)


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
    rows = Node.objects.filter(workspace_id=viewer.workspace_id, pk__in=ids).order_by("-pk")
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
    title = questions.get(node.pk, "") if node.kind == "answer" else node.label
    words = folded_words(title)
    if all(any(word in words for word in several) for several in meanings):
        return Rank.TITLE
    return Rank.BEGINNING if _begun(words, meanings) else Rank.ELSEWHERE


def _happened(node: Node) -> float:
    """When, in seconds; unknown times before all others."""
    return node.occurred_at.timestamp() if node.occurred_at else float("-inf")


def _begun(words: Sequence[str], meanings: Meanings) -> bool:
    """Whether each word asked for, or one it may be mistyped for, begins one of these."""
    return all(
        any(word.startswith(begun) for word in words for begun in several) for several in meanings
    )
