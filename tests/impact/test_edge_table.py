"""Every line of the edge table, and of the rules beneath it: who is reached, with which grade, and who is not.

What each test expects is complete: an answer that is not named must not appear. The traps of
the table (shared runs, members, claims through contexts, revisions, runs that speak for their
outputs, roles of versions, caches, overlapping parts) are in test_traps.py.
"""

from typing import Any

import pytest

from lineage.graph.dump import dump
from lineage.graph.projection import project_case
from lineage.graph.walk import downstream, upstream
from lineage.impact.stages import downstream_counts
from lineage.models import AnswerEffect, Node, Withdrawal
from lineage.vocabulary import AnswerState, Edge, Grade
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.impact.edge_lines import about
from tests.impact.test_traps import TEXT, answered, reached, sourced
from tests.ingest.sending import LATER, node, record, send
from tests.nodes.world import viewer, withdraw

pytestmark = [
    pytest.mark.django_db(databases=["default", "keys"]),
    pytest.mark.usefixtures("graph"),
]


def cited(name: str, *, of: str | None = None) -> list[dict[str, Any]]:
    """The answer a-NAME cites the chunk k-OF, the only one that it was given."""
    chunk = f"k-{of or name}"
    return answered(name, retrieved=[chunk], context=[chunk], cites=chunk)


def versioned(source: str, version: str, **fields: Any) -> list[dict[str, Any]]:
    """A version with a document, a chunk k-VERSION and an answer a-VERSION that cites it."""
    return [
        record("source_version", version, source=source, text=f"{version}: {TEXT}", **fields),
        record("document", f"d-{version}", source_version=version, text=TEXT),
        record("chunk", f"k-{version}", document=f"d-{version}", interval={"start": 0, "end": 13}),
        *cited(version),
    ]


# -- SPECIALIZATION_OF, WAS_REVISION_OF ---------------------------------------------------------


@about(Edge.SPECIALIZATION_OF)
@about(Edge.WAS_DERIVED_FROM, "document → source_version")
def test_specialization_of_leads_from_a_source_to_all_its_versions_and_not_between_them(
    workspace: Workspace,
) -> None:
    send(workspace, [
        record("source", "s", title="S"), record("source", "t", title="T"),
        *versioned("s", "v1"), *versioned("s", "v2"), *versioned("t", "w1"),
    ])  # fmt: skip
    assert reached(workspace, "source", "s") == {"a-v1": "cited", "a-v2": "cited"}
    assert reached(workspace, "source_version", "v1") == {"a-v1": "cited"}


@about(Edge.WAS_REVISION_OF, "answer → answer")
def test_was_revision_of_is_never_crossed_between_answers(workspace: Workspace) -> None:
    send(workspace, [
        *sourced("one"), *sourced("two"), *cited("one"),
        *answered("new", retrieved=["k-two"], context=["k-two"], cites="k-two", revision_of="a-one"),
    ])  # fmt: skip
    assert reached(workspace, "answer", "a-one") == {}
    assert reached(workspace, "chunk", "k-one") == {"a-one": "cited"}


# -- WAS_DERIVED_FROM ---------------------------------------------------------------------------


@about(Edge.WAS_DERIVED_FROM, "acquisition → source_version", "document → acquisition")
def test_was_derived_from_an_acquisition_reaches_the_documents_made_of_that_response(
    workspace: Workspace,
) -> None:
    send(workspace, [
        *sourced("one", acquisition="q-first"), *cited("one"), *sourced("two"),
        record("acquisition", "q-first", source_version="v-one", http_status=200),
        record("acquisition", "q-again", source_version="v-one", http_status=200),
        # A document of one version, made of what came when another was fetched.
        record("document", "d-both", source_version="v-one", acquisition="q-two", text=f"{TEXT} Both."),
        record("acquisition", "q-two", source_version="v-two", http_status=200),
        record("chunk", "k-both", document="d-both", interval={"start": 0, "end": 13}),
        *cited("both"),
    ])  # fmt: skip
    assert reached(workspace, "acquisition", "q-first") == {"a-one": "cited"}
    assert reached(workspace, "acquisition", "q-again") == {}
    assert reached(workspace, "source_version", "v-one") == {"a-one": "cited", "a-both": "cited"}
    assert reached(workspace, "source_version", "v-two") == {"a-both": "cited"}


