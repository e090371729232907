"""What search looks up follows the nodes: it comes with them, changes with them, and goes with them."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from lineage.content.keys import destroy_key
from lineage.formats.records import parse_record
from lineage.ingest.apply import apply_records
from lineage.ingest.search_due import index_due
from lineage.ingest.search_forget import forget_owned, forget_words
from lineage.ingest.search_terms import near_terms
from lineage.models import Node, SearchDue, SearchNear, SearchTerm, SearchToken, SearchWord
from lineage.nodes import search
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import LATER, record, send
from tests.nodes.world import ALPHA, answer, load, source, viewer

pytestmark = pytest.mark.django_db


def found(workspace: Workspace, q: str) -> set[str | None]:
    return {each.key for each in search(viewer(workspace), q).items}


def stored(workspace: Workspace) -> tuple[set[object], ...]:
    """Everything that search looks up, by what does not depend on the order of arrival."""
    return (
        set(SearchToken.objects.filter(workspace=workspace).values_list("token", "node__key")),
        set(SearchWord.objects.filter(workspace=workspace).values_list("word", "node__key")),
        set(SearchTerm.objects.filter(workspace=workspace).values_list("token", "word")),
        set(SearchNear.objects.filter(workspace=workspace).values_list("token", "term__word")),
    )


def derive(workspace: Workspace, records: list[dict[str, Any]]) -> None:
    """What one origin says now, and all that it says."""
    parsed = [parse_record(index, one) for index, one in enumerate(records)]
    apply_records(workspace, parsed, origin="one")


def terms(workspace: Workspace) -> set[str]:
    return set(SearchTerm.objects.filter(workspace=workspace).values_list("word", flat=True))


def test_no_word_of_a_question_or_an_answer_stands_in_clear(workspace: Workspace) -> None:
    load(workspace, source("s", ALPHA), answer("one", "s-c", question="Whose secret is it?"))
    index_due()
    assert found(workspace, "whose secret") == {"a-one"}
    assert {"whose", "secret", "alpha"} & terms(workspace) == set()
    words = SearchWord.objects.filter(workspace=workspace).values_list("word", flat=True)
    assert [word for word in words if word[0] not in "@!"] == []


def test_changed_title_is_found_by_its_new_words_alone(workspace: Workspace) -> None:
    send(workspace, [record("source", "s", title="Marshes", doi="10.1/a")])
    send(workspace, [record("source", "s", title="Meadows", doi="10.1/b", at=LATER)])
    assert found(workspace, "marshes") == found(workspace, "10.1/a") == set()
    assert found(workspace, "meadows") == found(workspace, "10.1/b") == {"s"}
    assert terms(workspace) == {"meadows"}
    assert near_terms(viewer(workspace), "marshs") == []


def test_records_sent_again_change_nothing(workspace: Workspace) -> None:
    records = [*source("s", ALPHA, title="Tidal marshes"), *answer("one", "s-c")]
    load(workspace, records)
    index_due()
    before, rows = stored(workspace), SearchToken.objects.count()
    load(workspace, records)
    index_due()
    assert (stored(workspace), SearchToken.objects.count()) == (before, rows)


def test_texts_of_answers_are_found_once_they_were_looked_up(workspace: Workspace) -> None:
    load(workspace, source("s", ALPHA), answer("one", "s-c", question="Which letters?"))
    assert found(workspace, "letters") == {"a-one"}
    assert found(workspace, "alpha") == set()
    assert index_due() == 1
    assert found(workspace, "alpha") == found(workspace, "letters alpha") == {"a-one"}
    assert (index_due(), SearchDue.objects.count()) == (0, 0)


def test_changed_answer_is_looked_up_anew(workspace: Workspace) -> None:
    sent = [record("answer", "a", text="Nothing.", question="First?")]
    send(workspace, sent)
    index_due()
    sent[0] |= {"question": "Second?", "occurred_at": LATER}
    send(workspace, sent)
    index_due()
    assert (found(workspace, "first"), found(workspace, "second nothing")) == (set(), {"a"})


def test_erasing_by_owner_takes_everything_and_nothing_else(workspace: Workspace) -> None:
    kept = [
        record("source", "k", title="Tidal meadows", doi="10.1/k"),
        record("answer", "b", text="Kept words."),
    ]
    send(workspace, kept)
    index_due()
    alone = stored(workspace)
    creators = [{"name": "Ana Silva", "orcid": "0000-0002"}]
    nodes = load(
        workspace,
        [record("source", "s", title="Tidal marshes", doi="10.1/a")],
        [record("source_version", "s@1", source="s", version="1", creators=creators)],
        [record("answer", "a", question="Whose secret?", text="Nobody's.")],
    )
    index_due()
    agents = [node.pk for node in nodes.values() if node.kind == "agent"]
    assert forget_owned(workspace.pk, [nodes["s"].pk, nodes["a"].pk, *agents]) == 3 + len(agents)
    assert stored(workspace) == alone
    for q in ("marshes", "10.1/a", "silva", "0000-0002", "secret", "nobody"):
        assert found(workspace, q) == set()
    assert found(workspace, nodes["s"].uid) == {"s"}


def test_answer_that_is_erased_before_it_was_looked_up_leaves_no_words(
    workspace: Workspace,
) -> None:
    (node,) = load(
        workspace, [record("answer", "a", question="Whose secret?", text="Mine.")]
    ).values()
    destroy_key(node.pk)
    forget_words(workspace.pk, [node.pk])
    assert SearchDue.objects.count() == 0
    # Were it due all the same, there would be nothing left to read.
    SearchDue.objects.create(workspace=workspace, node=node)
    index_due()
    assert SearchToken.objects.filter(workspace=workspace).count() == 0


def test_erasing_in_one_workspace_leaves_another_as_it_is(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="Other")
    records = [record("source", "s", title="Tidal marshes")]
    mine, theirs = load(workspace, records)["s"], load(other, records)["s"]
    before = stored(other)
    forget_owned(workspace.pk, [mine.pk, theirs.pk])
    forget_words(workspace.pk, [theirs.pk])
    assert stored(other) == before
    assert stored(workspace) == (set(), set(), set(), set())


def test_node_of_which_nothing_is_said_any_more_is_not_found(workspace: Workspace) -> None:
    derive(workspace, [record("source", "s", title="Tidal marshes", doi="10.1/a")])
    derive(workspace, [])
    assert stored(workspace) == (set(), set(), set(), set())


def test_rebuilding_writes_what_ingestion_wrote(workspace: Workspace) -> None:
    load(workspace, source("s", ALPHA, title="Tidal marshes", doi="10.1/a"), answer("one", "s-c"))
    index_due()
    before = stored(workspace)
    SearchToken.objects.filter(workspace=workspace).delete()
    SearchTerm.objects.filter(workspace=workspace).delete()
    node = Node.objects.get(workspace=workspace, key="a-one")
    SearchWord.objects.create(workspace=workspace, node=node, word="#earlier")
    SearchTerm.objects.create(workspace=workspace, token=1, word="orphaned")
    with Path(os.devnull).open("w") as nowhere:
        call_command("rebuild_search", workspace=workspace.slug, stdout=nowhere)
    assert stored(workspace) == before


def test_rebuilding_an_unknown_workspace_says_so() -> None:
    with pytest.raises(CommandError, match="no workspace 'nowhere'"):
        call_command("rebuild_search", workspace="nowhere")
