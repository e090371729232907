"""Which nodes have all of some words: few look-ups by number, however many nodes there are.

For each kind by itself. A word that fewer than 2,000 nodes have is read whole; of words that
are all commoner, the newest 5,000 nodes of one are asked for the others.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from lineage.compiled import Compiled
from lineage.ingest.search_terms import near_terms
from lineage.ingest.search_tokens import beginning_token, shortest
from lineage.ingest.search_words import folded_words
from lineage.models import SearchToken
from lineage.types import Viewer

# Kinds that are found by words, in the order of groups.
KINDS_BY_WORDS: Final = (
    "answer", "source", "agent", "component", "index_snapshot", "source_version",
)  # fmt: skip
MOST_WORDS: Final = 8
_READ_WHOLE: Final = 2_000
_NEWEST_READ: Final = 5_000
_CHUNK: Final = 1_000
# Ids that lie this close, on average, are asked for as a range: two values instead of a thousand.
_CLOSE: Final = 8


def _newest(most: int) -> Compiled[SearchToken]:
    """The newest nodes that have a token, at most so many: as many entries of an index are read."""
    return Compiled(
        lambda given: (
            SearchToken.objects.filter(workspace_id=given.id("workspace"), token=given.id("token"))
            .order_by("-node_id")
            .values_list("node_id")[:most]
        )
    )


_HAVING = _newest(_READ_WHOLE)
_HAVING_MORE: Final = _newest(_NEWEST_READ)
_AMONG: Final = Compiled(
    lambda given: SearchToken.objects.filter(
        workspace_id=given.id("workspace"),
        token=given.id("token"),
        node_id__in=given.ids("nodes"),
    ).values_list("node_id")
)

_BETWEEN: Final = Compiled(
    lambda given: SearchToken.objects.filter(
        workspace_id=given.id("workspace"),
        token=given.id("token"),
        node_id__gte=given.id("first"),
        node_id__lte=given.id("last"),
    ).values_list("node_id")
)

# What a word of the question may mean: itself, or words that it is mistyped for.
Meanings = Sequence[Sequence[str]]


def words_asked(q: str) -> list[str]:
    """The words of a query, folded, each once; the first eight."""
    return folded_words(q)[:MOST_WORDS]


def too_short(words: Sequence[str]) -> bool:
    """Whether no word is long enough for its beginning to be looked up."""
    return all(len(word) < shortest(word) for word in words)


def meanings_of(viewer: Viewer, words: Sequence[str]) -> Meanings:
    """Each word with those that it may be mistyped for."""
    return tuple((word, *near_terms(viewer, word)) for word in words)


def nodes_with(viewer: Viewer, kind: str, meanings: Meanings, most: int) -> list[int]:
    """Ids of nodes of a kind that have, of each word, a beginning; the newest first, at most so many."""
    if not meanings:
        return []
    asked = [
        [beginning_token(viewer.hash_key, kind, word) for word in several]
        # The longest is likely the rarest: where it is missing nothing else is read.
        for several in sorted(meanings, key=lambda several: -len(several[0]))
    ]
    whole: set[int] | None = None
    common: list[list[int]] = []
    newest: list[int] = []
    for tokens in asked:
        parts = [_ids(_HAVING, viewer, token) for token in tokens]
        found = {pk for part in parts for pk in part}
        if not found:
            return []
        if any(len(part) == _READ_WHOLE for part in parts):
            common.append(tokens)
            newest = newest or sorted(found, reverse=True)
        else:
            whole = found if whole is None else whole & found
            if not whole:
                return []
    if whole is not None:
        return list(islice(_having(viewer, sorted(whole, reverse=True), common), most))
    if len(common) == 1:
        return newest[:most]
    parts = [_ids(_HAVING_MORE, viewer, token) for token in common[0]]
    first = sorted({pk for part in parts for pk in part}, reverse=True)[:_NEWEST_READ]
    return list(islice(_having(viewer, first, common[1:]), most))


def _having(viewer: Viewer, ids: Sequence[int], asked: Sequence[Sequence[int]]) -> Iterator[int]:
    """Those of the ids that have each word, in their order; read only as far as they are asked for."""
    for start in range(0, len(ids), _CHUNK):
        left = list(ids[start : start + _CHUNK])
        for tokens in asked:
            if not left:
                break
            have = {pk for token in tokens for pk in _of(viewer, token, left)}
            left = [pk for pk in left if pk in have]
        yield from left


def _of(viewer: Viewer, token: int, ids: list[int]) -> list[int]:
    """Those of the ids that have the token, perhaps with others between them."""
    first, last = min(ids), max(ids)
    if last - first < _CLOSE * len(ids):
        return _ids(_BETWEEN, viewer, token, first=first, last=last)
    return _ids(_AMONG, viewer, token, nodes=ids)


def _ids(
    read: Compiled[SearchToken], viewer: Viewer, token: int, **more: int | list[int]
) -> list[int]:
    return [pk for (pk,) in read.rows(workspace=viewer.workspace_id, token=token, **more)]
