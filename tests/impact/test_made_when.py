"""What a component's versions made of some nodes, and what they made in some time; the sets are told by hand."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from lineage.cases.proposed import proposed
from lineage.impact import targets
from lineage.impact.affected import affected
from lineage.impact.made_of import NotCombined
from lineage.impact.question import (
    THE_COMPONENT,
    ComponentRange,
    Question,
    RunTimes,
    question_from_json,
    question_to_json,
    read_question,
)
from lineage.impact.report import report
from lineage.impact.runs_asked import runs_asked
from lineage.nodes.counting import AtLeast
from provexplorer.workspaces.models import Workspace
from tests.impact.made_world import READ, build
from tests.ingest.sending import record
from tests.nodes.world import load, viewer

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

PDF = ComponentRange("pdf")
FEBRUARY, MARCH = datetime(2026, 2, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)


def works(workspace: Workspace, question: Question) -> set[str]:
    """The works whose answers the question finds; list, counts and total must agree."""
    found = report(viewer(workspace), question, limit=200)
    assert len(found.items) == found.total == affected(viewer(workspace), question).count()
    return {item.key.removeprefix("a-") for item in found.items}


def test_a_range_of_versions_narrows_documents_to_what_it_read(workspace: Workspace) -> None:
    nodes = build(workspace)
    every = tuple(nodes[name].uid for name in READ)
    for first, last, names in (
        ("", "", set(READ)),
        ("3.1", "3.1", {"one", "two"}),
        ("3.2", "", {"three", "four"}),
        ("3.1.1", "3.1.9", set()),
    ):
        wanted = replace(PDF, version_from=first, version_to=last)
        asked = Question(nodes=every, component=wanted, made_by=THE_COMPONENT)
        assert works(workspace, asked) == names
        two = replace(asked, nodes=(nodes["two"].uid, nodes["three-doc"].uid))
        assert works(workspace, two) == names & {"two", "three"}
        # Alone, the versions are themselves asked about.
        alone = replace(asked, nodes=())
        assert works(workspace, alone) == works(workspace, Question(component=wanted)) == names
    # What is named beside the component, and not narrowed by it, counts as a whole.
    wanted = replace(PDF, version_to="3.1")
    beside = Question(nodes=(nodes["three"].uid,), component=wanted)
    assert works(workspace, beside) == {"one", "two", "three"}
    with pytest.raises(NotCombined):
        report(viewer(workspace), replace(beside, nodes=(nodes["p3.2"].uid,), made_by="component"))


def test_what_was_made_in_some_time_is_what_its_runs_made_then(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    for made, names, dated in (
        (RunTimes(until=FEBRUARY), {"one"}, 1),
        (RunTimes(since=FEBRUARY), {"two", "three"}, 2),
        (RunTimes(FEBRUARY, MARCH), {"two", "three"}, 2),
        (RunTimes(MARCH), set(), 0),
        (RunTimes(until=FEBRUARY, undated=True), {"one", "four"}, 1),
        (RunTimes(undated=True), {"four"}, 0),
    ):
        question = Question(component=PDF, made=made)
        assert works(workspace, question) == names, made
        runs = runs_asked(me, question)
        assert runs is not None
        assert (runs.dated, runs.undated) == (AtLeast(dated), AtLeast(1))
        assert runs.counted_in is made.undated
        # One version, or one run, by its id.
        by_version = Question(made_by=nodes["p3.1"].uid, made=made)
        assert works(workspace, by_version) == names & {"one", "two"}
        assert works(workspace, Question(made_by=nodes["run-two"].uid, made=made)) == names & {
            "two"
        }
        # Of some works only, by a range of versions, an id, or beside what that made.
        some = tuple(nodes[name].uid for name in ("two", "four"))
        narrowed = Question(nodes=some, component=PDF, made_by=THE_COMPONENT, made=made)
        assert works(workspace, narrowed) == names & {"two", "four"}
        assert works(workspace, replace(by_version, nodes=some)) == names & {"two"}
        beside = Question(nodes=(nodes["one"].uid,), component=PDF, made=made)
        assert works(workspace, beside) == names | {"one"}
    assert runs_asked(me, Question(component=PDF)) is None
    # The time of runs is not that of answers, all of which were given in March.
    both = Question(component=PDF, made=RunTimes(until=FEBRUARY), since=MARCH)
    assert works(workspace, both) == {"one"}
    assert works(workspace, replace(both, since=None, until=MARCH)) == set()


def test_many_runs_are_not_listed_one_by_one(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = build(workspace)
    monkeypatch.setattr(targets, "MOST_LISTED", 1)
    asked = Question(component=PDF, made=RunTimes(since=FEBRUARY))
    assert affected(viewer(workspace), asked).targets.ids is None
    assert works(workspace, asked) == {"two", "three"}
    assert works(workspace, replace(asked, nodes=(nodes["four"].uid,))) == {"two", "three", "four"}


def test_a_case_about_it_is_about_what_was_asked(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    question = Question(component=PDF, made=RunTimes(since=FEBRUARY))
    for asked in (question, question_from_json(question_to_json(question))):
        assert set(proposed(me, asked).uids) == {nodes["run-two"].uid, nodes["run-three"].uid}
    of_works = Question(
        nodes=(nodes["one"].uid, nodes["three"].uid), component=replace(PDF, version_to="3.1"),
        made_by=THE_COMPONENT,
    )  # fmt: skip
    assert proposed(me, of_works).uids == (nodes["one-doc"].uid,)


def test_embeddings_of_facts_are_made_of_their_document(workspace: Workspace) -> None:
    build(workspace)
    nodes = load(
        workspace,
        [
            record("component", "emb", component_kind="embedder", name="emb", version="1"),
            record("run", "run-emb", run_kind="embed", component="emb"),
            record("fact", "f", subject_of="one-c", subject="Alpha", predicate="is", object="one"),
            record("embedding", "e", fact="f", entity="Alpha", model="m", run="run-emb",
                   vector_digest="sha256:" + "1" * 64),
        ],
    )  # fmt: skip
    me = viewer(workspace)
    for start in ("one-doc", "one-c", "f", "one", "one@1"):
        asked = Question(nodes=(nodes[start].uid,), made_by=nodes["emb"].uid)
        assert affected(me, asked).targets.ids == (nodes["e"].pk,), start


def test_an_address_says_it_as_it_is_read() -> None:
    asked = read_question({"component": "pdf", "made_since": "2026-02-01", "made_undated": "true"})
    assert asked == Question(component=PDF, made=RunTimes(FEBRUARY, undated=True))
