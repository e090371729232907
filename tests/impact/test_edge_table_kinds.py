"""The lines of the edge table that hold for many kinds of things: a world with each kind, answers by hand.

What each test expects is complete, as in test_edge_table.py: "a-two" is the answer on a work
that nothing here has to do with.
"""

from typing import Any, Final

import pytest

from lineage.graph.projection import project_case
from lineage.models import Withdrawal
from lineage.vocabulary import Edge
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.impact.edge_lines import about
from tests.impact.test_edge_table import cited, versioned
from tests.impact.test_traps import TEXT, reached, sourced
from tests.ingest.sending import node, record, send
from tests.nodes.world import withdraw

pytestmark = [
    pytest.mark.django_db(databases=["default", "keys"]),
    pytest.mark.usefixtures("graph"),
]

# What "a" cites and "b" was given a fact of, by kind.
_ABOVE: Final = ("source", "source_version", "acquisition", "document", "part", "chunk")
_OF_A_AND_B: Final = {"a": "cited", "b": "in_context"}
_OF_A: Final = {"a": "produced"}


def every_kind() -> list[dict[str, Any]]:
    """One of each kind, KIND-1, each made by a run of its own, by-KIND; and the work "two" beside it."""

    def made(kind: str, **fields: Any) -> dict[str, Any]:
        return record(kind, f"{kind}-1", run=f"by-{kind}", **fields)

    return [
        made("source", title="S", creators=[{"agent": "ann", "role": "creator"}]),
        made("source_version", source="source-1", text=f"One: {TEXT}"),
        made("acquisition", source_version="source_version-1", http_status=200),
        made("document", source_version="source_version-1", acquisition="acquisition-1", text=TEXT),
        made("part", document="document-1", part_kind="page", interval={"start": 0, "end": 20}),
        made("chunk", document="document-1", interval={"start": 0, "end": 13},
             parent={"kind": "part", "key": "part-1"}),
        made("fact", subject_of="chunk-1", subject="Alpha", predicate="is", object="one"),
        made("embedding", chunk="chunk-1", model="m", vector_digest="sha256:" + "1" * 64),
        made("index_snapshot", collection="c", embeddings=["embedding-1"]),
        made("retrieval", index_snapshot="index_snapshot-1", candidates=[{"chunk": "chunk-1", "rank": 1}]),
        made("context", retrieval="retrieval-1", items=[{"chunk": "chunk-1", "position": 1}]),
        record("answer", "a", context="context-1", text="Alpha is one. [1]", run="by-answer"),
        record("claim", "claim-1", answer="a", interval={"start": 0, "end": 13}),
        record("citation", "citation-1", claim="claim-1", marker="[1]", chunk="chunk-1"),
        record("context", "context-b", items=[{"fact": "fact-1", "position": 1}]),
        record("answer", "b", context="context-b", text="Alpha."),
        *sourced("two"), *cited("two"),
    ]  # fmt: skip


@about(Edge.WAS_GENERATED_BY)
def test_was_generated_by_leads_from_a_run_to_what_it_made_of_every_kind(
    workspace: Workspace,
) -> None:
    """Each with what that one thing reaches, and not with what other runs made."""
    send(workspace, every_kind())
    for kind in _ABOVE:
        assert reached(workspace, "run", f"by-{kind}") == _OF_A_AND_B, kind
    assert reached(workspace, "run", "by-fact") == {"b": "in_context"}
    assert reached(workspace, "run", "by-embedding") == {"a": "cited"}
    for kind in ("index_snapshot", "retrieval", "context", "answer"):
        assert reached(workspace, "run", f"by-{kind}") == _OF_A, kind


@about(Edge.USED, *(f"run → {kind}" for kind in (*_ABOVE[2:], "fact", "embedding", "index_snapshot",
                                                 "retrieval", "context", "answer", "claim", "citation")))  # fmt: skip
