"""Missing keys by how many answers hang on them, and what each may stand for."""

from dataclasses import replace
from typing import Any

import pytest
from pytest_django import Settings

from lineage.ingest import matches
from lineage.models import Node
from lineage.nodes.paging import CursorInvalid
from lineage.nodes.unresolved import accepted_matches, unresolved, unresolved_key
from lineage.types import Moved, NotFound
from provexplorer.workspaces.models import Workspace
from tests.cases.world import viewer
from tests.ingest.sending import LATER, node, record, send

pytestmark = pytest.mark.django_db(databases=["default", "keys"])

TEXT = "Alpha is one. Beta is two."


@pytest.fixture(autouse=True)
def _graph_away(settings: Settings) -> None:
    settings.NEO4J_URI = "bolt://127.0.0.1:9"


def world() -> list[dict[str, Any]]:
    """Chunk `m#1` is named by two answers, `m#2` by one, document `lost` by none."""
    answers = [
        one
        for name, chunks in (("a", ["m#1", "m#2"]), ("b", ["m#1"]))
        for one in (
            record("context", f"x{name}", items=[{"chunk": key} for key in chunks]),
            record("answer", name, context=f"x{name}", text=f"Yes, {name}."),
        )
    ]
    return [
        *answers,
        record("chunk", "orphan", document="lost", text="Nothing."),
        record("source", "s", title="S"),
        record("source_version", "v", source="s", acl=["board"]),
        record("document", "d", source_version="v", text=TEXT),
        record("chunk", "docs/m#1", document="d", interval={"start": 0, "end": 13}),
        record("chunk", "docs/m#3", document="d", interval={"start": 14, "end": 26}),
        record("chunk", "m#2", namespace="shelf", document={"key": "d", "namespace": ""},
               interval={"start": 14, "end": 26}),
    ]  # fmt: skip


def test_a_cursor_of_another_list_is_refused(workspace: Workspace) -> None:
    for cursor in ("nonsense", "WzFd", "W251bGwsbnVsbF0"):
        with pytest.raises(CursorInvalid):
            unresolved(viewer(workspace), cursor=cursor)


def test_what_was_sent_or_is_elsewhere_is_no_missing_key(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="other")
    send(workspace, world())
    assert unresolved(viewer(other)).total == 0
    for uid in (node(workspace, "source", "s").uid, "chk_" + "a" * 26):
        with pytest.raises(NotFound):
            unresolved_key(viewer(workspace), uid)
    with pytest.raises(NotFound):
        unresolved_key(viewer(other), node(workspace, "chunk", "m#1").uid)


def test_those_on_which_most_answers_hang_come_first(workspace: Workspace) -> None:
    send(workspace, world())
    page = unresolved(viewer(workspace))
    assert [(row.kind, row.key, row.answers) for row in page.items] == [
        ("chunk", "m#1", 2),
        ("chunk", "m#2", 1),
        ("document", "lost", 0),
    ]
    assert (page.total, page.kinds, page.next) == (3, {"document": 1, "chunk": 2}, None)
    chunks = unresolved(viewer(workspace), kind="chunk", limit=1)
    assert ([row.key for row in chunks.items], chunks.total) == (["m#1"], 2)
    rest = unresolved(viewer(workspace), kind="chunk", limit=1, cursor=chunks.next)
    assert ([row.key for row in rest.items], rest.next) == (["m#2"], None)


def suggested(workspace: Workspace, key: str) -> list[tuple[str, str, str]]:
    placeholder = Node.objects.get(workspace=workspace, key=key, resolved=False)
    found = unresolved_key(replace(viewer(workspace), sees_all=True), placeholder.uid)
    return [(one.key, one.namespace, one.why) for one in found.suggestions]


def test_suggestions_are_the_same_key_elsewhere_then_keys_that_read_alike(
    workspace: Workspace,
) -> None:
    send(workspace, world())
    assert suggested(workspace, "m#1") == [("docs/m#1", "", "similar")]
    assert suggested(workspace, "m#2") == [("m#2", "shelf", "namespace")]
    assert suggested(workspace, "lost") == []


def test_what_has_the_digest_that_is_named_comes_first_and_no_other_is_offered(
    workspace: Workspace,
) -> None:
    send(workspace, world())
    digest = node(workspace, "chunk", "docs/m#3").digest
    named = {"chunk": {"key": "m#1-x", "digest": digest}}
    send(workspace, [record("context", "y", items=[named])])
    assert sorted(suggested(workspace, "m#1-x")) == [
        ("docs/m#3", "", "digest"),
        ("m#2", "shelf", "digest"),
    ]


def test_revisions_of_the_key_itself_are_offered_where_it_is_ambiguous(
    workspace: Workspace,
) -> None:
    both = [
        record("chunk", "c", document="d", text="Alpha."),
        record("chunk", "c", document="d", text="Beta.", at=LATER),
        {"kind": "context", "key": "z", "items": [{"chunk": "c"}]},
    ]
    send(workspace, [*world(), *both])
    assert [why for *_, why in suggested(workspace, "c")] == ["revision", "revision"]
    (row,) = [row for row in unresolved(viewer(workspace)).items if row.key == "c"]
    assert row.ambiguous


def test_what_the_viewer_may_not_see_or_has_rejected_is_not_suggested(workspace: Workspace) -> None:
    send(workspace, world())
    missing = node(workspace, "chunk", "m#1").uid
    outsider, insider = viewer(workspace), replace(viewer(workspace), groups=frozenset({"board"}))
    assert unresolved_key(outsider, missing).suggestions == ()
    (one,) = unresolved_key(insider, missing).suggestions
    matches.reject(insider, missing, one.uid)
    found = unresolved_key(insider, missing)
    assert (found.suggestions, found.rejected) == ((), 1)


def test_an_accepted_match_is_listed_to_those_who_may_see_both_ends(workspace: Workspace) -> None:
    send(workspace, world())
    missing, target = node(workspace, "chunk", "m#1"), node(workspace, "chunk", "docs/m#1")
    insider = replace(viewer(workspace), groups=frozenset({"board"}))
    matches.accept(insider, missing.uid, target.uid)
    (match,) = accepted_matches(insider)
    assert (match.key, match.target_key, match.target_uid) == ("m#1", "docs/m#1", target.uid)
    assert accepted_matches(viewer(workspace)) == ()
    with pytest.raises(Moved, match=target.uid):
        unresolved_key(insider, missing.uid)