@about(Edge.WAS_DERIVED_FROM, "part → document", "part → part", "chunk → part")
def test_was_derived_from_a_part_reaches_what_lies_in_it_and_in_its_parts(
    workspace: Workspace,
) -> None:
    send(workspace, [
        *sourced("one"), *cited("one"),
        record("part", "section", document="d-one", part_kind="section", interval={"start": 0, "end": 40}),
        record("part", "table", document="d-one", part_kind="table", parent="section",
               interval={"start": 28, "end": 40}),
        record("chunk", "k-table", document="d-one", interval={"start": 28, "end": 40},
               parent={"kind": "part", "key": "table"}),
        *cited("table"),
        # A chapter that nobody says the place of has its parts all the same; and of the chunk of
        # another document the page that it names is a part of this one.
        record("part", "chapter", document="d-one", part_kind="section"),
        record("part", "page", document="d-one", part_kind="page", parent="chapter",
               interval={"start": 41, "end": 42}),
        *sourced("two"),
        record("chunk", "k-page", document="d-two", interval={"start": 14, "end": 26},
               parent={"kind": "part", "key": "page"}),
        *cited("page"),
    ])  # fmt: skip
    assert reached(workspace, "part", "section") == {"a-one": "cited", "a-table": "cited"}
    assert reached(workspace, "part", "table") == {"a-table": "cited"}
    assert reached(workspace, "part", "chapter") == {"a-page": "cited"}
    assert reached(workspace, "document", "d-two") == {"a-page": "cited"}
    assert reached(workspace, "document", "d-one") == {
        "a-one": "cited", "a-table": "cited", "a-page": "cited",
    }  # fmt: skip


@about(Edge.WAS_DERIVED_FROM, "chunk → document", "chunk → chunk")
def test_was_derived_from_a_chunk_leads_to_its_sub_chunks_and_not_back(
    workspace: Workspace,
) -> None:
    send(workspace, [
        *sourced("one"), *cited("one"), *sourced("two"), *cited("two"),
        record("chunk", "k-small", document="d-one", interval={"start": 0, "end": 5},
               parent={"kind": "chunk", "key": "k-one"}),
        *cited("small"),
    ])  # fmt: skip
    assert reached(workspace, "chunk", "k-one") == {"a-one": "cited", "a-small": "cited"}
    assert reached(workspace, "chunk", "k-small") == {"a-small": "cited"}
    assert reached(workspace, "document", "d-one") == {"a-one": "cited", "a-small": "cited"}


def facts(workspace: Workspace) -> None:
    """A fact of k-one that one answer cites, one was given, one found and dropped; another cites the chunk.

    One of k-two was found twice; k-two itself was given to one of them. It has no embedding.
    """
    chosen = {"fact": "f", "position": 1}
    send(workspace, [
        *sourced("one"), *sourced("two"), *cited("one"),
        record("fact", "f", subject_of="k-one", subject="Alpha", predicate="is", object="one"),
        record("fact", "g", subject_of="k-one", subject="Beta", predicate="is", object="two"),
        record("fact", "h", subject_of="k-two", subject="Gamma", predicate="is", object="three"),
        record("embedding", "e", fact="f", entity="Alpha", model="e5", vector_digest="sha256:" + "1" * 64),
        record("index_snapshot", "facts", collection="f", embeddings=["e"]),
        record("retrieval", "r", index_snapshot="facts", candidates=[{"fact": "f", "rank": 1}, {"fact": "h", "rank": 2}]),
        record("context", "x", retrieval="r", items=[chosen]),
        record("answer", "a-fact", context="x", text="Alpha is one. [1]"),
        record("claim", "c", answer="a-fact", interval={"start": 0, "end": 13}),
        record("citation", "q", claim="c", marker="[1]", fact="f"),
        record("context", "x-given", items=[chosen]),
        record("answer", "a-given", context="x-given", text="Alpha."),
        record("context", "x-found", retrieval="r", items=[{"chunk": "k-two", "position": 1}]),
        record("answer", "a-found", context="x-found", text="Two."),
    ])  # fmt: skip


