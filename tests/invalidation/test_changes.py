"""What has become of answers: each change kept once, in order, listed by a cursor, told outside in batches."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.db import transaction

from lineage.cases import propagate, workflow
from lineage.cases.errors import ScopeMissing
from lineage.invalidation import announce, changes
from lineage.invalidation.feed import Change, changes_since
from lineage.models import AnswerChange, Case, ChangeSequence, Node, WebhookDelivery
from lineage.nodes.paging import CursorInvalid, write_cursor
from lineage.webhooks import addresses, events
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import (
    answer,
    approved,
    drafted,
    node,
    record,
    row,
    run_to_end,
    send,
    states,
    viewer,
    world,
)

pytestmark = pytest.mark.django_db
SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "webhooks"


@pytest.fixture
def loaded(workspace: Workspace) -> Workspace:
    send(workspace, world())
    return workspace


def kept(workspace: Workspace) -> list[tuple[int, str, str]]:
    rows = AnswerChange.objects.filter(workspace=workspace).order_by("sequence")
    return [(each.sequence, each.answer.key, each.became) for each in rows]


def every(workspace: Workspace, limit: int = 50) -> list[Change]:
    """All changes, page by page."""
    found: list[Change] = []
    cursor = None
    while True:
        page = changes_since(viewer(workspace), cursor, limit=limit)
        found += page.items
        cursor = page.cursor
        if not page.more:
            return found


def told(hook: str) -> list[tuple[str, list[str]]]:
    """Type of each delivery and the keys of the answers that it names."""
    rows = WebhookDelivery.objects.filter(webhook__uid=hook, type__startswith="answer.").order_by(
        "pk"
    )
    return [
        (row.type, [Node.objects.get(uid=one["answer"]).key for one in row.body["data"]["answers"]])
        for row in rows
    ]


def hook_of(workspace: Workspace, *types: str) -> str:
    return addresses.make(viewer(workspace), url="https://example.org/", types=types or None)[0]


# --- what is kept -----------------------------------------------------------------------


def test_a_case_leaves_one_change_for_each_answer_whose_state_it_changes(loaded: Workspace) -> None:
    case = approved(loaded, "correction", ("source", "s1"))
    assert kept(loaded) == []
    run_to_end(case)
    run_to_end(case)
    assert sorted(each[1:] for each in kept(loaded)) == [("cites", "stale"), ("context", "review")]
    assert [each[0] for each in kept(loaded)] == [1, 2]
    assert {each.case for each in every(loaded)} == {case.uid}


def test_the_same_work_done_again_keeps_nothing_more(loaded: Workspace) -> None:
    run_to_end(approved(loaded, "retraction", ("source", "s1")))
    before = kept(loaded)
    ids = list(Node.objects.filter(workspace=loaded, kind="answer").values_list("pk", flat=True))
    assert changes.note_states(loaded.pk, ids) == 0
    assert kept(loaded) == before


def test_of_two_cases_only_what_they_come_to_together_is_kept(loaded: Workspace) -> None:
    first = approved(loaded, "retraction", ("source", "s1"))
    run_to_end(first)
    second = approved(loaded, "concern", ("source", "s1"))
    run_to_end(second)
    assert len(kept(loaded)) == 2
    workflow.reinstate(viewer(loaded), first.uid)
    lifting = first.uid
    for each in row(first).reinstatements.all():
        propagate.propagate(each.pk)
    # Stale by the retraction, then under review by the concern that is left.
    assert {each[1:] for each in kept(loaded)[2:]} == {("cites", "review"), ("context", "current")}
    assert {(each.became, each.case) for each in every(loaded)[2:]} == {
        ("review", second.uid), ("current", None),
    }  # fmt: skip
    assert lifting not in {each.case for each in every(loaded)[2:]}


def test_what_is_rolled_back_was_never_kept(loaded: Workspace) -> None:
    run_to_end(approved(loaded, "retraction", ("source", "s1")))
    AnswerChange.objects.filter(workspace=loaded).delete()
    ids = list(Node.objects.filter(workspace=loaded, kind="answer").values_list("pk", flat=True))
    with transaction.atomic():
        assert changes.note_states(loaded.pk, ids) == 2
        transaction.set_rollback(True)
    assert kept(loaded) == []
    assert changes.note_states(loaded.pk, ids) == 2
    # The numbers that were given before are not given again.
    assert [each[0] for each in kept(loaded)] == [3, 4]


def test_an_answer_that_is_born_stale_is_among_the_changes(loaded: Workspace) -> None:
    run_to_end(approved(loaded, "retraction", ("source", "s1")))
    send(loaded, answer("late", retrieved=["c1"], included=["c1"], cites=["c1"]))
    assert kept(loaded)[2][1:] == ("late", "stale")
    assert [each.born for each in every(loaded)] == [False, False, True]


# --- the list ---------------------------------------------------------------------------


def test_a_cursor_goes_on_where_it_was_whatever_comes_in_between(loaded: Workspace) -> None:
    start = changes_since(viewer(loaded))
    assert (start.items, start.more) == ((), False)
    run_to_end(approved(loaded, "retraction", ("source", "s1")))
    first = changes_since(viewer(loaded), start.cursor, limit=1)
    assert (len(first.items), first.more) == (1, True)
    send(loaded, answer("late", retrieved=["c1"], included=["c1"], cites=["c1"]))
    rest = changes_since(viewer(loaded), first.cursor)
    assert [each.sequence for each in (*first.items, *rest.items)] == [1, 2, 3]
    assert changes_since(viewer(loaded), rest.cursor) == changes_since(viewer(loaded), rest.cursor)
    assert changes_since(viewer(loaded), rest.cursor).items == ()
    assert every(loaded, limit=1) == every(loaded)


def test_cases_whose_changes_are_still_to_come_are_named(loaded: Workspace) -> None:
    def coming() -> list[tuple[str, bool]]:
        found = changes_since(viewer(loaded))
        assert found.coming_total == len(found.coming)
        return [(each.case, each.since <= clock.now()) for each in found.coming]

    now = clock.now()
    assert coming() == []
    later = approved(loaded, "expiry", ("source", "s1"), effective_at=now + timedelta(hours=1))
    drafted(loaded, "concern", ("source", "s1"))
    assert coming() == [], "neither is in effect"
    case = approved(loaded, "retraction", ("source", "s1"))
    workflow.pause(viewer(loaded), case.uid)
    run_to_end(case)
    assert kept(loaded) == []
    assert states(loaded)["cites"] == "stale"
    assert coming() == [(case.uid, True)]
    clock.use(lambda: now + timedelta(hours=2))
    try:
        # Its time has come and nobody has started it: reads obey it all the same.
        assert coming() == [(case.uid, True), (later.uid, True)]
    finally:
        clock.use(None)
    workflow.resume(viewer(loaded), case.uid)
    assert coming() == [(case.uid, True)]
    row_of = Case.objects.filter(uid=case.uid)
    row_of.update(state="incomplete", counts={"shortfall": {"code": "gave_up"}})
    assert coming() == [(case.uid, True)]
    row_of.update(counts={"shortfall": {"code": "proof_differs"}})
    assert coming() == [], "all of its answers are marked"
    ending = workflow.reinstate(viewer(loaded), case.uid)
    assert coming() == [(ending.uid, True)]
    other = Workspace.objects.create(slug=f"{loaded.slug}-3", name="other")
    assert changes_since(viewer(other)).coming == ()


@pytest.mark.parametrize("cursor", ["", "x", write_cursor("1"), write_cursor(-1), write_cursor(None), write_cursor(1, 2)])  # fmt: skip
def test_a_cursor_of_elsewhere_is_refused(workspace: Workspace, cursor: str) -> None:
    with pytest.raises(CursorInvalid):
        changes_since(viewer(workspace), cursor)


def test_the_list_is_for_those_who_may_read_and_of_their_workspace(loaded: Workspace) -> None:
    run_to_end(approved(loaded, "retraction", ("source", "s1")))
    elsewhere = Workspace.objects.create(slug=f"{loaded.slug}-2", name="other")
    assert changes_since(viewer(elsewhere)).items == ()
    with pytest.raises(ScopeMissing):
        changes_since(viewer(loaded, "ingest"))


# --- what is told -----------------------------------------------------------------------


def test_one_delivery_names_all_answers_of_a_state_and_none_twice(loaded: Workspace) -> None:
    hook = hook_of(loaded)
    case = approved(loaded, "retraction", ("source", "s1"))
    run_to_end(case)
    assert announce.announce_some(loaded.pk) == 2
    assert announce.announce_some(loaded.pk) == 0
    assert told(hook) == [("answer.stale", ["cites"]), ("answer.review", ["context"])]
    workflow.reinstate(viewer(loaded), case.uid)
    for each in row(case).reinstatements.all():
        propagate.propagate(each.pk)
    announce.announce_some(loaded.pk)
    ((restored, keys),) = told(hook)[2:]
    assert (restored, sorted(keys)) == ("answer.restored", ["cites", "context"])


def test_many_answers_are_parted_over_deliveries(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(announce, "MOST_NAMED", 2)
    monkeypatch.setattr(announce, "_WINDOW", 4)
    hook = hook_of(loaded, "answer.stale")
    for name in "abcd":
        send(loaded, answer(name, retrieved=["c1"], included=["c1"], cites=["c1"]))
    run_to_end(approved(loaded, "retraction", ("source", "s1")))
    while announce.announce_some(loaded.pk):
        pass
    named = [key for _, keys in told(hook) for key in keys]
    assert sorted(named) == ["a", "b", "c", "cites", "d"]
    assert max(len(keys) for _, keys in told(hook)) == 2


def test_who_dies_in_telling_has_told_nothing(loaded: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    hook = hook_of(loaded)
    run_to_end(approved(loaded, "retraction", ("source", "s1")))
    monkeypatch.setattr(events, "tell", _die)
    with pytest.raises(SystemExit), transaction.atomic():
        announce.announce_some(loaded.pk)
    monkeypatch.undo()
    assert (told(hook), ChangeSequence.objects.get(workspace=loaded).told) == ([], 0)
    announce.announce_some(loaded.pk)
    assert len(told(hook)) == 2


def _die(*_: object, **__: object) -> int:
    raise SystemExit


def test_who_subscribes_later_is_told_of_what_comes(loaded: Workspace) -> None:
    run_to_end(approved(loaded, "retraction", ("source", "s1")))
    assert announce.announce_some(loaded.pk) == 2
    hook = hook_of(loaded)
    assert announce.announce_some(loaded.pk) == 0
    assert told(hook) == []


def test_a_regenerated_answer_is_told_once_with_what_it_replaces(loaded: Workspace) -> None:
    hook = hook_of(loaded)
    revised = record(
        "answer", "again", question="What?", text="Alpha was one.", revision_of="cites"
    )
    send(loaded, [revised])
    send(loaded, [revised])
    assert kept(loaded) == [(1, "cites", "regenerated")]
    (change,) = every(loaded)
    assert change.by == node(loaded, "answer", "again").uid
    announce.announce_some(loaded.pk)
    assert told(hook) == [("answer.regenerated", ["cites"])]


def test_a_revised_source_is_no_regenerated_answer(loaded: Workspace) -> None:
    send(loaded, [record("source_version", "s1@2", source="s1", revision_of="s1@1")])
    assert kept(loaded) == []


def test_what_is_told_is_as_the_published_schemas_say(loaded: Workspace) -> None:
    hook_of(loaded)
    case = approved(loaded, "retraction", ("source", "s1"))
    run_to_end(case)
    send(loaded, answer("late", retrieved=["c1"], included=["c1"], cites=["c1"]))
    send(loaded, [record("answer", "again", text="Alpha was one.", revision_of="cites")])
    workflow.reinstate(viewer(loaded), case.uid)
    for each in row(case).reinstatements.all():
        propagate.propagate(each.pk)
    announce.announce_some(loaded.pk)
    rows = list(WebhookDelivery.objects.all())
    assert {each.type for each in rows} == {
        "answer.stale", "answer.review", "answer.restored", "answer.regenerated",
        "case.ready", "case.approved", "case.reinstated",
    }  # fmt: skip
    for delivery in rows:
        body: dict[str, Any] = delivery.body
        schema = json.loads((SCHEMAS / f"{delivery.type}.schema.json").read_text())
        checker = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
        assert list(checker.iter_errors(body)) == [], body
        assert list(checker.iter_errors({**body, "data": {**body["data"], "question": "x"}}))