def test_used_does_not_lead_from_things_of_later_stages_to_what_the_run_made(
    workspace: Workspace,
) -> None:
    """A run read one of each kind and wrote a version: nothing of them may have become that version."""
    later = (*_ABOVE[2:], "fact", "embedding", "index_snapshot", "retrieval", "context")
    used = [{"kind": kind, "key": f"{kind}-1"} for kind in (*later, "claim", "citation")]
    send(workspace, [
        *every_kind(), record("source", "s", title="S"),
        record("run", "r", run_kind="pipeline", used=[*used, {"kind": "answer", "key": "a"}]),
        *versioned("s", "v-out", run="r"),
    ])  # fmt: skip
    for kind in _ABOVE[2:]:
        assert reached(workspace, kind, f"{kind}-1") == _OF_A_AND_B, kind
    assert reached(workspace, "fact", "fact-1") == {"b": "in_context"}
    for kind in ("embedding", "claim", "citation"):
        assert reached(workspace, kind, f"{kind}-1") == {"a": "cited"}, kind
    for kind in ("index_snapshot", "retrieval", "context"):
        assert reached(workspace, kind, f"{kind}-1") == _OF_A, kind
    assert reached(workspace, "answer", "a") == {}
    assert reached(workspace, "run", "r") == {"a-v-out": "cited"}


@about(Edge.WAS_DERIVED_FROM, *(f"{effect} → {cause}" for effect in ("source", "source_version")
                                for cause in ("source", "source_version", "document")))  # fmt: skip
def test_was_derived_from_leads_from_works_versions_and_documents_to_what_says_so(
    workspace: Workspace,
) -> None:
    """Works (w-) and versions (v-) that name a work, a version and a document that they were made from."""
    causes = {"source": "s-one", "source_version": "v-one", "document": "d-one"}
    send(workspace, [
        *sourced("one"), *sourced("two"), *cited("two"),
        *(one for kind, key in causes.items() for named in [[{"kind": kind, "key": key}]] for one in (
            record("source", f"s-w-{kind}", title=kind, derived_from=named),
            *versioned(f"s-w-{kind}", f"w-{kind}"),
            record("source", f"s-v-{kind}", title=kind),
            *versioned(f"s-v-{kind}", f"v-{kind}", derived_from=named))),
    ])  # fmt: skip
    of = {kind: {f"a-w-{kind}": "cited", f"a-v-{kind}": "cited"} for kind in causes}
    assert reached(workspace, "document", "d-one") == of["document"]
    assert reached(workspace, "source_version", "v-one") == of["source_version"] | of["document"]
    assert reached(workspace, "source", "s-one") == {
        answer: grade for each in of.values() for answer, grade in each.items()
    }


@about(Edge.WAS_INVALIDATED_BY)
def test_was_invalidated_by_blames_nothing_that_the_same_case_names_of_any_kind(
    workspace: Workspace,
) -> None:
    send(workspace, [
        *every_kind(),
        record("component", "c", component_kind="parser", name="parser", version="1"),
        record("run", "by-document", run_kind="parse", component="c"),
    ])  # fmt: skip
    named = [
        *((kind, f"{kind}-1") for kind in (*_ABOVE, "fact", "embedding", "index_snapshot")),
        ("component", "c"), ("run", "by-document"), ("agent", "ann"),
    ]  # fmt: skip
    before = {start: reached(workspace, *start) for start in named}
    assert before["fact", "fact-1"] == {"b": "in_context"}
    assert before["index_snapshot", "index_snapshot-1"] == _OF_A
    case = withdraw(workspace, node(workspace, "source", "s-two"), "retraction").case
    for start in named:
        Withdrawal.objects.create(
            workspace=workspace, case=case, node=node(workspace, *start), at=clock.now()
        )
    project_case(case.pk)
    assert {start: reached(workspace, *start) for start in named} == before
    assert reached(workspace, "source", "s-two") == {"a-two": "cited"}