@about(Edge.WAS_DERIVED_FROM, "fact → chunk", "embedding → fact")
@about(Edge.RETRIEVED, "retrieval → fact")
@about(Edge.INCLUDED, "context → fact")
@about(Edge.WAS_QUOTED_FROM, "citation → fact")
def test_facts_are_retrieved_included_quoted_and_embedded_like_chunks(workspace: Workspace) -> None:
    facts(workspace)
    assert reached(workspace, "fact", "f") == {
        "a-fact": "cited", "a-given": "in_context", "a-found": "retrieved",
    }  # fmt: skip
    assert reached(workspace, "fact", "g") == {}
    assert reached(workspace, "fact", "h") == {"a-fact": "retrieved", "a-found": "in_context"}
    assert reached(workspace, "embedding", "e") == {"a-fact": "cited", "a-found": "retrieved"}
    assert reached(workspace, "chunk", "k-one") == {
        "a-one": "cited", "a-fact": "cited", "a-given": "in_context", "a-found": "retrieved",
    }  # fmt: skip


@about(Edge.WAS_DERIVED_FROM, "context → retrieval", "answer → context")
def test_was_derived_from_a_retrieval_or_a_context_produces_their_answers_alone(
    workspace: Workspace,
) -> None:
    send(workspace, [
        *sourced("one"), *cited("one"),
        record("retrieval", "r-more", candidates=[{"chunk": "k-one", "rank": 1}]),
        record("context", "x-both", retrieval=["r-one", "r-more"], items=[]),
        record("answer", "a-both", context="x-both", text="Nothing."),
        record("answer", "a-same", context="x-one", text="Once more."),
    ])  # fmt: skip
    assert reached(workspace, "retrieval", "r-more") == {"a-both": "produced"}
    assert reached(workspace, "retrieval", "r-one") == {
        "a-one": "produced", "a-same": "produced", "a-both": "produced",
    }  # fmt: skip
    assert reached(workspace, "context", "x-one") == {"a-one": "produced", "a-same": "produced"}


# -- WAS_ATTRIBUTED_TO --------------------------------------------------------------------------


@about(Edge.WAS_ATTRIBUTED_TO)
def test_was_attributed_to_is_crossed_from_the_agent_alone_in_every_role(
    workspace: Workspace,
) -> None:
    send(workspace, [
        record("source", "s", title="S", publisher={"name": "Press"},
               creators=[{"agent": "ann", "role": "creator"}, {"agent": "ed", "role": "editor"}]),
        *versioned("s", "v", creators=[{"agent": "tom", "role": "translator"}]),
        record("source", "t", title="T", creators=[{"agent": "ann", "role": "creator"}]),
        *versioned("t", "w"),
    ])  # fmt: skip
    assert reached(workspace, "agent", "ann") == {"a-v": "cited", "a-w": "cited"}
    for other in ("ed", "tom", "name:Press@s"):
        assert reached(workspace, "agent", other) == {"a-v": "cited"}, other
    # Two works of one author: the one does not blame the other.
    assert reached(workspace, "source", "s") == {"a-v": "cited"}


