"""A node as a viewer sees it: what must not be told, what is told, and at what cost."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage.models import UidAlias
from lineage.nodes import node, views
from lineage.types import Erased, Moved, NotFound
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record
from tests.nodes.world import ALPHA, answer, load, source, viewer, withdraw

pytestmark = pytest.mark.django_db


@pytest.fixture
def other() -> Workspace:
    return Workspace.objects.create(slug="other", name="Other")


def test_unknown_and_foreign_are_not_found_alike(workspace: Workspace, other: Workspace) -> None:
    foreign = load(other, source("s", ALPHA))["s"].uid
    for uid in (foreign, "src_" + "a" * 26, "", "nonsense", "src_\0"):
        with pytest.raises(NotFound) as caught:
            node(viewer(workspace), uid)
        assert caught.value.args == ()


def test_earlier_uid_leads_on_within_its_workspace_only(
    workspace: Workspace, other: Workspace
) -> None:
    now = load(workspace, source("s", ALPHA))["s"]
    earlier = "src_" + "b" * 26
    UidAlias.objects.create(workspace=workspace, uid=earlier, node=now)
    with pytest.raises(Moved) as caught:
        node(viewer(workspace), earlier)
    assert caught.value.uid == now.uid
    with pytest.raises(NotFound):
        node(viewer(other), earlier)


def test_hidden_node_tells_its_shape_only(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA, acl=["staff"]), answer("one", "s-c"))
    for key in ("s", "s@1", "s-doc", "s-c", "q-one", "k-one"):
        seen = node(viewer(workspace), nodes[key].uid)
        assert seen.hidden is True
        assert (seen.key, seen.namespace, seen.label) == (None, None, None)
        assert (seen.fields, seen.attributes, seen.flags) == ({}, {}, ())
        assert seen.uid == nodes[key].uid
        assert node(viewer(workspace, "staff"), nodes[key].uid).key == key


def test_reference_to_a_hidden_node_names_no_key(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA, acl=["staff"]), answer("one", "s-c"))
    seen = node(viewer(workspace), nodes["ret-one"].uid)
    assert seen.fields["candidates"] == [
        {
            "rank": 1,
            "kept": True,
            "chunk": {"kind": "chunk", "uid": nodes["s-c"].uid, "hidden": True},
        }
    ]
    assert "s-c" not in repr(seen)


def test_answer_that_was_given_something_hidden_keeps_its_words(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        source("s", ALPHA, acl=["staff"]),
        source("t", ALPHA),
        answer("cites", "s-c"),
        answer("beside", "t-c", beside=("s-c",)),
        answer("drops", "t-c", dropped=("s-c",)),
        answer("other", "t-c"),
    )
    for key in ("a-cites", "a-beside", "a-drops"):
        seen = node(viewer(workspace), nodes[key].uid)
        assert (seen.hidden, seen.key) == (False, key)
        assert (seen.fields["text"], seen.fields["question"]) == (None, None)
        assert node(viewer(workspace, "staff"), nodes[key].uid).fields["question"] == "What?"
    assert node(viewer(workspace), nodes["a-other"].uid).fields["text"] == "Alpha is one. [1]"


def test_erased_node_leaves_a_tombstone(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA), answer("one", "s-c"))
    row = withdraw(workspace, nodes["s"], "erasure")
    for key in ("s", "s@1", "s-doc", "s-c"):
        with pytest.raises(Erased) as caught:
            node(viewer(workspace, sees_all=True), nodes[key].uid)
        tombstone = caught.value
        assert (tombstone.uid, tombstone.reason) == (nodes[key].uid, "erasure")
        assert (tombstone.at, tombstone.case_uid) == (row.at, row.case.uid)
        (bare,) = views(viewer(workspace, sees_all=True), [nodes[key]])
        assert (bare.state, bare.hidden, bare.key, bare.label) == ("erased", False, None, None)
        assert (bare.fields, bare.attributes) == ({}, {})
    assert node(viewer(workspace), nodes["a-one"].uid).state == "stale"
    quoting = node(viewer(workspace), nodes["q-one"].uid)
    assert (quoting.state, quoting.fields["quote"]) == ("withdrawn", None)


def test_revoked_passage_is_out_of_sight(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA), answer("one", "s-c"))
    row = withdraw(workspace, nodes["s@1"], "revocation")
    for key in ("s-doc", "s-c"):
        seen = node(viewer(workspace), nodes[key].uid)
        assert (seen.state, seen.fields["text"]) == ("withdrawn", None)
        assert seen.withdrawn_by == (row.case.uid,)
    assert node(viewer(workspace), nodes["q-one"].uid).fields["quote"] is None
    assert node(viewer(workspace), nodes["s"].uid).state == "active"


def test_corrected_passage_stays_in_sight_with_its_cases(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA), answer("one", "s-c"))
    row = withdraw(workspace, nodes["s"])
    passage = node(viewer(workspace), nodes["s-c"].uid)
    assert (passage.state, passage.fields["text"]) == ("withdrawn", "Alpha is one.")
    assert passage.withdrawn_by == (row.case.uid,)
    resting = node(viewer(workspace), nodes["a-one"].uid)
    assert (resting.state, resting.withdrawn_by) == ("stale", (row.case.uid,))
    row.ended_at = row.at
    row.save()
    assert node(viewer(workspace), nodes["s-c"].uid).state == "active"
    assert node(viewer(workspace), nodes["a-one"].uid).state == "current"


def ref(kind: str, key: str, uid: str, *, resolved: bool = True) -> dict[str, Any]:
    return {"kind": kind, "key": key, "namespace": "", "uid": uid, "resolved": resolved}


def test_fields_are_as_contracted(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        source("s", ALPHA),
        answer("one", "s-c"),
        [
            record("component", "p", component_kind="parser", name="p", version="1"),
            record("run", "r", run_kind="parse", component="p", used=[
                {"kind": "source_version", "key": "s@1"}, {"kind": "document", "key": "later"},
            ]),
            record("embedding", "e", chunk="s-c", model="m"),
        ],
    )  # fmt: skip
    uid = {key: each.uid for key, each in nodes.items()}

    def fields(key: str) -> dict[str, Any]:
        return dict(node(viewer(workspace), uid[key]).fields)

    assert fields("s-doc") == {
        "source_version": ref("source_version", "s@1", uid["s@1"]),
        "text": ALPHA,
        "digest": nodes["s-doc"].digest,
    }
    assert fields("s-c") == {
        "document": ref("document", "s-doc", uid["s-doc"]),
        "interval": {"start": 0, "end": 13, "unit": "codepoint", "in": "document"},
        "verified_interval": {"start": 0, "end": 13, "unit": "codepoint", "anchor": "exact"},
        "text": "Alpha is one.",
        "digest": nodes["s-c"].digest,
    }
    assert fields("e") == {
        "chunk": ref("chunk", "s-c", uid["s-c"]), "model": "m", "digest": nodes["e"].digest,
    }  # fmt: skip
    run = fields("r")
    assert run["component"] == ref("component", "p", uid["p"])
    assert sorted(run["used"], key=lambda each: str(each["kind"])) == [
        ref("document", "later", uid["later"], resolved=False),
        ref("source_version", "s@1", uid["s@1"]),
    ]
    assert fields("ret-one") == {
        "query": "What?",
        "candidates": [{"rank": 1, "kept": True, "chunk": ref("chunk", "s-c", uid["s-c"])}],
    }
    assert fields("ctx-one") == {
        "retrieval": ref("retrieval", "ret-one", uid["ret-one"]),
        "items": [{"position": 1, "chunk": ref("chunk", "s-c", uid["s-c"])}],
    }
    assert fields("a-one")["question"] == "What?"
    assert fields("a-one")["text"] == "Alpha is one. [1]"
    assert fields("q-one")["claim"] == ref("claim", "k-one", uid["k-one"])
    assert fields("q-one")["quote"] == "Alpha is one."


def test_many_nodes_leave_whole_texts_and_members_out(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        source("s", ALPHA),
        [record("index_snapshot", "i", collection="c", chunks=["s-c"])],
    )
    seen = {each.key: each for each in views(viewer(workspace), [nodes["s-doc"], nodes["i"]])}
    assert seen["s-doc"].fields["text"] is None
    assert "chunks" not in seen["i"].fields
    members = node(viewer(workspace), nodes["i"].uid).fields["chunks"]
    assert members == [ref("chunk", "s-c", nodes["s-c"].uid)]


def test_views_keep_the_order_and_show_placeholders(workspace: Workspace) -> None:
    nodes = load(
        workspace, [record("chunk", "c", document="nowhere", interval={"start": 0, "end": 1})]
    )
    wanted = [nodes["nowhere"], nodes["c"]]
    seen = views(viewer(workspace), wanted)
    assert [each.key for each in seen] == ["nowhere", "c"]
    assert [each.resolved for each in seen] == [False, True]
    assert "unresolved_reference" in {flag.code for flag in seen[1].flags}


def test_queries_do_not_grow_with_the_nodes(workspace: Workspace) -> None:
    first = load(workspace, source("s", ALPHA, acl=["staff"]), answer("one", "s-c"))
    withdraw(workspace, first["s"])
    more = load(workspace, source("t", ALPHA, acl=["staff"]), answer("two", "t-c"))
    counts = []
    for nodes in (first, more):
        with CaptureQueriesContext(connection) as queries:
            views(viewer(workspace, "staff"), list(nodes.values()))
        counts.append(len(queries))
    assert counts[0] == counts[1]
