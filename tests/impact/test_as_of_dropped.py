"""Impact as it was recorded, of what a later record does not say any more."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import pytest

from lineage.impact.as_of import as_recorded
from lineage.impact.changes import changes
from lineage.models import Rebinding
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import TEXT, node, record, send, viewer, work

pytestmark = pytest.mark.django_db
LATER = "2026-03-02T10:00:00Z"
CHUNKS = work("s1", TEXT, {"c1": (0, 13), "c2": (14, 26), "c3": (27, 42)})


def context(key: str, *chunks: str) -> dict[str, Any]:
    items = [{"chunk": each, "position": place} for place, each in enumerate(chunks, start=1)]
    return record("context", key, items=items)


def sent_and_again(
    workspace: Workspace, first: Iterable[dict[str, Any]], again: Iterable[dict[str, Any]]
) -> datetime:
    """Send the records, then the others as later ones; the instant between them."""
    assert {each.problem for each in send(workspace, [*CHUNKS, *first])} == {None}
    between = clock.now()
    later = [{**each, "occurred_at": LATER} for each in again]
    assert {each.problem for each in send(workspace, later)} == {None}
    return between


def grades(workspace: Workspace, kind: str, key: str, until: datetime) -> list[str]:
    found = as_recorded(viewer(workspace), node(workspace, kind, key).uid, until)
    assert not found.truncated
    return [each.grade for each in found.items]


ANSWER = record("answer", "a", context="x", text="Alpha is one.")
CITED = (
    record("claim", "k", answer="a", interval={"start": 0, "end": 5}),
    record("citation", "q", claim="k", marker="[1]", chunk="c1"),
)


def test_an_item_that_a_context_does_not_have_any_more(workspace: Workspace) -> None:
    between = sent_and_again(workspace, [context("x", "c1", "c2"), ANSWER], [context("x", "c2")])
    assert grades(workspace, "chunk", "c1", between) == ["in_context"]
    assert grades(workspace, "chunk", "c2", between) == ["in_context"]
    assert grades(workspace, "chunk", "c1", clock.now()) == []
    # The other item has another place in the list, and means what it meant.
    kept = Rebinding.objects.filter(workspace=workspace)
    assert [(row.relation, row.old_uid, row.new_uid) for row in kept] == [
        ("items.chunk", node(workspace, "chunk", "c1").uid, "")
    ]
    told = changes(viewer(workspace), node(workspace, "chunk", "c1").uid, between)
    assert [(each.relation, each.new) for each in told.rebindings] == [("items.chunk", None)]
    assert [(each.then, each.now) for each in told.moved] == [("in_context", None)]


def test_an_item_in_the_place_of_another_is_what_it_became(workspace: Workspace) -> None:
    between = sent_and_again(workspace, [context("x", "c1"), ANSWER], [context("x", "c3")])
    assert grades(workspace, "chunk", "c1", between) == ["in_context"]
    assert grades(workspace, "chunk", "c3", between) == []
    assert grades(workspace, "chunk", "c3", clock.now()) == ["in_context"]


def test_a_passage_that_a_citation_does_not_quote_any_more(workspace: Workspace) -> None:
    between = sent_and_again(
        workspace,
        [context("x", "c1", "c2"), ANSWER, *CITED],
        [record("citation", "q", claim="k", marker="[1]", chunk="c2")],
    )
    assert grades(workspace, "chunk", "c1", between) == ["cited"]
    assert grades(workspace, "chunk", "c2", between) == ["in_context"]
    assert grades(workspace, "chunk", "c1", clock.now()) == ["in_context"]


def test_a_context_that_stands_for_another(workspace: Workspace) -> None:
    between = sent_and_again(
        workspace,
        [context("x", "c1"), context("y", "c2"), ANSWER],
        [{**ANSWER, "context": "y"}],
    )
    assert grades(workspace, "chunk", "c1", between) == ["in_context"]
    assert grades(workspace, "context", "x", between) == ["produced"]
    assert grades(workspace, "chunk", "c2", between) == []
    assert grades(workspace, "chunk", "c1", clock.now()) == []


def test_what_was_dropped_twice_and_said_again_between(workspace: Workspace) -> None:
    between = sent_and_again(workspace, [context("x", "c1", "c2"), ANSWER], [context("x", "c2")])
    moments = [clock.now()]
    for day, items in ((3, ("c1", "c2")), (4, ("c3",))):
        at = f"2026-03-0{day}T10:00:00Z"
        send(workspace, [{**context("x", *items), "occurred_at": at}])
        moments.append(clock.now())
    assert grades(workspace, "chunk", "c1", between) == ["in_context"]
    assert grades(workspace, "chunk", "c1", moments[1]) == ["in_context"]
    assert grades(workspace, "chunk", "c1", moments[2]) == []


# --- what nobody says and follows from the rest -------------------------------------------

RUN = record("run", "make", run_kind="parse", used=[{"kind": "source", "key": "s1"}])


def made(key: str) -> dict[str, Any]:
    return record("source", key, title=key, run="make")


REST = [
    *work("s2", TEXT, {"d1": (0, 13)})[1:],
    context("x", "d1"),
    ANSWER,
]


def test_one_output_was_derived_until_another_came(workspace: Workspace) -> None:
    """A run with two inputs: of its one output both are causes; of two, possible ones, no record of which was sent again."""
    uses = [{"kind": "source", "key": "s1"}, {"kind": "source", "key": "s0"}]
    between = sent_and_again(
        workspace,
        [record("source", "s0", title="s0"), {**RUN, "used": uses}, made("s2"), *REST],
        [made("s3")],
    )
    assert grades(workspace, "source", "s1", clock.now()) == ["possible"]
    found = as_recorded(viewer(workspace), node(workspace, "source", "s1").uid, between)
    assert ([each.grade for each in found.items], found.exact) == (["in_context"], True)


def test_a_run_that_was_only_named_had_no_inputs(workspace: Workspace) -> None:
    between = sent_and_again(workspace, [made("s2"), *REST], [RUN])
    assert grades(workspace, "source", "s1", clock.now()) == ["in_context"]
    found = as_recorded(viewer(workspace), node(workspace, "source", "s1").uid, between)
    assert (found.items, found.exact) == ((), True)
    # It followed from what was said: nobody stated it, and no reference is told to have changed.
    source = node(workspace, "source", "s1").uid
    assert changes(viewer(workspace), source, between).rebindings == ()