def test_agent_in_two_roles_keeps_a_version_that_states_only_one_of_them(
    workspace: Workspace,
) -> None:
    both = [{"agent": "ann", "role": "creator"}, {"agent": "ann", "role": "editor"}]
    other = [{"agent": "bob", "role": "creator"}, {"agent": "bob", "role": "editor"}]
    send(workspace, [
        record("source", "s", title="S", creators=both),
        *versioned("s", "v1", creators=other[:1]), *versioned("s", "v2", creators=other),
    ])  # fmt: skip
    assert reached(workspace, "agent", "ann") == {"a-v1": "cited"}
    assert reached(workspace, "agent", "bob") == {"a-v1": "cited", "a-v2": "cited"}


def test_work_made_of_another_of_the_agents_works_counts_with_all_its_versions(
    workspace: Workspace,
) -> None:
    """Of "s2" the version of Bob alone is not Ann's as her work; but it rests on "s1", which is hers."""
    ann, bob = ([{"agent": who, "role": "creator"}] for who in ("ann", "bob"))
    send(workspace, [
        record("source", "s1", title="One", creators=ann),
        record("source", "s2", title="Two", creators=ann, derived_from=[{"kind": "source", "key": "s1"}]),
        record("source", "s3", title="Three", creators=ann),
        *versioned("s2", "v2", creators=bob), *versioned("s3", "v3", creators=bob),
    ])  # fmt: skip
    assert reached(workspace, "agent", "ann") == {"a-v2": "cited"}
    found = downstream_counts(viewer(workspace), node(workspace, "agent", "ann").uid)
    assert (found.counts["source"], found.counts["source_version"]) == (3, 1)


def test_work_that_a_run_may_have_made_of_the_agents_version_is_possible_with_all_its_versions(
    workspace: Workspace,
) -> None:
    """Of "s" the version of Bob alone is not Ann's; but a run that read hers may have made the work of it."""
    ann, bob = ([{"agent": who, "role": "creator"}] for who in ("ann", "bob"))
    used = [{"kind": "source_version", "key": key} for key in ("v-ann", "v-two")]
    send(workspace, [
        record("source", "s", title="S", creators=ann, run="r"), record("source", "o", title="O", run="r"),
        record("run", "r", run_kind="pipeline", used=used), *sourced("two"),
        *versioned("s", "v-ann"), *versioned("s", "v-bob", creators=bob), *versioned("o", "v-o"),
        record("source", "t", title="T", creators=ann), *versioned("t", "w", creators=bob),
    ])  # fmt: skip
    assert reached(workspace, "agent", "ann") == {
        "a-v-ann": "cited", "a-v-bob": "possible", "a-v-o": "possible",
    }  # fmt: skip
    walk = downstream(workspace.pk, node(workspace, "agent", "ann").uid)
    keys = dict(Node.objects.filter(workspace=workspace).values_list("uid", "key"))
    assert {"a-v-ann", "a-v-bob", "a-v-o", "a-w"} & {keys[uid] for uid in walk.uids} == {
        "a-v-ann", "a-v-bob", "a-v-o",
    }  # fmt: skip
    assert {"a-v-bob", "a-v-o"} <= {keys[uid] for uid in walk.possible}


# -- HAD_MEMBER, RETRIEVED, MATCHED, USED_SNAPSHOT, INCLUDED ------------------------------------


@about(Edge.HAD_MEMBER, "index_snapshot → embedding")
def test_had_member_does_not_lead_from_an_embedding_to_all_that_used_its_snapshot(
    workspace: Workspace,
) -> None:
    send(workspace, [
        *sourced("one"), *sourced("two"),
        *(record("embedding", f"e-{name}", chunk=f"k-{name}", model="m", vector_digest="sha256:" + digit * 64)
          for name, digit in (("one", "1"), ("two", "2"))),
        record("index_snapshot", "i", collection="c", embeddings=["e-one", "e-two"]),
        *cited("two"),
    ])  # fmt: skip
    assert reached(workspace, "embedding", "e-one") == {}
    assert reached(workspace, "embedding", "e-two") == {"a-two": "cited"}


