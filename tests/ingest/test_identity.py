"""Identity, binding and repair, one name a rule; expected values by hand."""

from typing import Any

import pytest

from lineage.content.passages import texts_of
from lineage.models import Node, Rebinding, Reference, Sighting, UidAlias
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import LATER, T, codes, impact, node, record, send

pytestmark = [
    pytest.mark.django_db(databases=["default", "keys"]),
    pytest.mark.usefixtures("graph"),
]

EARLIER = "2026-02-01T10:00:00Z"
MUCH_LATER = "2026-06-01T10:00:00Z"
OLD_TEXT = "Alpha is one. Beta is two."
NEW_TEXT = "Gamma is three. Delta is four."


def documented(text: str, at: str | None = T) -> list[dict[str, Any]]:
    """A document and its chunk k1 over the first 13 code points, both keys re-used by each call."""
    return [
        record("document", "d1", source_version="v1", text=text, at=at),
        record("chunk", "k1", document="d1", interval={"start": 0, "end": 13}, at=at),
    ]


SOURCE = [record("source", "s1", title="S"), record("source_version", "v1", source="s1", text="v")]


def answered(name: str, at: str | None, **citation: Any) -> list[dict[str, Any]]:
    return [
        record("retrieval", f"r-{name}", at=at, candidates=[{"chunk": "k1", "rank": 1}]),
        record("context", f"x-{name}", at=at, retrieval=f"r-{name}", items=[{"chunk": "k1", "position": 1}]),
        record("answer", f"a-{name}", at=at, context=f"x-{name}", text="It is one. [1]"),
        record("claim", f"c-{name}", at=at, answer=f"a-{name}", interval={"start": 0, "end": 10}),
        record("citation", f"q-{name}", at=at, claim=f"c-{name}", marker="[1]",
               **(citation or {"position": 1})),
    ]  # fmt: skip


def passage_of(workspace: Workspace, citation: str) -> str:
    """The text of the chunk that the citation quotes."""
    row = Reference.objects.get(workspace=workspace, holder__key=citation, edge="WAS_QUOTED_FROM")
    assert row.to_node is not None
    return texts_of([row.to_node])[row.to_node.pk]


def test_re_used_key_keeps_the_old_passage_for_old_answers(workspace: Workspace) -> None:
    send(workspace, [*SOURCE, *documented(OLD_TEXT), *answered("old", T)])
    send(workspace, [*documented(NEW_TEXT, LATER), *answered("new", LATER)])
    assert passage_of(workspace, "q-old") == "Alpha is one."
    assert passage_of(workspace, "q-new") == "Gamma is thre"
    assert Node.objects.filter(workspace=workspace, kind="chunk", key="k1").count() == 2


def test_re_used_key_is_told(workspace: Workspace) -> None:
    first = send(workspace, [*SOURCE, *documented(OLD_TEXT)])
    again = send(workspace, documented(NEW_TEXT, LATER))
    assert codes(first[2]) == set()
    assert codes(again[0]) == {"key_reused"}
    assert codes(again[1]) == {"key_reused"}


def test_late_older_revision_takes_over_the_answers_of_its_time(workspace: Workspace) -> None:
    """The new revision came first; an answer of the old time was bound to it, until the old one arrived."""
    send(workspace, [*SOURCE, *documented(NEW_TEXT, LATER), *answered("old", T)])
    assert passage_of(workspace, "q-old") == "Gamma is thre"
    send(workspace, documented(OLD_TEXT, EARLIER))
    assert passage_of(workspace, "q-old") == "Alpha is one."
    moved = Rebinding.objects.filter(workspace=workspace, holder__key="q-old").get()
    assert moved.old_uid != moved.new_uid
    newer = Node.objects.get(workspace=workspace, kind="chunk", occurred_at=LATER)
    assert impact(workspace, newer) == {}


def test_placeholder_is_repaired_when_the_record_arrives(workspace: Workspace) -> None:
    outcomes = send(workspace, answered("early", T))
    assert codes(outcomes[0]) == {"unresolved_reference"}
    assert [w.pointer for w in outcomes[0].warnings] == ["/candidates/0/chunk"]
    placeholder = node(workspace, "chunk", "k1")
    assert (placeholder.resolved, placeholder.provisional) == (False, True)
    assert impact(workspace, placeholder) == {"a-early": "cited"}
    send(workspace, [*SOURCE, *documented(OLD_TEXT)])
    repaired = node(workspace, "chunk", "k1")
    assert (repaired.resolved, repaired.provisional) == (True, False)
    assert passage_of(workspace, "q-early") == "Alpha is one."
    assert impact(workspace, node(workspace, "source", "s1")) == {"a-early": "cited"}
    alias = UidAlias.objects.get(workspace=workspace, uid=placeholder.uid)
    assert alias.node_id == repaired.pk
    assert node(workspace, "retrieval", "r-early").flags == []


