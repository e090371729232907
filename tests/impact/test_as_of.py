"""Impact as it was recorded: each past moment is told as it was told then, or it is said that it may not be."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from lineage.impact.as_of import as_recorded, last_recorded
from lineage.impact.changes import changes
from lineage.models import Node, Rebinding, RestsOn
from lineage.nodes.paging import CursorInvalid
from lineage.types import NotFound
from lineage.vocabulary import Grade
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import TEXT, answer, node, send, viewer, work

pytestmark = pytest.mark.django_db
EARLY, MIDDLE, ASKED = "2026-03-01T08:00:00Z", "2026-03-01T09:00:00Z", "2026-03-01T10:00:00Z"
# Grades by (kind and key of a node) and key of an answer.
Told = dict[tuple[str, str], dict[str, str]]


def at(instant: str, *records: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**each, "occurred_at": instant} for each in records]


def chunk(key: str, start: int, end: int, **more: Any) -> dict[str, Any]:
    return {"kind": "chunk", "key": key, "document": "s1-doc", "interval": {"start": start, "end": end}, **more}  # fmt: skip


def told(workspace: Workspace) -> Told:
    """What the closure says of every node."""
    found: Told = {}
    rows = RestsOn.objects.filter(target__workspace=workspace).select_related("answer", "target")
    for row in rows:
        place = (row.target.kind, row.target.uid)
        found.setdefault(place, {})[row.answer.key] = Grade(row.grade).word
    return found


def told_as_of(workspace: Workspace, uid: str, until: datetime) -> tuple[dict[str, str], bool]:
    found = as_recorded(viewer(workspace), uid, until)
    keys = dict(Node.objects.filter(kind="answer").values_list("uid", "key"))
    assert sum(found.counts.values()) == len(found.items)
    return {keys[each.uid]: each.grade for each in found.items}, found.exact


PARSED = [
    {"kind": "component", "key": "parser", "component_kind": "parser", "name": "p", "version": "1"},
    {"kind": "run", "key": "parse", "run_kind": "parse", "component": "parser"},
]
# Each step is a request; after each, all that was told is remembered.
STEPS: list[list[dict[str, Any]]] = [
    at(EARLY, *PARSED, *work("s1", TEXT, {"c1": (0, 13), "c1b": (14, 26)})),
    answer("first", retrieved=["c1", "c1b"], included=["c1"], cites=["c1"]),
    answer("second", retrieved=["c1b"], included=["c1b"], cites=[]),
    # Known by name alone, until the next step but one.
    answer("waiting", retrieved=["c9"], included=["c9"], cites=["c9"]),
    # A revision of c1 from between c1 and the answers: they mean it from now on.
    at(MIDDLE, chunk("c1", 27, 42)),
    at(EARLY, chunk("c9", 0, 26)),
    # A late citation of an answer that was there.
    at(ASKED, {"kind": "claim", "key": "k", "answer": "second", "interval": {"start": 0, "end": 5}},
       {"kind": "citation", "key": "q", "claim": "k", "marker": "[1]", "chunk": "c1b"}),
    answer("last", retrieved=["c1b"], included=["c1b"], cites=["c1b"]),
]  # fmt: skip


@pytest.fixture
def history(workspace: Workspace) -> list[tuple[datetime, Told]]:
    moments = []
    for step in STEPS:
        assert {each.problem for each in send(workspace, step)} == {None}
        moments.append((clock.now(), told(workspace)))
    return moments


def test_every_moment_is_told_as_it_was(
    workspace: Workspace, history: list[tuple[datetime, Told]]
) -> None:
    assert Rebinding.objects.filter(workspace=workspace).exists()
    compared = 0
    for until, then in history:
        for (kind, uid), answers in then.items():
            if not Node.objects.filter(uid=uid).exists():
                continue  # it settled under another uid; its address leads on
            found, exact = told_as_of(workspace, uid, until)
            assert (found, exact) == (answers, True), (kind, uid, until)
            compared += bool(answers)
    assert compared > 60


def test_a_node_on_which_nothing_rested_then_says_so(
    workspace: Workspace, history: list[tuple[datetime, Told]]
) -> None:
    until, before = history[0]
    assert before == {}
    for each in Node.objects.filter(workspace=workspace).exclude(kind="answer"):
        assert told_as_of(workspace, each.uid, until)[0] == {}


def test_a_record_that_was_amended_makes_the_past_uncertain_and_that_is_told(
    workspace: Workspace,
) -> None:
    send(workspace, STEPS[0])
    send(workspace, STEPS[1])
    until = clock.now()
    run = {"kind": "run", "key": "late", "run_kind": "chunk"}
    send(workspace, at(EARLY, run, chunk("c1", 0, 13, run="late")))
    source = node(workspace, "source", "s1")
    found = as_recorded(viewer(workspace), source.uid, until)
    assert (found.amended, found.exact, found.counts["cited"]) == (1, False, 1)
    # The run itself was not there.
    late = node(workspace, "run", "late")
    assert as_recorded(viewer(workspace), late.uid, until).items == ()
    assert [each.uid for each in as_recorded(viewer(workspace), late.uid, clock.now()).items] == [
        node(workspace, "answer", "first").uid
    ]


def test_beyond_the_bound_it_says_that_it_was_cut(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(workspace, STEPS[0])
    names = ("a1", "a2", "a3")
    for name in names:
        send(workspace, answer(name, retrieved=["c1"], included=["c1"], cites=["c1"]))
    monkeypatch.setattr("lineage.impact.as_of.MOST_ANSWERS", 2)
    source = node(workspace, "source", "s1")
    found = as_recorded(viewer(workspace), source.uid, clock.now())
    assert (found.truncated, found.exact) == (True, False)
    assert {each.uid for each in found.items} == {
        node(workspace, "answer", name).uid for name in names[1:]
    }


def test_the_last_answer_of_a_time_is_found_wherever_it_lies(workspace: Workspace) -> None:
    send(workspace, STEPS[0])
    moments = [clock.now()]
    for number in range(6):
        send(workspace, answer(f"a{number}", retrieved=["c1"], included=["c1"], cites=[]))
        moments.append(clock.now())
    source = node(workspace, "source", "s1")
    ids = [0, *(node(workspace, "answer", f"a{number}").pk for number in range(6))]
    assert [last_recorded(source, moment) for moment in moments] == ids
    assert last_recorded(node(workspace, "run", "parse"), moments[0]) == 0


# --- changes ----------------------------------------------------------------------------


def test_changes_name_what_came_to_mean_another_node_and_what_came_late(
    workspace: Workspace, history: list[tuple[datetime, Told]]
) -> None:
    since = history[3][0]
    revisions = Node.objects.filter(workspace=workspace, kind="chunk", key="c1").order_by("pk")
    old, new = (each.uid for each in revisions)
    for uid in (old, new):
        found = changes(viewer(workspace), uid, since)
        meant = {(each.relation, each.old, each.new) for each in found.rebindings}
        assert meant == {
            ("candidates.chunk", old, new), ("items.chunk", old, new), ("chunk", old, new)
        }  # fmt: skip
    source = changes(viewer(workspace), node(workspace, "source", "s1").uid, since)
    assert source.rebindings == ()
    assert [(each.uid, each.grade, each.late) for each in source.answers] == [
        (node(workspace, "answer", "last").uid, "cited", True)
    ]
    assert changes(viewer(workspace), new, clock.now()).rebindings == ()


def test_answers_that_rest_on_it_otherwise_than_then_are_told_with_both_grades(
    workspace: Workspace, history: list[tuple[datetime, Told]]
) -> None:
    since = history[3][0]
    first, waiting, second = (
        node(workspace, "answer", key).uid for key in ("first", "waiting", "second")
    )
    old, new = (
        each.uid
        for each in Node.objects.filter(workspace=workspace, kind="chunk", key="c1").order_by("pk")
    )

    def moved(uid: str) -> dict[str, tuple[str | None, str | None]]:
        found = changes(viewer(workspace), uid, since)
        assert (found.exact, found.truncated) == (True, False)
        return {each.uid: (each.then, each.now) for each in found.moved}

    assert moved(old) == {first: ("cited", None)}
    assert moved(new) == {first: (None, "cited")}
    # By its chunk's own record, and by a citation.
    assert moved(node(workspace, "source", "s1").uid) == {
        waiting: (None, "cited"), second: ("in_context", "cited"),
    }  # fmt: skip


def test_both_lists_of_changes_go_on_by_their_own_cursors(
    workspace: Workspace, history: list[tuple[datetime, Told]]
) -> None:
    since = history[0][0] - timedelta(days=1)
    source = node(workspace, "source", "s1").uid
    every = changes(viewer(workspace), source, since).answers
    assert len(every) == 4
    seen: list[str] = []
    cursor = None
    while True:
        page = changes(viewer(workspace), source, since, limit=1, answers_after=cursor)
        seen += [each.uid for each in page.answers]
        cursor = page.next_answers
        if cursor is None:
            break
    assert seen == [each.uid for each in every]
    revision = Node.objects.filter(workspace=workspace, kind="chunk", key="c1").latest("pk").uid
    seen_bound: list[tuple[str, str]] = []
    cursor = None
    while True:
        page = changes(viewer(workspace), revision, since, limit=1, rebindings_after=cursor)
        seen_bound += [(each.holder, each.relation) for each in page.rebindings]
        cursor = page.next_rebindings
        if cursor is None:
            break
    whole = changes(viewer(workspace), revision, since).rebindings
    assert seen_bound == [(each.holder, each.relation) for each in whole]
    with pytest.raises(CursorInvalid):
        changes(viewer(workspace), source, since, answers_after="x")


def test_a_node_of_elsewhere_has_neither_past_nor_changes(workspace: Workspace) -> None:
    elsewhere = Workspace.objects.create(slug=f"{workspace.slug}-2", name="other")
    send(elsewhere, STEPS[0])
    foreign = node(elsewhere, "source", "s1").uid
    asked: Sequence[Callable[[str], object]] = (
        lambda uid: as_recorded(viewer(workspace), uid, clock.now()),
        lambda uid: changes(viewer(workspace), uid, clock.now()),
    )
    for ask in asked:
        for uid in (foreign, "src_" + "a" * 26):
            with pytest.raises(NotFound):
                ask(uid)