@about(Edge.RETRIEVED, "retrieval → chunk")
@about(Edge.INCLUDED, "context → chunk")
def test_retrieved_counts_as_retrieved_unless_included_or_cited(workspace: Workspace) -> None:
    send(workspace, [
        *sourced("one"), *sourced("two"),
        *answered("drops", retrieved=["k-one", "k-two"], context=["k-two"], cites="k-two"),
        *answered("reads", retrieved=["k-one", "k-two"], context=["k-one", "k-two"], cites="k-two"),
        *answered("cites", retrieved=["k-one", "k-two"], context=["k-one"], cites="k-one"),
    ])  # fmt: skip
    assert reached(workspace, "source", "s-one") == {
        "a-drops": "retrieved", "a-reads": "in_context", "a-cites": "cited",
    }  # fmt: skip


@about(Edge.MATCHED)
@about(Edge.USED_SNAPSHOT)
@about(Edge.WAS_DERIVED_FROM, "embedding → chunk")
def test_matched_is_what_the_candidate_says_else_the_chunks_member_of_that_snapshot(
    workspace: Workspace,
) -> None:
    def embedding(key: str, digit: str) -> dict[str, Any]:
        return record(
            "embedding", key, chunk="k-one", model="m", vector_digest="sha256:" + digit * 64
        )

    send(workspace, [
        *sourced("one"), embedding("e-old", "1"), embedding("e-new", "2"), embedding("e-said", "3"),
        record("index_snapshot", "i", collection="c", embeddings=["e-new"]),
        record("index_snapshot", "before", collection="c", embeddings=["e-old"]),
        *answered("unsaid", retrieved=["k-one"], context=["k-one"]),
        record("retrieval", "r-said", index_snapshot="i",
               candidates=[{"chunk": "k-one", "embedding": "e-said", "rank": 1}]),
        record("context", "x-said", retrieval="r-said", items=[]),
        record("answer", "a-said", context="x-said", text="Nothing."),
    ])  # fmt: skip
    assert reached(workspace, "embedding", "e-new") == {"a-unsaid": "in_context"}
    assert reached(workspace, "embedding", "e-said") == {"a-said": "retrieved"}
    assert reached(workspace, "embedding", "e-old") == {}
    # USED_SNAPSHOT: both were produced with it, whatever they found; nobody with the one before.
    assert reached(workspace, "index_snapshot", "i") == {
        "a-unsaid": "produced",
        "a-said": "produced",
    }
    assert reached(workspace, "index_snapshot", "before") == {}


# -- SERVED_FROM --------------------------------------------------------------------------------


@about(Edge.SERVED_FROM)
def test_served_from_leads_on_through_caches_and_never_back(workspace: Workspace) -> None:
    send(workspace, [
        *sourced("one"), *sourced("two"), *cited("one"),
        *answered("again", retrieved=["k-two"], context=["k-two"], served_from="a-one"),
        record("answer", "a-third", text="third", served_from="a-again"),
    ])  # fmt: skip
    assert reached(workspace, "chunk", "k-one") == {
        "a-one": "cited", "a-again": "served", "a-third": "served",
    }  # fmt: skip
    assert reached(workspace, "chunk", "k-two") == {"a-again": "in_context", "a-third": "served"}
    assert reached(workspace, "answer", "a-again") == {"a-third": "served"}
    assert reached(workspace, "claim", "c-one") == {
        "a-one": "cited", "a-again": "served", "a-third": "served",
    }  # fmt: skip


# -- WAS_INFLUENCED_BY, WAS_GENERATED_BY, WAS_ASSOCIATED_WITH, USED -----------------------------


