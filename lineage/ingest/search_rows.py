"""Writes what search looks up, with the change of the nodes that it is about."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from lineage import bulk_rows
from lineage.compiled import by_their_ids
from lineage.content.passages import digest_of
from lineage.ingest.keys import in_chunks
from lineage.ingest.search_terms import forget_terms, note_terms, terms_of
from lineage.ingest.search_tokens import Tokens
from lineage.ingest.search_words import (
    MOST_WORDS,
    TOLD,
    WORDED,
    folded_words,
    identifiers_of,
    notice_words,
    title_word,
    words_of,
    write_words,
)
from lineage.ingest.touched import Touched
from lineage.models import Node, SearchDue, SearchToken
from provexplorer.workspaces.models import Workspace


def note_words(workspace: Workspace, touched: Touched, texts: Mapping[str, str]) -> None:
    """Bring what search looks up in line with the changed nodes; `texts`: the request's, by digest.

    A new answer is found by its question at once and by its text once `search_due.index_due`
    has come to it, which also follows what has changed of an answer.
    """
    nodes = [
        node
        for pk in sorted(touched.changed)
        if (node := touched.nodes.get(pk)) is not None and node.kind in WORDED
    ]
    # Of an answer the text may be another, too.
    told = [node for node in nodes if node.kind in TOLD and node.pk in touched.said_anew]
    answers = [node for node in nodes if node.kind == "answer"]
    tokens = Tokens(workspace.hash_key)
    found = index_told(workspace, told, tokens, new=touched.new)
    for node in answers:
        question = texts.get(digest_of(node.fields.get("question")))
        if question and node.pk in touched.new:
            found[node.pk] = tokens.of("answer", folded_words(question)[:MOST_WORDS])
    write_tokens(workspace, found, new=touched.new)
    bulk_rows.insert(
        SearchDue,
        ("node_id", "workspace_id"),
        [(node.pk, workspace.pk) for node in answers],
        unless_there=True,
    )


def index_told(
    workspace: Workspace,
    nodes: Sequence[Node],
    tokens: Tokens,
    *,
    new: Collection[int] = frozenset(),
) -> dict[int, set[int]]:
    """Write identifiers and terms of nodes that are told by their metadata; gives their tokens."""
    key = workspace.hash_key
    exact: dict[int, set[str]] = {}
    found: dict[int, set[int]] = {}
    terms: dict[int, str] = {}
    for node in nodes:
        exact[node.pk] = identifiers_of(node.kind, node.fields, key)
        if node.kind == "source":
            exact[node.pk] |= notice_words(node.fields, node.attributes, key)
            if titled := title_word(node.fields.get("title"), key):
                exact[node.pk].add(titled)
        words = words_of(node.kind, node.fields)
        own = terms_of(key, words)
        terms |= own
        found[node.pk] = tokens.of(node.kind, words) | own.keys()
    write_words(workspace, exact, new=new)
    if terms:
        note_terms(workspace, terms)
    return found


def write_tokens(
    workspace: Workspace,
    node_tokens: Mapping[int, Collection[int]],
    *,
    new: Collection[int] = frozenset(),
) -> None:
    """Make these the tokens of the nodes, by node id; the same again changes nothing.

    `new` are nodes made in the caller's transaction, which have none yet. Whoever calls has the
    workspace's turn: no constraint stops a row from being written twice.
    """
    rows = [
        (workspace.pk, token, pk)
        for pk, tokens in node_tokens.items()
        if pk in new
        for token in tokens
    ]
    others = {pk: set(tokens) for pk, tokens in node_tokens.items() if pk not in new}
    for some in in_chunks(others):
        known: dict[int, set[int]] = defaultdict(set)
        there = by_their_ids(SearchToken.objects.filter(node_id__in=some), workspace.pk)
        for pk, token in there.values_list("node_id", "token"):
            known[pk].add(token)
        for pk in some:
            rows += [(workspace.pk, token, pk) for token in others[pk] - known[pk]]
            if gone := known[pk] - others[pk]:
                _delete(workspace.pk, pk, gone)
    # In the order of the index, into which they then go a third faster.
    rows.sort()
    bulk_rows.insert(SearchToken, ("workspace_id", "token", "node_id"), rows)


def _delete(workspace_id: int, node_id: int, tokens: Collection[int]) -> None:
    for some in in_chunks(tokens):
        SearchToken.objects.filter(
            workspace_id=workspace_id, token__in=some, node_id=node_id
        ).delete()
    forget_terms(workspace_id, tokens)
