"""Find nodes by uid, key, identifier or words; what is hidden is not found by its hidden words.

What is meant exactly comes first, then what has all words in its title, then what has their
beginnings there, then what has them elsewhere (creators, the text of an answer), and last what
has words that the query may be mistyped for. Within each the newest first.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from lineage.models import Node
from lineage.nodes.paging import DEFAULT_LIMIT, bounded, read_cursor, write_cursor
from lineage.nodes.search_hits import Hits, found_of_kind, having_words, hits_of
from lineage.nodes.search_items import FoundItem, items_of
from lineage.nodes.search_matches import Meanings
from lineage.types import Viewer
from lineage.vocabulary import KINDS

__all__ = ["Found", "Group", "found_of_kind", "having_words", "search", "search_by_kind"]


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
    hits = hits_of(viewer, q, None if facets and kind in KINDS else kind)
    kept = hits.kept(kind, state)
    # What the cursor names may be gone meanwhile: then nothing follows it.
    uids = [None, *(each.uid for each in kept)]
    start = uids.index(after) if after in uids else len(kept)
    page = kept[start : start + bounded(limit)]
    more = bool(page) and page[-1].pk != kept[-1].pk
    return _page(
        hits,
        items_of(viewer, page, hits.states, hits.words),
        write_cursor(page[-1].uid) if more else None,
        kind,
        state,
    )


def search_by_kind(
    viewer: Viewer, q: str, *, each: int, state: str | None = None
) -> tuple[Found, tuple[Group, ...]]:
    """What `search` finds, the first `each` of every kind; the `Found` holds what is named exactly.

    The kind with the best hit comes first.
    """
    hits = hits_of(viewer, q, None)
    kept = hits.kept(None, state)
    named = [node for node in kept if node.pk in hits.exact][:each]
    by_kind: dict[str, list[Node]] = {}
    for node in kept:
        if node.pk not in hits.exact:
            by_kind.setdefault(node.kind, []).append(node)
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
    )
    return _page(hits, exact, None, None, state), groups


def _page(
    hits: Hits,
    items: tuple[FoundItem, ...],
    following: str | None,
    kind: str | None,
    state: str | None,
) -> Found:
    return Found(
        items,
        following,
        len(hits.kept(kind, state)),
        Counter(node.kind for node in hits.kept(None, state)),
        Counter(hits.states[node.pk].word for node in hits.kept(kind, None)),
        frozenset(hits.more),
        hits.words,
        frozenset(node.uid for node in hits.nodes if node.pk in hits.exact),
    )