@about(Edge.WAS_INFLUENCED_BY)
def test_was_influenced_by_is_crossed_from_the_component_alone(workspace: Workspace) -> None:
    def component(kind: str) -> dict[str, Any]:
        return record("component", kind, component_kind=kind, name=kind, version="1")

    kinds = ("embedder", "chunker", "indexer")
    send(workspace, [
        *sourced("one"), *map(component, (*kinds, "prompt")), *cited("one"),
        record("index_snapshot", "i", collection="c", **{kind: kind for kind in kinds}),
        record("index_snapshot", "j", collection="d", embedder="embedder"),
        record("retrieval", "r-j", index_snapshot="j", candidates=[]),
        record("context", "x-j", retrieval="r-j", items=[], prompt="prompt"),
        record("answer", "a-j", context="x-j", text="J."),
        record("context", "x-t", items=[], template={"name": "t", "version": "2"}),
        record("answer", "a-t", context="x-t", text="T."),
    ])  # fmt: skip
    assert reached(workspace, "component", "embedder") == {"a-one": "produced", "a-j": "produced"}
    assert reached(workspace, "component", "chunker") == {"a-one": "produced"}
    assert reached(workspace, "component", "indexer") == {"a-one": "produced"}
    assert reached(workspace, "component", "prompt") == {"a-j": "produced"}
    assert reached(workspace, "component", "prompt:t@2") == {"a-t": "produced"}
    # A snapshot does not blame another that the same embedder made.
    assert reached(workspace, "index_snapshot", "i") == {"a-one": "produced"}


@about(Edge.WAS_ASSOCIATED_WITH)
def test_was_generated_by_is_crossed_from_runs_and_components_alone(workspace: Workspace) -> None:
    """Each run blames its outputs; an output does not blame the other outputs; a version not the next."""
    used = [{"kind": "source_version", "key": "v-one"}]
    send(workspace, [
        *(record("component", f"parser@{n}", component_kind="parser", name="parser", version=str(n))
          for n in (1, 2)),
        record("run", "p1", run_kind="parse", component="parser@1", used=used),
        record("run", "p2", run_kind="parse", component="parser@1"),
        record("run", "p3", run_kind="parse", component="parser@2"),
        *(one for name, run in (("one", "p1"), ("two", "p1"), ("three", "p2"), ("four", "p3"))
          for one in (*sourced(name, run=run), *cited(name))),
    ])  # fmt: skip
    assert reached(workspace, "run", "p1") == {"a-one": "cited", "a-two": "cited"}
    assert reached(workspace, "component", "parser@1") == {
        "a-one": "cited", "a-two": "cited", "a-three": "cited",
    }  # fmt: skip
    assert reached(workspace, "component", "parser@2") == {"a-four": "cited"}
    assert reached(workspace, "document", "d-one") == {"a-one": "cited"}


def test_runs_of_answering_produce_and_those_of_passages_reach_with_the_passages_grade(
    workspace: Workspace,
) -> None:
    doers = ("retriever", "reranker", "model", "chunker")
    send(workspace, [
        *(record("component", name, component_kind=name, name=name, version="1") for name in doers),
        *(record("run", f"by-{name}", run_kind="pipeline", component=name) for name in doers),
        *sourced("one"), *sourced("two"), *cited("two"),
        record("chunk", "k-cut", document="d-one", interval={"start": 14, "end": 26}, run="by-chunker"),
        record("retrieval", "r", candidates=[{"chunk": "k-cut", "rank": 1}], run="by-retriever",
               rerank_run="by-reranker"),
        record("context", "x", retrieval="r", items=[]),
        record("answer", "a", context="x", text="Nothing.", run="by-model"),
    ])  # fmt: skip
    for name in ("retriever", "reranker", "model"):
        assert reached(workspace, "component", name) == {"a": "produced"}, name
        assert reached(workspace, "run", f"by-{name}") == {"a": "produced"}, name
    assert reached(workspace, "component", "chunker") == {"a": "retrieved"}


# -- WAS_QUOTED_FROM, CITES, STATED_IN ----------------------------------------------------------


