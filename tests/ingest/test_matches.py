"""What an operator says a missing key stands for holds in any order, until it is undone or the key arrives."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import Settings

from lineage.cases import workflow
from lineage.cases.errors import ScopeMissing
from lineage.content.passages import texts_of
from lineage.formats.records import parse_record
from lineage.ingest import matches
from lineage.ingest.apply import apply_records
from lineage.models import Alias, Node, Reference, RejectedMatch, UidAlias
from lineage.types import NotFound, Viewer
from provexplorer.workspaces.models import Workspace
from tests.cases.world import states, viewer
from tests.ingest.sending import LATER, impact, node, record, send, standing_graph

pytestmark = pytest.mark.django_db(databases=["default", "keys"])

TEXT = "Alpha is one. Beta is two."


@pytest.fixture(autouse=True)
def _graph_away(settings: Settings) -> None:
    settings.NEO4J_URI = "bolt://127.0.0.1:9"


def library() -> list[dict[str, Any]]:
    """A document with two chunks."""
    return [
        record("source", "s", title="S"),
        record("source_version", "v", source="s", text=TEXT),
        record("document", "docs/d", source_version="v", text=TEXT),
        record("chunk", "docs/d#1", document="docs/d", interval={"start": 0, "end": 13}),
        record("chunk", "docs/d#2", document="docs/d", interval={"start": 14, "end": 26}),
    ]


def answered(chunk: Any = "d#1") -> list[dict[str, Any]]:
    """An answer that cites a chunk by a key that nobody sends."""
    return [
        record("retrieval", "r", candidates=[{"chunk": chunk, "rank": 1}]),
        record("context", "x", retrieval="r", items=[{"chunk": chunk, "position": 1}]),
        record("answer", "a", context="x", text="Alpha is one. [1]"),
        record("claim", "k", answer="a", interval={"start": 0, "end": 13}),
        record("citation", "q", claim="k", marker="[1]", chunk=chunk),
    ]


def accept(workspace: Workspace, kind: str, missing: str, target: str) -> None:
    placeholder = Node.objects.get(workspace=workspace, kind=kind, key=missing, resolved=False)
    matches.accept(viewer(workspace), placeholder.uid, node(workspace, kind, target).uid)


def flags_of(workspace: Workspace) -> set[str]:
    found = Node.objects.filter(workspace=workspace).values_list("flags", flat=True)
    return {flag["code"] for flags in found for flag in flags}


def test_only_operators_decide(workspace: Workspace) -> None:
    send(workspace, answered())
    reader = Viewer(workspace.pk, workspace.hash_key, workspace.slug, scopes=frozenset({"read"}))
    for decide in (matches.accept, matches.reject):
        with pytest.raises(ScopeMissing):
            decide(reader, node(workspace, "chunk", "d#1").uid, "chk_x")
    with pytest.raises(ScopeMissing):
        matches.undo(reader, node(workspace, "chunk", "d#1").uid)


def test_another_workspace_has_neither_the_placeholder_nor_the_target(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="other")
    send(workspace, [*library(), *answered()])
    send(other, [*library(), *answered()])
    missing, theirs = node(workspace, "chunk", "d#1").uid, node(other, "chunk", "docs/d#1").uid
    with pytest.raises(matches.MatchRefused):
        matches.accept(viewer(workspace), missing, theirs)
    with pytest.raises(NotFound):
        matches.accept(viewer(other), missing, theirs)
    matches.accept(viewer(workspace), missing, node(workspace, "chunk", "docs/d#1").uid)
    with pytest.raises(NotFound):
        matches.undo(viewer(other), missing)
    assert not node(other, "chunk", "d#1").resolved


@pytest.mark.parametrize("target", ["document", "placeholder", "itself", "under a case"])
def test_what_a_missing_key_cannot_stand_for(workspace: Workspace, target: str) -> None:
    send(workspace, [*library(), *answered(), record("chunk", "n", document="docs/d", parent=
         {"kind": "chunk", "key": "d#1"}, interval={"start": 0, "end": 5})])  # fmt: skip
    missing = node(workspace, "chunk", "d#1")
    uid = {
        "document": node(workspace, "document", "docs/d").uid,
        "placeholder": missing.uid,
        "itself": node(workspace, "chunk", "n").uid,
        "under a case": node(workspace, "chunk", "docs/d#1").uid,
    }[target]
    if target == "under a case":
        workflow.draft(
            viewer(workspace), workflow.NewCase(kind="correction", targets=[{"uid": missing.uid}])
        )
    before = standing_graph(workspace)
    with pytest.raises(matches.MatchRefused):
        matches.accept(viewer(workspace), missing.uid, uid)
    assert standing_graph(workspace) == before
    assert not Alias.objects.exists()


def test_an_accepted_match_is_as_if_the_right_key_had_been_sent(workspace: Workspace) -> None:
    send(workspace, [*library(), *answered()])
    placeholder = node(workspace, "chunk", "d#1").uid
    assert impact(workspace, node(workspace, "source", "s")) == {}
    accept(workspace, "chunk", "d#1", "docs/d#1")
    assert impact(workspace, node(workspace, "source", "s")) == {"a": "cited"}
    assert not Node.objects.filter(workspace=workspace, resolved=False).exists()
    assert "unresolved_reference" not in flags_of(workspace)
    chunk = node(workspace, "chunk", "docs/d#1")
    assert UidAlias.objects.get(uid=placeholder).node_id == chunk.pk
    citation = Reference.objects.get(holder__kind="citation", relation="chunk", workspace=workspace)
    assert (citation.to_node_id, citation.status) == (chunk.pk, "bound")


def test_undone_everything_is_as_before(workspace: Workspace) -> None:
    send(workspace, [*library(), *answered()])
    before = standing_graph(workspace)
    placeholder = node(workspace, "chunk", "d#1").uid
    accept(workspace, "chunk", "d#1", "docs/d#1")
    matches.undo(viewer(workspace), placeholder)
    assert standing_graph(workspace) == before
    with pytest.raises(NotFound):
        matches.undo(viewer(workspace), placeholder)
    accept(workspace, "chunk", "d#1", "docs/d#2")
    assert impact(workspace, node(workspace, "chunk", "docs/d#2")) == {"a": "cited"}


def test_it_holds_for_what_is_sent_later_and_again(workspace: Workspace) -> None:
    send(workspace, [*library(), *answered()])
    accept(workspace, "chunk", "d#1", "docs/d#1")
    send(workspace, answered())
    again = [{**one, "key": f"{one['key']}2"} for one in answered()]
    again[1]["retrieval"], again[2]["context"] = "r2", "x2"
    again[3]["answer"], again[4]["claim"] = "a2", "k2"
    send(workspace, again)
    assert impact(workspace, node(workspace, "source", "s")) == {"a": "cited", "a2": "cited"}
    assert not Node.objects.filter(workspace=workspace, resolved=False).exists()


def test_the_record_of_the_missing_key_comes_first_when_it_arrives(workspace: Workspace) -> None:
    send(workspace, [*library(), *answered()])
    accept(workspace, "chunk", "d#1", "docs/d#1")
    send(workspace, [record("chunk", "d#1", document="docs/d", interval={"start": 14, "end": 26})])
    assert impact(workspace, node(workspace, "chunk", "d#1")) == {"a": "cited"}
    assert impact(workspace, node(workspace, "chunk", "docs/d#1")) == {}


def test_a_target_that_is_withdrawn_leaves_the_key_missing_until_it_is_back(
    workspace: Workspace,
) -> None:
    derived = [parse_record(index, one) for index, one in enumerate(library())]
    apply_records(workspace, derived, origin="somewhere")
    send(workspace, answered())
    before = standing_graph(workspace)
    placeholder = node(workspace, "chunk", "d#1").uid
    accept(workspace, "chunk", "d#1", "docs/d#1")
    apply_records(workspace, [], origin="somewhere")
    missing = Node.objects.filter(workspace=workspace, resolved=False)
    assert [(one.kind, one.key, one.uid) for one in missing] == [("chunk", "d#1", placeholder)]
    apply_records(workspace, derived, origin="somewhere")
    assert impact(workspace, node(workspace, "source", "s")) == {"a": "cited"}
    matches.undo(viewer(workspace), placeholder)
    assert standing_graph(workspace) == before


def test_a_named_digest_keeps_to_it(workspace: Workspace) -> None:
    wrong = {"key": "d#1", "digest": "sha256:" + "0" * 64}
    send(
        workspace, [*library(), *answered(wrong), record("context", "y", items=[{"chunk": "d#1"}])]
    )
    accept(workspace, "chunk", "d#1", "docs/d#1")
    assert impact(workspace, node(workspace, "chunk", "docs/d#1")) == {}
    rows = Reference.objects.filter(workspace=workspace, relation="items.chunk")
    assert dict(rows.values_list("holder__key", "status")) == {"x": "unresolved", "y": "bound"}


def test_one_of_several_revisions_is_told_to_an_answer_without_a_time(workspace: Workspace) -> None:
    timeless = [
        {k: v for k, v in one.items() if k != "occurred_at"} for one in answered("docs/d#1")
    ]
    later = record(
        "chunk", "docs/d#1", document="docs/d", interval={"start": 14, "end": 26}, at=LATER
    )
    send(workspace, [*library(), later, *timeless])
    placeholder = Node.objects.get(workspace=workspace, kind="chunk", resolved=False)
    first = Node.objects.get(workspace=workspace, kind="chunk", key="docs/d#1", start=0)
    assert impact(workspace, first) == {}
    matches.accept(viewer(workspace), placeholder.uid, first.uid)
    assert impact(workspace, first) == {"a": "cited"}


def test_a_key_of_any_namespace_can_stand_for_one(workspace: Workspace) -> None:
    send(workspace, [*library(), *answered({"key": "d#1", "namespace": None})])
    before = standing_graph(workspace)
    placeholder = node(workspace, "chunk", "d#1").uid
    accept(workspace, "chunk", "d#1", "docs/d#1")
    assert impact(workspace, node(workspace, "source", "s")) == {"a": "cited"}
    # Binding again without the records at hand must still know which key was named.
    send(workspace, [record("document", "docs/d", source_version="v", text=TEXT, at=LATER)])
    matches.undo(viewer(workspace), placeholder)
    send(workspace, [record("document", "docs/d", source_version="v", text=TEXT, at=LATER)])
    assert [one[:4] for one in standing_graph(workspace)[0]] == [one[:4] for one in before[0]]
    assert standing_graph(workspace)[1:] == before[1:]


def test_a_place_that_was_missing_carries_what_stands_in_it_and_its_text(
    workspace: Workspace,
) -> None:
    own = "Alpha is one."
    send(workspace, library())
    chunk = record("chunk", "c", document="d", text=own, interval={"start": 0, "end": 13})
    send(workspace, [chunk, *answered("c")])
    before = standing_graph(workspace)
    placeholder = node(workspace, "document", "d").uid
    accept(workspace, "document", "d", "docs/d")
    placed = node(workspace, "chunk", "c")
    assert placed.parent_id == node(workspace, "document", "docs/d").pk
    assert (placed.anchor, placed.provisional) == ("exact", False)
    assert impact(workspace, node(workspace, "source", "s")) == {"a": "cited"}
    assert texts_of([placed]) == {placed.pk: own}
    # Sent while the match holds, a chunk keeps no copy of the text that its place has.
    send(workspace, [{**chunk, "key": "c2"}])
    matches.undo(viewer(workspace), placeholder)
    alone = node(workspace, "chunk", "c2")
    assert (alone.provisional, texts_of([alone])) == (True, {alone.pk: own})
    Node.objects.filter(pk=alone.pk).delete()
    assert standing_graph(workspace) == before


def test_answers_go_stale_and_current_with_what_they_come_to_rest_on(workspace: Workspace) -> None:
    send(workspace, [*library(), *answered()])
    placeholder = node(workspace, "chunk", "d#1").uid
    case = workflow.draft(
        viewer(workspace), workflow.NewCase(kind="retraction",
        targets=[{"uid": node(workspace, "source", "s").uid}]),
    )  # fmt: skip
    workflow.dry_run(viewer(workspace), case.uid)
    workflow.approve(viewer(workspace), case.uid)
    assert states(workspace) == {"a": "current"}
    accept(workspace, "chunk", "d#1", "docs/d#1")
    assert states(workspace) == {"a": "stale"}
    matches.undo(viewer(workspace), placeholder)
    assert impact(workspace, node(workspace, "source", "s")) == {}
    assert states(workspace) == {"a": "current"}


def test_a_rejected_match_can_be_suggested_again(workspace: Workspace) -> None:
    send(workspace, [*library(), *answered()])
    missing = node(workspace, "chunk", "d#1").uid
    target = node(workspace, "chunk", "docs/d#1").uid
    with pytest.raises(NotFound):
        matches.reject(viewer(workspace), missing, missing)
    matches.reject(viewer(workspace), missing, target)
    matches.reject(viewer(workspace), missing, target)
    assert RejectedMatch.objects.count() == 1
    matches.suggest_again(viewer(workspace), missing)
    assert RejectedMatch.objects.count() == 0


@given(data=st.data())
@settings(
    max_examples=max(2, settings().max_examples // 8),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_with_matches_the_end_state_does_not_depend_on_the_order(
    db: None, data: st.DataObject
) -> None:
    records = [*library(), *answered(), record("chunk", "c", document="d", text="Alpha is one.")]
    order = data.draw(st.permutations(records))
    cut = data.draw(st.integers(0, len(order)))
    assert _decided_early(order[:cut], order[cut:]) == _decided_early(records, [])


def _decided_early(*requests: list[dict[str, Any]]) -> tuple[list[Any], list[Any], list[Any]]:
    """What stands where each match is accepted as soon as it can be."""
    Workspace.objects.all().delete()
    workspace = Workspace.objects.create(slug="w", name="w", uid_key="5e" * 32)
    left = [("chunk", "d#1", "docs/d#1"), ("document", "d", "docs/d")]
    for request in requests:
        send(workspace, request)
        for kind, missing, target in list(left):
            there = Node.objects.filter(workspace=workspace, kind=kind)
            if (
                there.filter(key=missing, resolved=False).exists()
                and there.filter(key=target, resolved=True).exists()
            ):
                accept(workspace, kind, missing, target)
                left.remove((kind, missing, target))
    return standing_graph(workspace)
