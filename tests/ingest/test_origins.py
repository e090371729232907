"""What is derived from an origin is withdrawn when the origin says something else.

The end state is that of a workspace which was never told anything but what stands now.
"""

import secrets
from collections.abc import Sequence
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, given

from lineage.content.passages import texts_of
from lineage.formats.records import parse_record
from lineage.graph.dump import dump
from lineage.ingest.apply import apply_records
from lineage.models import Blob, Derivation, Node, SearchWord, Sighting, UidAlias
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import LATER, impact, node, record, send, standing_graph
from tests.ingest.test_order import worlds

pytestmark = pytest.mark.django_db(databases=["default", "keys"])

CHAIN = (
    record("source", "s", title="S"),
    record("source_version", "v", source="s"),
    record("document", "d", source_version="v", text="Alpha beta."),
    record("chunk", "c", document="d", interval={"start": 0, "end": 5}),
)
TRACE = (
    record("retrieval", "r", candidates=[{"chunk": "c", "rank": 1}]),
    record("context", "x", retrieval="r", items=[{"chunk": "c", "position": 1}]),
    record("answer", "a", context="x", text="Alpha it is, they say."),
    record("claim", "k", answer="a", interval={"start": 0, "end": 11}),
    record("citation", "q", claim="k", marker="[1]", chunk="c"),
)


def derive(workspace: Workspace, origin: str, records: Sequence[dict[str, Any]]) -> None:
    apply_records(workspace, [parse_record(i, one) for i, one in enumerate(records)], origin=origin)


def fresh() -> Workspace:
    slug = f"origin-{secrets.token_hex(6)}"
    return Workspace.objects.create(slug=slug, name=slug, uid_key="ab" * 32)


def test_what_the_origin_says_no_more_leaves_store_graph_search_and_content(
    graph: object, workspace: Workspace
) -> None:
    send(workspace, CHAIN)
    before, words = dump(workspace.pk), SearchWord.objects.count()
    blobs = Blob.objects.count()
    derive(workspace, "one", TRACE)
    assert len(dump(workspace.pk)[0]) == len(before[0]) + 5
    derive(workspace, "one", ())
    assert dump(workspace.pk) == before
    assert Node.objects.filter(workspace=workspace).count() == 4
    assert (SearchWord.objects.count(), Blob.objects.count()) == (words, blobs)
    assert not Derivation.objects.exists()
    assert Sighting.objects.filter(workspace=workspace).count() == 4
    assert not UidAlias.objects.exists()


def test_an_answer_that_was_mistaken_gives_way_to_another(workspace: Workspace) -> None:
    send(workspace, CHAIN)
    derive(workspace, "one", TRACE)
    other = record("answer", "b", context="x", text="Beta.")
    derive(workspace, "one", [*TRACE[:2], other])
    assert impact(workspace, node(workspace, "chunk", "c")) == {"b": "in_context"}
    assert not Node.objects.filter(workspace=workspace, key__in=["a", "k", "q"]).exists()


def test_what_another_names_stays_as_a_placeholder_and_comes_back(workspace: Workspace) -> None:
    send(workspace, CHAIN)
    derive(workspace, "one", TRACE)
    send(workspace, [record("claim", "mine", answer="a", text="they say")])
    uid = node(workspace, "answer", "a").uid
    derive(workspace, "one", TRACE[:2])
    left = node(workspace, "answer", "a")
    assert not left.resolved
    assert left.fields == {}
    derive(workspace, "one", TRACE)
    assert node(workspace, "answer", "a").uid == uid
    assert texts_of([node(workspace, "answer", "a")]) == {left.pk: "Alpha it is, they say."}


@pytest.mark.parametrize("direct_first", [True, False])
def test_what_was_sent_as_such_or_by_another_origin_stands(
    workspace: Workspace, direct_first: bool
) -> None:
    send(workspace, CHAIN)
    if direct_first:
        send(workspace, TRACE[2:3])
    derive(workspace, "one", TRACE)
    derive(workspace, "two", TRACE[:2])
    if not direct_first:
        send(workspace, TRACE[2:3])
    derive(workspace, "one", ())
    kinds = {"source", "source_version", "document", "chunk", "retrieval", "context", "answer"}
    assert set(Node.objects.filter(workspace=workspace).values_list("kind", flat=True)) == kinds
    derive(workspace, "two", ())
    assert node(workspace, "answer", "a").resolved
    assert not node(workspace, "context", "x").resolved


def test_a_revision_of_a_key_goes_and_the_other_stays(workspace: Workspace) -> None:
    send(workspace, CHAIN)
    derive(workspace, "one", [record("chunk", "c", at=LATER, document="d", text="beta")])
    assert Node.objects.filter(workspace=workspace, kind="chunk").count() == 2
    derive(workspace, "one", ())
    assert node(workspace, "chunk", "c").start == 0


@hypothesis.settings(
    max_examples=hypothesis.settings().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    phases=[Phase.generate, Phase.shrink],
)
@given(before=worlds(), after=worlds(), direct=worlds())
def test_the_end_state_is_that_of_what_stands(
    db: None,
    before: list[dict[str, Any]],
    after: list[dict[str, Any]],
    direct: list[dict[str, Any]],
) -> None:
    for workspace in Workspace.objects.all():
        Node.objects.filter(workspace=workspace).delete()
        workspace.delete()
    plain = fresh()
    send(plain, [*direct, *after])
    expected = standing_graph(plain)
    Node.objects.filter(workspace=plain).delete()
    plain.delete()
    changed = fresh()
    derive(changed, "one", before)
    send(changed, direct[: len(direct) // 2])
    derive(changed, "one", after)
    send(changed, direct)
    for stands, should in zip(standing_graph(changed), expected, strict=True):
        assert stands == should