@about(Edge.WAS_QUOTED_FROM, "citation → chunk")
@about(Edge.CITES)
def test_was_quoted_from_outside_the_context_is_cited(workspace: Workspace) -> None:
    send(workspace, [
        *sourced("one"), *sourced("two"),
        *answered("a", retrieved=["k-two"], context=["k-two"], cites="k-one"),
        *answered("b", retrieved=["k-two"], context=["k-two"]),
    ])  # fmt: skip
    assert reached(workspace, "chunk", "k-one") == {"a-a": "cited"}
    assert reached(workspace, "citation", "q-a") == {"a-a": "cited"}
    assert reached(workspace, "chunk", "k-two") == {"a-a": "in_context", "a-b": "in_context"}


@about(Edge.STATED_IN)
def test_stated_in_is_the_last_step_after_cites_alone(workspace: Workspace) -> None:
    """An answer reached otherwise does not blame its claims; one claim does not blame the others."""
    send(workspace, [
        *sourced("one"), *sourced("two"),
        *answered("a", retrieved=["k-one", "k-two"], context=["k-one", "k-two"], cites="k-one"),
        record("claim", "c-other", answer="a-a", interval={"start": 0, "end": 2}),
        record("citation", "q-other", claim="c-other", marker="[2]", chunk="k-two"),
        record("context", "x-b", retrieval="r-a", items=[{"chunk": "k-one", "position": 1}]),
        record("answer", "a-b", context="x-b", text="Alpha."),
        record("claim", "c-b", answer="a-b", interval={"start": 0, "end": 5}),
    ])  # fmt: skip
    assert reached(workspace, "claim", "c-other") == {"a-a": "cited"}
    assert reached(workspace, "chunk", "k-one") == {"a-a": "cited", "a-b": "in_context"}
    below = downstream_counts(viewer(workspace), node(workspace, "chunk", "k-one").uid).counts
    assert (below["claim"], below["citation"], below["answer"]) == (1, 1, 2)


# -- the rules beneath --------------------------------------------------------------------------


def test_index_run_yields_members_only(workspace: Workspace) -> None:
    """A run that read every chunk and built one snapshot: none of them made the snapshot's answers."""
    used = [{"kind": "chunk", "key": key} for key in ("k-one", "k-two")]
    send(workspace, [
        *sourced("one"), *sourced("two"), *cited("two"),
        record("run", "build", run_kind="index", used=used),
        record("index_snapshot", "i", collection="c", chunks=["k-one", "k-two"], run="build"),
    ])  # fmt: skip
    assert reached(workspace, "chunk", "k-one") == {}
    assert reached(workspace, "run", "build") == {"a-two": "produced"}


def test_run_speaks_for_outputs_from_the_same_or_an_earlier_stage_and_never_of_itself(
    workspace: Workspace,
) -> None:
    later = [{"kind": "document", "key": "d-one"}, {"kind": "source_version", "key": "v-out"}]
    send(workspace, [
        *sourced("one"), record("source", "s", title="S"),
        record("run", "r", run_kind="pipeline", used=later), *versioned("s", "v-out", run="r"),
    ])  # fmt: skip
    assert reached(workspace, "document", "d-one") == {}
    assert reached(workspace, "source_version", "v-out") == {"a-v-out": "cited"}
    assert reached(workspace, "run", "r") == {"a-v-out": "cited"}


def test_run_does_not_speak_for_a_version_that_says_what_it_was_made_of(
    workspace: Workspace,
) -> None:
    used = [{"kind": "source_version", "key": key} for key in ("v-one", "v-two")]
    mine = [{"kind": "source_version", "key": "v-one"}]
    send(workspace, [
        *sourced("one"), *sourced("two"), record("source", "s", title="S"),
        record("run", "r", run_kind="pipeline", used=used),
        *versioned("s", "v-said", run="r", derived_from=mine), *versioned("s", "v-unsaid", run="r"),
    ])  # fmt: skip
    assert reached(workspace, "source_version", "v-one") == {
        "a-v-said": "cited", "a-v-unsaid": "possible",
    }  # fmt: skip
    assert reached(workspace, "source_version", "v-two") == {"a-v-unsaid": "possible"}