def test_provisional_uid_settles_and_leads_on(workspace: Workspace) -> None:
    chunk = record(
        "chunk", "k1", document="d1", interval={"start": 0, "end": 13}, text="Alpha is one."
    )
    early = send(workspace, [chunk])[0]
    assert node(workspace, "chunk", "k1").provisional
    send(workspace, [*SOURCE, record("document", "d1", source_version="v1", text=OLD_TEXT)])
    settled = node(workspace, "chunk", "k1")
    assert not settled.provisional
    assert settled.uid != early.uid
    assert UidAlias.objects.get(uid=early.uid).node_id == settled.pk
    assert send(workspace, [chunk])[0].uid == settled.uid


def test_ambiguous_namespace_binds_only_if_the_key_is_unique(workspace: Workspace) -> None:
    anywhere = {"chunk": {"key": "k1", "namespace": None}, "rank": 1}
    send(workspace, [*SOURCE, *documented(OLD_TEXT)])
    bound = send(workspace, [record("retrieval", "r1", candidates=[anywhere])])[0]
    assert codes(bound) == set()
    other = [
        record(
            "document",
            "d1",
            namespace="b",
            source_version={"key": "v1", "namespace": ""},
            text=NEW_TEXT,
        ),
        record("chunk", "k1", namespace="b", document="d1", interval={"start": 0, "end": 5}),
    ]
    send(workspace, other)
    row = Reference.objects.get(workspace=workspace, holder__key="r1", edge="RETRIEVED")
    assert row.status == Reference.Status.AMBIGUOUS
    assert row.to_node is not None
    assert not row.to_node.resolved
    assert [flag["code"] for flag in node(workspace, "retrieval", "r1").flags] == [
        "unresolved_reference"
    ]


def test_reference_without_event_time_among_several_revisions_is_ambiguous(
    workspace: Workspace,
) -> None:
    send(workspace, [*SOURCE, *documented(OLD_TEXT), *documented(NEW_TEXT, LATER)])
    outcome = send(
        workspace, [record("retrieval", "r1", at=None, candidates=[{"chunk": "k1", "rank": 1}])]
    )[0]
    assert codes(outcome) == {"unresolved_reference"}
    assert "Several revisions" in outcome.warnings[0].detail


def test_event_time_of_an_answer_is_its_retrievals(workspace: Workspace) -> None:
    """The answer came months after its retrieval: it still shows what was retrieved."""
    send(workspace, [*SOURCE, *documented(OLD_TEXT), *documented(NEW_TEXT, LATER)])
    records = answered("slow", MUCH_LATER)
    records[0]["occurred_at"] = T
    send(workspace, records)
    assert passage_of(workspace, "q-slow") == "Alpha is one."


def test_citation_binds_first_among_its_answers_context(workspace: Workspace) -> None:
    """The context names the new revision by digest; the citation says only the key."""
    send(workspace, [*SOURCE, *documented(OLD_TEXT), *documented(NEW_TEXT, LATER)])
    digest = Node.objects.get(workspace=workspace, kind="chunk", occurred_at=LATER).digest
    records = answered("a", T, chunk="k1")
    records[1]["items"] = [{"chunk": {"key": "k1", "digest": digest}, "position": 1}]
    send(workspace, records)
    assert passage_of(workspace, "q-a") == "Gamma is thre"


def test_attributes_of_one_node_are_resolved_one_by_one(workspace: Workspace) -> None:
    send(workspace, [
        record("source", "s1", title="Late title", at=LATER),
        record("source", "s1", title="Early title", language="en", at=T),
        record("source", "s1", title="Untimed title", jurisdiction="BR", at=None),
    ])  # fmt: skip
    source = node(workspace, "source", "s1")
    assert source.label == "Late title"
    assert (source.fields["language"], source.fields["jurisdiction"]) == ("en", "BR")
    assert Sighting.objects.filter(workspace=workspace, kind="source").count() == 3


def test_inputs_of_a_run_add_up(workspace: Workspace) -> None:
    send(workspace, [*SOURCE, record("source_version", "v2", source="s1", text="w")])
    for key, at in (("v1", T), ("v2", LATER)):
        send(workspace, [record("run", "r", run_kind="parse", at=at,
                                used=[{"kind": "source_version", "key": key}])])  # fmt: skip
    used = Reference.objects.filter(workspace=workspace, edge="USED").order_by("to_node__key")
    assert list(used.values_list("to_node__key", flat=True)) == ["v1", "v2"]


def test_the_same_record_sent_twice_is_unchanged_and_keeps_its_uid(workspace: Workspace) -> None:
    records = [*SOURCE, *documented(OLD_TEXT), *answered("a", T)]
    first = send(workspace, records)
    second = send(workspace, list(reversed(records)))
    assert {one.status for one in first} == {"stored"}
    assert {one.status for one in second} == {"unchanged"}
    assert {one.key: one.uid for one in first} == {one.key: one.uid for one in second}


