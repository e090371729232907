"""The words of titles and names in clear, each once a workspace: what a typing error may have meant."""

from collections.abc import Collection, Mapping
from typing import Final

from rapidfuzz.distance import OSA

from lineage import bulk_rows
from lineage.ingest.keys import in_chunks
from lineage.ingest.search_tokens import TWO_ERRORS, is_term, near_tokens, start_token, term_token
from lineage.models import SearchNear, SearchTerm, SearchToken
from lineage.types import Viewer
from provexplorer.workspaces.models import Workspace

# Words that are compared with a mistyped one: those one error away, those of like beginning and length.
_MOST_NEAR: Final = 500
_MOST_LIKE: Final = 20_000
# Of them, those that are searched for.
MOST_MEANT: Final = 8


def note_terms(workspace: Workspace, words: Mapping[int, str]) -> None:
    """Keep words by their tokens (term_token); one look-up, and two inserts where any is new."""
    there: set[int] = set()
    for some in in_chunks(list(words)):
        rows = SearchTerm.objects.filter(workspace=workspace, token__in=some)
        there.update(rows.values_list("token", flat=True))
    new = [(workspace.pk, token, word) for token, word in words.items() if token not in there]
    if not new:
        return
    key = workspace.hash_key
    ids = bulk_rows.insert_numbered(SearchTerm, ("workspace_id", "token", "word"), new)
    near = []
    for pk, (_, _, word) in zip(ids, new, strict=True):
        tokens = near_tokens(key, word)
        if len(word) >= TWO_ERRORS:
            tokens.add(start_token(key, word[0], len(word)))
        near += [(workspace.pk, token, pk) for token in tokens]
    bulk_rows.insert(SearchNear, ("workspace_id", "token", "term_id"), near)


def terms_of(key: bytes, words: Collection[str]) -> dict[int, str]:
    """Those of the words that errors may be seen through, by their tokens."""
    return {term_token(key, word): word for word in words if is_term(word)}


def forget_terms(workspace_id: int, tokens: Collection[int]) -> None:
    """Delete those of the terms that no node has any more; other tokens may be among them."""
    for some in in_chunks(tokens):
        terms = SearchTerm.objects.filter(workspace_id=workspace_id, token__in=some)
        asked = dict(terms.order_by("pk").values_list("token", "pk"))
        if not asked:
            continue
        held = SearchToken.objects.filter(workspace_id=workspace_id, token__in=list(asked))
        kept = set(held.order_by("token").values_list("token", flat=True).distinct())
        SearchTerm.objects.filter(pk__in=[asked[each] for each in asked.keys() - kept]).delete()


def near_terms(viewer: Viewer, word: str) -> list[str]:
    """The terms that a mistyped word may mean, the nearest first; at most eight, without itself.

    Every term that one error makes the word (a letter put in, left out, changed, or swapped with
    the next); of words of eight letters or more, also those of two errors that begin with the
    same letter, among the first 20,000 of like length.
    """
    if not is_term(word):
        return []
    key = viewer.hash_key
    rows = SearchNear.objects.filter(workspace_id=viewer.workspace_id)
    rows = rows.order_by("token", "term_id")
    near = rows.filter(token__in=near_tokens(key, word))
    found = set(near.values_list("term__word", flat=True)[:_MOST_NEAR])
    errors = 1
    if len(word) >= TWO_ERRORS:
        errors = 2
        lengths = range(len(word) - errors, len(word) + errors + 1)
        like = rows.filter(token__in=[start_token(key, word[0], length) for length in lengths])
        found.update(like.values_list("term__word", flat=True)[:_MOST_LIKE])
    found.discard(word)
    distances = ((OSA.distance(word, term, score_cutoff=errors), term) for term in found)
    return [term for distance, term in sorted(distances) if distance <= errors][:MOST_MEANT]