def test_certain_beats_possible_and_possible_beats_served(workspace: Workspace) -> None:
    used = [{"kind": "source_version", "key": key} for key in ("v-one", "v-two")]
    send(workspace, [
        *sourced("one"), *sourced("two"), record("source", "s", title="S"),
        record("run", "r", run_kind="pipeline", used=used),
        *versioned("s", "v-x", run="r"), *versioned("s", "v-y", run="r"),
        *answered("sure", retrieved=["k-one", "k-v-x"], context=["k-v-x"], cites="k-v-x"),
        *answered("kept", retrieved=["k-v-y"], context=["k-v-y"], served_from="a-sure"),
        record("answer", "a-cached", text="again", served_from="a-v-x"),
    ])  # fmt: skip
    assert reached(workspace, "source_version", "v-one") == {
        "a-v-x": "possible", "a-v-y": "possible", "a-sure": "retrieved", "a-kept": "possible",
        "a-cached": "served",
    }  # fmt: skip


def test_what_nobody_has_sent_is_blamed_by_name_and_repaired_when_it_arrives(
    workspace: Workspace,
) -> None:
    send(workspace, cited("one"))
    assert reached(workspace, "chunk", "k-one") == {"a-one": "cited"}
    send(workspace, [one | {"occurred_at": LATER} for one in sourced("one")])
    assert Node.objects.get(workspace=workspace, kind="chunk").resolved
    assert reached(workspace, "source", "s-one") == {"a-one": "cited"}


@about(Edge.AFFECTED_BY)
def test_case_edges_are_crossed_neither_way(workspace: Workspace) -> None:
    """WAS_INVALIDATED_BY and AFFECTED_BY: two works of one case do not blame each other."""
    send(workspace, [*sourced("one"), *sourced("two"), *cited("one"), *cited("two")])
    targets = [node(workspace, "source", key) for key in ("s-one", "s-two")]
    case = withdraw(workspace, targets[0], "retraction").case
    Withdrawal.objects.create(workspace=workspace, case=case, node=targets[1], at=clock.now())
    answers = [node(workspace, "answer", key) for key in ("a-one", "a-two")]
    for answer in answers:
        AnswerEffect.objects.create(
            answer=answer, case=case, grade=Grade.CITED, state=AnswerState.STALE, at=clock.now()
        )
    project_case(case.pk)
    assert {edge for _, edge, *_ in dump(workspace.pk)[1]} >= {"WAS_INVALIDATED_BY", "AFFECTED_BY"}
    assert reached(workspace, "source", "s-one") == {"a-one": "cited"}
    assert reached(workspace, "answer", "a-one") == {}
    for start in (*targets, *answers):
        for walk in (upstream(workspace.pk, start.uid), downstream(workspace.pk, start.uid)):
            assert case.uid not in walk.uids


def test_upstream_passes_notices_members_inputs_and_revisions_by(workspace: Workspace) -> None:
    """From an answer up: through its claims' citations, and not along what stands beside the lineage."""
    used = [{"kind": "source_version", "key": "v-two"}]
    send(workspace, [
        *sourced("one", run="p"), *sourced("two"), record("run", "p", run_kind="parse", used=used),
        record("index_snapshot", "i", collection="c", chunks=["k-one", "k-two"]),
        *answered("a", retrieved=["k-one"], context=[], cites="k-one", revision_of="a-before"),
    ])  # fmt: skip
    walk = upstream(workspace.pk, node(workspace, "answer", "a-a").uid)
    keys = dict(Node.objects.filter(workspace=workspace).values_list("uid", "key"))
    assert sorted(keys[uid] for uid in walk.uids) == [
        "a-a", "c-a", "d-one", "i", "k-one", "p", "q-a", "r-a", "s-one", "v-one", "x-a",
    ]  # fmt: skip
    assert not walk.truncated
