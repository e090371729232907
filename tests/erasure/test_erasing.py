"""What an erasure takes and what it leaves, on real stores."""

import json

import pytest

from lineage.cases.view import CaseView, case_view
from lineage.content.keys import keys_of
from lineage.content.passages import field_text, texts_of
from lineage.content.tombstones import ERASED
from lineage.erasure import probes, quoting
from lineage.erasure.begin import begin
from lineage.erasure.ledger import PLACES, view_of
from lineage.erasure.run import erase
from lineage.erasure.windows import Spans
from lineage.models import Blob, Case, DataKey, ErasedNode, Erasure, ErasurePlace, Node, Sighting
from lineage.nodes.view import node as node_view
from lineage.types import Erased
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import node, record, run_to_end, send, viewer
from tests.erasure.world import (
    AT,
    OTHER,
    PASSAGE,
    QUOTING,
    SENTINEL,
    TEXT,
    TITLE_SENTINEL,
    erased,
    made,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("graph")]


def _clear_text(workspace: Workspace) -> str:
    """All that stands of nodes and records in clear."""
    nodes = Node.objects.filter(workspace=workspace).values_list(
        "key", "label", "fields", "attributes"
    )
    seen = Sighting.objects.filter(workspace=workspace).values_list("fields", "attributes")
    return json.dumps([list(nodes), list(seen)])


def test_a_whole_source_goes(workspace: Workspace) -> None:
    made(workspace)
    source, chunk = node(workspace, "source", "s1"), node(workspace, "chunk", "c1")
    document = node(workspace, "document", "s1-doc")
    assert texts_of([chunk, document]) == {chunk.pk: PASSAGE, document.pk: TEXT}

    case = erased(workspace, ("source", "s1"))

    view = view_of(case)
    assert [(one.name, one.state, one.error) for one in view.places] == [
        (name, "done", "") for name in PLACES
    ]
    assert [(one.name, one.found) for one in view.probes] == [
        ("by_id", 0), ("by_key", 0), ("by_digest", 0), ("by_window", 0), ("by_notice", 0),
        ("by_file", 0),
    ]  # fmt: skip
    assert (view.state, view.tombstones) == ("done", 5)
    assert keys_of([source.pk]) == {}
    assert not Blob.objects.filter(owner_id=source.pk).exists()
    # The shape stays, under the same uids; of the content there is no digest any more.
    for before in (source, chunk, document):
        after = Node.objects.get(pk=before.pk)
        assert (after.uid, after.kind, after.start, after.end) == (
            before.uid, before.kind, before.start, before.end,
        )  # fmt: skip
        assert after.digest == "" or after.digest.startswith(ERASED)
        with pytest.raises(Erased) as raised:
            node_view(viewer(workspace), before.uid)
        assert (raised.value.case_uid, raised.value.reason) == (case.uid, "erasure")
    assert texts_of([Node.objects.get(pk=chunk.pk), Node.objects.get(pk=document.pk)]) == {}
    # Others' texts are as they were.
    other = node(workspace, "answer", "other")
    assert texts_of([node(workspace, "chunk", "c2"), other]) == {
        node(workspace, "chunk", "c2").pk: OTHER, other.pk: OTHER + " [1]",
    }  # fmt: skip
    # Nobody asked for what describes it.
    assert TITLE_SENTINEL in _clear_text(workspace)


def test_dependent_answers_keep_all_but_what_they_repeat(workspace: Workspace) -> None:
    made(workspace)
    before = node(workspace, "answer", "quotes")
    erased(workspace, ("source", "s1"))

    answer = Node.objects.get(pk=before.pk)
    # With the blanks around it, which the source has, too.
    masked = QUOTING.replace(f" {PASSAGE} ", "█" * (len(PASSAGE) + 2)) + " [1]"
    assert texts_of([answer]) == {answer.pk: masked}
    assert field_text([answer], "question") == {answer.pk: "What?"}
    assert (answer.uid, answer.digest[:7]) == (before.uid, ERASED)
    claim = node(workspace, "claim", "claim-quotes")
    assert texts_of([claim]) == {claim.pk: masked.removesuffix(" [1]")}


def test_what_describes_it_goes_where_asked_for(workspace: Workspace) -> None:
    made(workspace)
    source = node(workspace, "source", "s1")
    erased(workspace, ("source", "s1"), describing=True)
    clear = _clear_text(workspace)
    assert TITLE_SENTINEL not in clear
    assert [name for name in ('"s1"', "s1-doc", '"c1"') if name in clear] == []
    after = Node.objects.get(pk=source.pk)
    assert (after.key, after.label, after.uid) == ("", "", source.uid)
    assert '"c2"' in clear


