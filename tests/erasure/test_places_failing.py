"""Each place fails in turn: the text is unreadable all the same, the ledger says where, and it is made up for."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest

from lineage.cases import workflow
from lineage.cases.view import case_view
from lineage.content.keys import keys_of
from lineage.content.passages import texts_of
from lineage.erasure import partly, places, run
from lineage.erasure.begin import begin
from lineage.erasure.ledger import PLACES, open_places, view_of
from lineage.erasure.work import Work
from lineage.inbox.attempt import attempt
from lineage.inbox.keeping import body_of, keep
from lineage.models import Blob, Case, DataKey, Erasure, ErasurePlace
from lineage.types import GraphAway
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import answer, approved, node, record, run_to_end, send, undone, viewer
from tests.erasure.world import PASSAGE, QUOTING, SENTINEL, erased, made, world
from tests.faults.erased import left_of
from tests.faults.invariants import Filed, assert_invariants

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("graph"), pytest.mark.one_pair]


def _fails(error: type[Exception]) -> Callable[[Work], int]:
    def work(_: Work) -> int:
        raise error

    return work


def _due(case: Case) -> None:
    ErasurePlace.objects.filter(erasure_id=case.pk, next_at__isnull=False).update(
        next_at=clock.now() - timedelta(seconds=1)
    )


def test_each_place_in_turn(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    made(workspace)
    source = node(workspace, "source", "s1")
    for failing in PLACES:
        with undone(), monkeypatch.context() as patch:
            key = DataKey.objects.get(owner_id=source.pk)
            patch.setitem(places.WORK, failing, _fails(OSError))
            case = erased(workspace, ("source", "s1"))
            states = {one.name: (one.state, one.error) for one in view_of(case).places}
            assert states[failing] == ("failed", "OSError")
            # Ours that come after it are cleared; what looks at all of them waits.
            waiting = {"files", "probes"} if failing != "probes" else set()
            for name in set(PLACES) - {failing}:
                assert states[name] == (("pending" if name in waiting else "done"), "")
            if failing != "key":
                assert keys_of([source.pk]) == {}
            left = [name for name in PLACES if states[name][0] != "done"]
            assert open_places(case) == (left, True)
            # What its case makes of that is the same for each place.
            to_the_end = failing == "inbox"
            if to_the_end:
                short = run_to_end(case_view(viewer(workspace), case.uid))
                assert (short.state, short.counts["shortfall"]) == (
                    Case.State.INCOMPLETE,
                    {"code": "text_not_erased", "place": failing, "error": "OSError"},
                )
            patch.undo()
            patch.setitem(places.WORK, "files", lambda _work: 0)
            # Not before its time.
            run.erase(case.pk)
            assert view_of(case).state == "running"
            _due(case)
            assert run.erase(case.pk)
            assert view_of(case).state == "done"
            if to_the_end:
                ended = run_to_end(case_view(viewer(workspace), case.uid))
                assert (ended.state, ended.counts["shortfall"]) == (Case.State.VERIFIED, None)
                filed = Filed(case.uid, "erasure", (("source", "s1"),))
                assert_invariants(workspace, world(), [filed])
                assert left_of(SENTINEL, workspace) == []
            # Keys are not in the transaction that is undone.
            DataKey.objects.filter(owner_id=source.pk).delete()
            key.save(force_insert=True)


def test_an_answer_that_comes_when_theirs_are_cleared_is_masked_too(workspace: Workspace) -> None:
    made(workspace)
    case = Case.objects.get(uid=approved(workspace, "erasure", ("source", "s1")).uid)
    run.erase(case.pk, only=PLACES[: PLACES.index("probes")])
    late = answer("late", retrieved=["c1"], included=["c1"], cites=["c1"], sentence=QUOTING)
    assert {one.status for one in send(workspace, late)} == {"stored"}
    assert not run.erase(case.pk)
    found = {one.name: (one.state, one.error) for one in view_of(case).places}
    assert (found["probes"], found["answers"][0]) == (("failed", "text_found"), "pending")
    _due(case)
    assert run.erase(case.pk)
    assert left_of(SENTINEL, workspace) == []
    (text,) = texts_of([node(workspace, "answer", "late")]).values()
    assert text.startswith("As the source has it:")


def test_known_failures_have_names(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    made(workspace)
    monkeypatch.setitem(places.WORK, "graph", _fails(GraphAway))
    case = erased(workspace, ("source", "s1"))
    (graph,) = [one for one in view_of(case).places if one.name == "graph"]
    assert (graph.state, graph.error, graph.attempts) == ("failed", "graph_away", 1)
    assert graph.next_at is not None


def test_interrupted_between_the_new_key_and_the_old_one(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(workspace)
    source = node(workspace, "source", "s1")
    with monkeypatch.context() as patch:
        patch.setattr(partly, "take_next_keys", _stop)
        case = erased(workspace, ("chunk", "c1"))
    assert bytes(DataKey.objects.get(owner_id=source.pk).following) != b""
    # What stays can be read under either key.
    assert len(texts_of([node(workspace, "document", "s1-doc")])) == 1
    _due(case)
    assert run.erase(case.pk)
    assert bytes(DataKey.objects.get(owner_id=source.pk).following) == b""
    (left,) = texts_of([node(workspace, "document", "s1-doc")]).values()
    assert PASSAGE not in left
    assert left.startswith("Before it nothing of note.")


def _stop(_: object) -> None:
    raise OSError


def test_what_was_acknowledged_before_is_applied_first(workspace: Workspace) -> None:
    made(workspace)
    body = json.dumps({"records": world()}).encode()
    row = keep(
        workspace, format="native", media_type="application/json", body=body, packed=None,
        key_id=None, idempotency="", digest="",
    )  # fmt: skip
    case = erased(workspace, ("source", "s1"))
    states = {one.name: (one.state, one.error) for one in view_of(case).places}
    assert states["inbox"] == states["answers"] == ("failed", "payloads_waiting")
    assert body_of(workspace, row.pk) == body
    result = attempt(workspace, row, body)
    assert result is not None
    assert {one.status for one in result.outcomes} == {"rejected", "unchanged"}
    assert body_of(workspace, row.pk) is None
    _due(case)
    assert run.erase(case.pk)


def test_what_is_left_stays_as_it_is_when_others_change(workspace: Workspace) -> None:
    """Records that come later touch what is beside it: neither its address nor the masks move."""
    made(workspace)
    keys = (("document", "s1-doc"), ("chunk", "c1"), ("chunk", "c1b"), ("answer", "quotes"))
    uids = {key: node(workspace, kind, key).uid for kind, key in keys}
    case = erased(workspace, ("chunk", "c1"))
    before = texts_of([node(workspace, kind, key) for kind, key in keys])
    later = [
        record("source_version", "s1@1", source="s1", version="2", published_at="2025-02-01"),
        record("document", "s1-doc", source_version="s1@1", language="en"),
        record("answer", "quotes", text=QUOTING + " [1]", question="What was it?"),
        record("chunk", "c1b", document="s1-doc", interval={"start": 0, "end": 26}, index=3),
    ]
    for one in later:
        one["occurred_at"] = "2026-05-01T10:00:00Z"
    assert {one.status for one in send(workspace, later)} == {"stored"}
    assert {key: node(workspace, kind, key).uid for kind, key in keys} == uids
    assert texts_of([node(workspace, kind, key) for kind, key in keys]) == before
    assert node(workspace, "document", "s1-doc").fields["language"] == "en"
    states = {one.name: one.state for one in view_of(case).places}
    assert set(states.values()) == {"done"}


def test_a_second_process_leaves_it_alone(workspace: Workspace) -> None:
    made(workspace)
    case = Case.objects.get(uid=approved(workspace, "erasure", ("source", "s1")).uid)
    begin(case.pk)
    Erasure.objects.filter(pk=case.pk).update(lease_until=clock.now() + timedelta(minutes=1))
    assert not run.erase(case.pk)
    assert {one.attempts for one in view_of(case).places} == {0}
    assert Blob.objects.filter(owner_id=node(workspace, "source", "s1").pk).exists()


def test_approving_destroys_the_key_at_once(workspace: Workspace) -> None:
    made(workspace)
    source = node(workspace, "source", "s1")
    case = approved(workspace, "erasure", ("source", "s1"))
    assert keys_of([source.pk]) != {}
    run.begin_now(viewer(workspace), case.uid)
    assert keys_of([source.pk]) == {}
    states = {one.name: one.state for one in view_of(Case.objects.get(uid=case.uid)).places}
    assert states == dict.fromkeys(PLACES, "pending") | {"key": "done"}
    # Whoever sweeps takes it up where nobody has been told.
    assert run.sweep() == 1


def test_approving_waits_for_the_process_that_has_the_key_in_hand(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(workspace)
    source = node(workspace, "source", "s1")
    case = Case.objects.get(uid=approved(workspace, "erasure", ("source", "s1")).uid)
    begin(case.pk)
    Erasure.objects.filter(pk=case.pk).update(lease_until=clock.now() + timedelta(minutes=1))

    def meanwhile(_seconds: float) -> None:
        assert keys_of([source.pk]) != {}
        Erasure.objects.filter(pk=case.pk).update(lease_until=None)
        run.erase(case.pk, only=("key",))

    monkeypatch.setattr("time.sleep", meanwhile)
    run.begin_now(viewer(workspace), case.uid)
    assert keys_of([source.pk]) == {}


def test_what_is_reinstated_may_be_sent_again(workspace: Workspace) -> None:
    made(workspace)
    case = erased(workspace, ("source", "s1"))
    run_to_end(case_view(viewer(workspace), case.uid))
    workflow.reinstate(viewer(workspace), case.uid, reason="It was the wrong one.")
    assert run.sweep() == 1
    assert texts_of([node(workspace, "chunk", "c1")]) == {}
    assert {one.status for one in send(workspace, world()[:5])} <= {"stored", "unchanged"}
    assert view_of(case).lifted_at is not None