def test_uids_of_two_workspaces_are_unrelated(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="other")
    mine, theirs = send(workspace, SOURCE), send(other, SOURCE)
    assert not {one.uid for one in mine} & {one.uid for one in theirs}


def test_a_foreign_uid_in_a_reference_is_unknown(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="other")
    foreign = send(other, [*SOURCE, *documented(OLD_TEXT)])[3]
    outcome = send(
        workspace,
        [record("retrieval", "r", candidates=[{"chunk": {"uid": foreign.uid}, "rank": 1}])],
    )[0]
    assert codes(outcome) == {"unresolved_reference"}
    row = Reference.objects.get(workspace=workspace, holder__key="r")
    assert row.to_node is None


def test_a_passage_is_always_that_of_its_document_of_its_version(workspace: Workspace) -> None:
    """The same document key and text under two versions: two documents, two chunks."""
    send(
        workspace,
        [*SOURCE, record("source_version", "v2", source="s1", text="w"), *documented(OLD_TEXT)],
    )
    send(workspace, [
        record("document", "d1", source_version="v2", text=OLD_TEXT, at=LATER),
        record("chunk", "k1", document="d1", interval={"start": 0, "end": 13}, at=LATER),
    ])  # fmt: skip
    chunks = Node.objects.filter(workspace=workspace, kind="chunk", key="k1")
    assert {one.version.key for one in chunks if one.version} == {"v1", "v2"}
    assert len({one.uid for one in chunks}) == 2


def test_repeated_text_with_one_interval_is_kept_and_told(workspace: Workspace) -> None:
    outcomes = send(workspace, [
        *SOURCE,
        record("document", "d", source_version="v1", text="chunk chunk"),
        record("chunk", "c0", document="d", text="chunk", interval={"start": 0, "end": 5}),
        record("chunk", "c1", document="d", text="chun", interval={"start": 0, "end": 4}),
        record("chunk", "c2", document="d", text="chunk", interval={"start": 0, "end": 5}),
        record("chunk", "c3", document="d", text="chunk", interval={"start": -1, "end": 4}),
    ])  # fmt: skip
    warned = {one.key: codes(one) for one in outcomes[3:]}
    assert warned["c0"] == warned["c2"] == {"interval_ambiguous"}
    assert warned["c1"] == set()
    assert node(workspace, "chunk", "c0").anchor == node(workspace, "chunk", "c2").anchor == "exact"
    assert warned["c3"] == {"interval_unverifiable"}
    assert node(workspace, "chunk", "c3").start is None


def test_component_is_known_by_its_key_with_its_configuration(workspace: Workspace) -> None:
    """The same name and version with another configuration is another component; a template binds by digest."""
    parts = {"component_kind": "prompt", "name": "ask", "version": "1"}
    one, two = "sha256:" + "1" * 64, "sha256:" + "2" * 64
    send(workspace, [
        record("component", "prompt:ask@1", config_digest=one, **parts),
        record("component", "prompt:ask@1", config_digest=two, at=LATER, **parts),
        record("context", "x", template={"name": "ask", "version": "1", "digest": two}, items=[]),
    ])  # fmt: skip
    nodes = Node.objects.filter(workspace=workspace, kind="component", key="prompt:ask@1")
    assert {node.digest for node in nodes} == {one, two}
    assert len({node.uid for node in nodes}) == 2
    row = Reference.objects.get(workspace=workspace, holder__key="x", relation="prompt")
    assert row.to_node is not None
    assert (row.status, row.to_node.digest) == (Reference.Status.BOUND, two)


def test_texts_that_one_node_takes_to_another_owner_stay_with_the_others(
    workspace: Workspace,
) -> None:
    send(
        workspace,
        [
            record("source", "A", title="A"),
            record("source", "B", title="B"),
            record("source_version", "v", source="A", at="2026-01-01T00:00:00Z"),
            *(
                one
                for name, at in (("1", "2026-01-05T00:00:00Z"), ("2", "2026-01-20T00:00:00Z"))
                for one in (
                    record("document", f"d{name}", source_version="v", text="Alpha is.", at=at),
                    record(
                        "chunk", f"c{name}", document=f"d{name}",
                        interval={"start": 0, "end": 9}, at=at,
                    ),
                    record(
                        "fact", f"f{name}", subject_of=f"c{name}",
                        subject="Alpha", predicate="is", object=name,
                    ),
                )
            ),
        ],
    )  # fmt: skip
    # The version of the second document was another work's.
    send(workspace, [record("source_version", "v", source="B", at="2026-01-10T00:00:00Z")])
    facts = list(Node.objects.filter(workspace=workspace, kind="fact").order_by("key"))
    assert [fact.owner.key for fact in facts if fact.owner] == ["A", "B"]
    assert list(texts_of(facts).values()) == ["Alpha is 1", "Alpha is 2"]