def test_a_passage_goes_and_its_document_stays(workspace: Workspace) -> None:
    made(workspace)
    document, beside = node(workspace, "document", "s1-doc"), node(workspace, "chunk", "c1b")
    source, chunk = node(workspace, "source", "s1"), node(workspace, "chunk", "c1")
    key_before = bytes(_key(source.pk).wrapped)
    case = erased(workspace, ("chunk", "c1"))

    assert view_of(case).state == "done"
    assert set(ErasedNode.objects.filter(erasure_id=case.pk).values_list("uid", flat=True)) == {
        chunk.uid
    }
    after = Node.objects.get(pk=document.pk)
    masked = TEXT[: AT[0]] + "█" * len(PASSAGE) + TEXT[AT[1] :]
    assert texts_of([after, beside]) == {document.pk: masked, beside.pk: TEXT[0:26]}
    assert (after.uid, after.digest[:7]) == (document.uid, ERASED)
    # The key that opened the old text is gone; the new one opens what stayed.
    assert bytes(_key(source.pk).wrapped) != key_before
    assert bytes(_key(source.pk).following) == b""
    with pytest.raises(Erased):
        node_view(viewer(workspace), chunk.uid)
    assert node_view(viewer(workspace), document.uid).fields["text"] == masked


def test_a_version_goes_and_another_of_the_same_words_stays(workspace: Workspace) -> None:
    made(workspace)
    send(workspace, [
        record("source_version", "s1@2", source="s1", published_at="2025-06-01"),
        record("document", "s1-doc2", source_version="s1@2", text=TEXT + " More."),
        record("chunk", "c9", document="s1-doc2", interval={"start": AT[0], "end": AT[1]}),
    ])  # fmt: skip
    erased(workspace, ("source_version", "s1@1"))
    living, chunk = node(workspace, "document", "s1-doc2"), node(workspace, "chunk", "c9")
    assert texts_of([living, chunk]) == {living.pk: TEXT + " More.", chunk.pk: PASSAGE}
    assert texts_of([node(workspace, "document", "s1-doc"), node(workspace, "chunk", "c1")]) == {}


def test_the_case_waits_for_it_and_is_verified_then(workspace: Workspace) -> None:
    made(workspace)
    case = erased(workspace, ("source", "s1"))
    ended = run_to_end(_view(case))
    assert (ended.state, ended.counts["shortfall"]) == (Case.State.VERIFIED, None)


def test_done_again_nothing_changes(workspace: Workspace) -> None:
    made(workspace)
    case = erased(workspace, ("source", "s1"))
    before = _clear_text(workspace)
    assert begin(case.pk) is not None
    erase(case.pk)
    assert _clear_text(workspace) == before
    assert view_of(case).tombstones == 5
    assert SENTINEL not in before


def test_probes_look_at_everything_and_go_on_where_they_were_interrupted(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than one batch of each; one that dies in the middle looks at the rest alone."""
    made(workspace)
    monkeypatch.setattr(probes, "_AT_ONCE", 1)
    real = quoting.told_by
    asked: list[int] = []

    def dies_at_the_second(erasure: Erasure, ids: list[int], repeated: Spans) -> dict[int, Spans]:
        asked.extend(ids)
        if len(asked) == 2:
            raise OSError
        return dict(real(erasure, ids, repeated))

    monkeypatch.setattr(probes, "told_by", dies_at_the_second)
    case = erased(workspace, ("source", "s1"))
    assert view_of(case).state == "running"
    ErasurePlace.objects.filter(erasure_id=case.pk, name="probes").update(next_at=clock.now())
    assert erase(case.pk)
    rests = {pk for one in ("answer", "retrieval", "context") for pk in _owners(workspace, one)}
    assert len(rests) > 1
    assert asked == [*sorted(rests)[:2], *sorted(rests)[1:]]
    looked = {one.name: (one.looked_at, one.found) for one in view_of(case).probes}
    assert looked["by_window"] == (len(rests), 0)
    assert looked["by_id"] == looked["by_digest"] == (5, 0)


def _owners(workspace: Workspace, kind: str) -> set[int]:
    """Those of this kind that hold what was erased, and whose own key their texts lie under."""
    key = {"answer": "quotes", "retrieval": "ret-quotes", "context": "ctx-quotes"}[kind]
    found = node(workspace, kind, key)
    return {found.owner_id or found.pk}


def _view(case: Case) -> CaseView:
    return case_view(viewer(case.workspace), case.uid)


def _key(owner_id: int) -> DataKey:
    return DataKey.objects.get(owner_id=owner_id)
