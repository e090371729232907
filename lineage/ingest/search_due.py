"""The words of answers, looked up after the request that brought them: they are many.

An answer of 200 words has some 500 beginnings. Written with the request they would cost more
than all else that is written of it.
"""

from collections.abc import Sequence
from typing import Final

from lineage.compiled import by_their_ids
from lineage.content.passages import texts_and_fields
from lineage.ingest.search_rows import index_told, write_tokens
from lineage.ingest.search_tokens import Tokens
from lineage.ingest.search_words import WORDED, folded_words, write_words
from lineage.models import Node, SearchDue, SearchTerm, SearchToken
from lineage.models.turns import turn
from provexplorer.workspaces.models import Workspace

# Different words of a question and its answer that count, the first ones.
MOST_OF_AN_ANSWER: Final = 400
# Answers in one transaction: whoever sends records waits for it for some tens of milliseconds.
_BATCH: Final = 25
# Workspaces and batches of each in one run of the task; the next run takes the others.
_WORKSPACES: Final = 100
_BATCHES: Final = 40
_TERMS: Final = 1_000


def index_due() -> int:
    """Look up the words of answers that are due, some of every workspace; returns how many answers."""
    waiting = SearchDue.objects.order_by("workspace_id").values_list("workspace_id", flat=True)
    done = 0
    for workspace in Workspace.objects.filter(pk__in=list(waiting.distinct()[:_WORKSPACES])):
        for _ in range(_BATCHES):
            indexed = _index_some(workspace)
            done += indexed
            if indexed < _BATCH:
                break
    return done


def _index_some(workspace: Workspace) -> int:
    with turn(workspace.pk):
        due = SearchDue.objects.filter(workspace=workspace).order_by("node_id")
        ids = list(due.values_list("node_id", flat=True)[:_BATCH])
        nodes = by_their_ids(Node.objects.filter(pk__in=ids), workspace.pk).order_by("pk")
        _index(workspace, list(nodes))
        SearchDue.objects.filter(node_id__in=ids).delete()
    return len(ids)


def rebuild(workspace: Workspace) -> int:
    """Write anew what search looks up in a workspace, some nodes at a time; returns how many nodes.

    Others may read and write meanwhile. Idempotent; where it was interrupted it starts again.
    """
    done, last = 0, 0
    while True:
        with turn(workspace.pk):
            rows = Node.objects.filter(workspace=workspace, kind__in=WORDED, pk__gt=last)
            nodes = list(rows.order_by("pk")[: 4 * _BATCH])
            if not nodes:
                break
            _index(workspace, nodes)
        done, last = done + len(nodes), nodes[-1].pk
    _drop_unused_terms(workspace)
    return done


def _index(workspace: Workspace, nodes: Sequence[Node]) -> None:
    tokens = Tokens(workspace.hash_key)
    answers = [node for node in nodes if node.kind == "answer" and node.resolved]
    others = [node for node in nodes if node.kind != "answer"]
    texts, fields = texts_and_fields(answers, {"question": answers}, workspace=workspace)
    found = index_told(workspace, others, tokens) if others else {}
    # Words of questions that stand in the table of words from before they became numbers.
    write_words(workspace, {node.pk: () for node in answers})
    for node in answers:
        # What was erased meanwhile cannot be read, and leaves no words.
        said = f"{fields['question'].get(node.pk, '')}\n{texts.get(node.pk, '')}"
        found[node.pk] = tokens.of("answer", folded_words(said)[:MOST_OF_AN_ANSWER])
    write_tokens(workspace, found)


def _drop_unused_terms(workspace: Workspace) -> None:
    last = 0
    while True:
        with turn(workspace.pk):
            rows = SearchTerm.objects.filter(workspace=workspace, pk__gt=last).order_by("pk")
            terms = dict(rows.values_list("token", "pk")[:_TERMS])
            if not terms:
                return
            held = SearchToken.objects.filter(workspace=workspace, token__in=list(terms))
            kept = set(held.order_by("token").values_list("token", flat=True).distinct())
            unused = [pk for token, pk in terms.items() if token not in kept]
            SearchTerm.objects.filter(pk__in=unused).delete()
            last = max(terms.values())
