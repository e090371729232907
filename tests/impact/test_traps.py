"""No false blame, no false innocence: every trap of the edge table by name, expected answers by hand."""

from typing import Any

import pytest

from lineage.graph.walk import answers_downstream
from lineage.models import Node, Reference, RestsOn
from lineage.vocabulary import Edge
from provexplorer.workspaces.models import Workspace
from tests.impact.edge_lines import about
from tests.ingest.sending import LATER, impact, node, record, send

pytestmark = [
    pytest.mark.django_db(databases=["default", "keys"]),
    pytest.mark.usefixtures("graph"),
]

TEXT = "Alpha is one. Beta is two. Gamma is three."


def sourced(name: str, **document: Any) -> list[dict[str, Any]]:
    """A source with a version, a document and one chunk k-NAME over its first sentence."""
    return [
        record("source", f"s-{name}", title=name),
        record("source_version", f"v-{name}", source=f"s-{name}", text=f"{name}: {TEXT}"),
        record("document", f"d-{name}", source_version=f"v-{name}", text=TEXT, **document),
        record("chunk", f"k-{name}", document=f"d-{name}", interval={"start": 0, "end": 13}),
    ]


def answered(
    name: str, *, retrieved: list[str], context: list[str], cites: str | None = None, **answer: Any
) -> list[dict[str, Any]]:
    """An answer a-NAME with its retrieval, context and, if it cites, one claim and citation."""
    records = [
        record("retrieval", f"r-{name}", index_snapshot="i",
               candidates=[{"chunk": key, "rank": n} for n, key in enumerate(retrieved)]),
        record("context", f"x-{name}", retrieval=f"r-{name}",
               items=[{"chunk": key, "position": n + 1} for n, key in enumerate(context)]),
        record("answer", f"a-{name}", context=f"x-{name}", text=f"{name}. Alpha is one. [1]", **answer),
    ]  # fmt: skip
    if cites:
        start = len(name) + 2
        records += [
            record(
                "claim",
                f"c-{name}",
                answer=f"a-{name}",
                interval={"start": start, "end": start + 13},
            ),
            record("citation", f"q-{name}", claim=f"c-{name}", marker="[1]", chunk=cites),
        ]
    return records


def reached(workspace: Workspace, kind: str, key: str) -> dict[str, str]:
    """Answer key → grade from this node; the prepared closure and the graph's own walk must agree."""
    start = node(workspace, kind, key)
    prepared = impact(workspace, start)
    found = answers_downstream(workspace.pk, start.uid, limit=1_000)
    keys = dict(Node.objects.filter(workspace=workspace).values_list("uid", "key"))
    assert {keys[uid]: grade.word for uid, grade in found.grades.items()} == prepared
    return prepared


def test_shared_run_trap_a_parser_run_over_two_files_blames_each_for_its_own(
    workspace: Workspace,
) -> None:
    used = [{"kind": "source_version", "key": "v-one"}, {"kind": "source_version", "key": "v-two"}]
    send(workspace, [
        record("component", "parser", component_kind="parser", name="parser", version="3.2"),
        record("run", "parse", run_kind="parse", component="parser", used=used),
        *sourced("one", run="parse"), *sourced("two", run="parse"),
        *answered("of-one", retrieved=["k-one"], context=["k-one"], cites="k-one"),
        *answered("of-two", retrieved=["k-two"], context=["k-two"], cites="k-two"),
    ])  # fmt: skip
    assert reached(workspace, "source", "s-one") == {"a-of-one": "cited"}
    assert reached(workspace, "source_version", "v-two") == {"a-of-two": "cited"}
    assert reached(workspace, "run", "parse") == {"a-of-one": "cited", "a-of-two": "cited"}
    assert reached(workspace, "component", "parser") == {"a-of-one": "cited", "a-of-two": "cited"}


def cleaned(used: list[str], outputs: list[str]) -> list[dict[str, Any]]:
    """A cleaning run from raw versions to clean ones, which state no derivation of their own."""
    return [
        record("run", "clean", run_kind="pipeline", component="cleaner",
               used=[{"kind": "source_version", "key": key} for key in used]),
        record("source", "raw", title="Raw"),
        *(record("source_version", key, source="raw", text=f"raw {key}") for key in used),
        *(
            one
            for key in outputs
            for one in (
                record("source", f"s-{key}", title=key),
                record("source_version", key, source=f"s-{key}", text=f"clean {key}", run="clean"),
                record("document", f"d-{key}", source_version=key, text=TEXT),
                record("chunk", f"k-{key}", document=f"d-{key}", interval={"start": 0, "end": 13}),
                *answered(key, retrieved=[f"k-{key}"], context=[f"k-{key}"], cites=f"k-{key}"),
            )
        ),
    ]  # fmt: skip


def test_one_input_run_speaks_for_every_output(workspace: Workspace) -> None:
    send(workspace, cleaned(["raw-1"], ["clean-1", "clean-2"]))
    assert reached(workspace, "source_version", "raw-1") == {
        "a-clean-1": "cited",
        "a-clean-2": "cited",
    }


def test_one_output_run_rests_on_every_input(workspace: Workspace) -> None:
    send(workspace, cleaned(["raw-1", "raw-2"], ["clean-1"]))
    assert reached(workspace, "source_version", "raw-1") == {"a-clean-1": "cited"}
    assert reached(workspace, "source_version", "raw-2") == {"a-clean-1": "cited"}


@about(Edge.USED, "run → source_version")
def test_n_by_m_run_makes_a_dependency_possible_no_more(workspace: Workspace) -> None:
    send(workspace, cleaned(["raw-1", "raw-2"], ["clean-1", "clean-2"]))
    assert reached(workspace, "source_version", "raw-1") == {
        "a-clean-1": "possible",
        "a-clean-2": "possible",
    }
    assert reached(workspace, "source", "raw") == {"a-clean-1": "possible", "a-clean-2": "possible"}


def test_possible_goes_on_across_a_second_run(workspace: Workspace) -> None:
    """Raw by two, washed by two, clean by two: what the first run may have mixed, the second may have, too."""
    send(workspace, [
        *cleaned(["washed-1", "washed-2"], ["clean-1", "clean-2"]),
        record("source", "raw", title="Raw"),
        record("source_version", "r-1", source="raw", text="r 1"),
        record("source_version", "r-2", source="raw", text="r 2"),
        record("run", "wash", run_kind="pipeline",
               used=[{"kind": "source_version", "key": "r-1"}, {"kind": "source_version", "key": "r-2"}]),
        *(record("source_version", f"washed-{n}", source="raw", text=f"raw washed-{n}", run="wash", at=LATER)
          for n in (1, 2)),
    ])  # fmt: skip
    assert reached(workspace, "source_version", "r-1") == {
        "a-clean-1": "possible", "a-clean-2": "possible",
    }  # fmt: skip


@about(Edge.USED, "run → source")
def test_a_creator_is_reached_through_a_source_that_a_run_used_whole(workspace: Workspace) -> None:
    send(workspace, [
        record("source", "s", title="S", creators=[{"agent": "ann", "role": "creator"}]),
        record("source", "out", title="Out"),
        record("run", "r", run_kind="pipeline", used=[{"kind": "source", "key": "s"}]),
        record("source_version", "v", source="out", text="made", run="r"),
        record("document", "d", source_version="v", text=TEXT),
        record("chunk", "k", document="d", interval={"start": 0, "end": 13}),
        *answered("a", retrieved=["k"], context=["k"], cites="k"),
    ])  # fmt: skip
    assert reached(workspace, "agent", "ann") == {"a-a": "cited"}


def test_a_second_input_that_arrives_late_turns_derivations_into_possibilities(
    workspace: Workspace,
) -> None:
    """One input yields derivations; `used` adds up, and a second input and output undo them."""
    send(workspace, cleaned(["raw-1"], ["clean-1", "clean-2"]))
    late = record("run", "clean", run_kind="pipeline", at=LATER,
                  used=[{"kind": "source_version", "key": "raw-2"}])  # fmt: skip
    send(workspace, [late, record("source_version", "raw-2", source="raw", text="raw 2")])
    assert reached(workspace, "source_version", "raw-1") == {
        "a-clean-1": "possible",
        "a-clean-2": "possible",
    }


def test_a_run_never_speaks_for_an_output_with_a_derivation_of_its_own(
    workspace: Workspace,
) -> None:
    """The document names its version; that the run read another file does not matter."""
    send(workspace, [
        record("run", "parse", run_kind="parse", used=[{"kind": "source_version", "key": "v-two"}]),
        *sourced("one", run="parse"), *sourced("two"),
        *answered("of-one", retrieved=["k-one"], context=["k-one"], cites="k-one"),
    ])  # fmt: skip
    assert reached(workspace, "source_version", "v-two") == {}


@about(Edge.HAD_MEMBER, "index_snapshot → chunk")
def test_index_member_trap_a_chunk_does_not_blame_all_that_used_its_snapshot(
    workspace: Workspace,
) -> None:
    send(workspace, [
        *sourced("one"), *sourced("two"),
        record("index_snapshot", "i", collection="c", chunks=["k-one", "k-two"]),
        *answered("of-two", retrieved=["k-two"], context=["k-two"], cites="k-two"),
    ])  # fmt: skip
    assert reached(workspace, "chunk", "k-one") == {}
    assert reached(workspace, "index_snapshot", "i") == {"a-of-two": "produced"}


def test_claim_through_context_trap_a_claim_rests_on_its_citations_alone(
    workspace: Workspace,
) -> None:
    send(workspace, [
        *sourced("one"), *sourced("two"),
        *answered("mixed", retrieved=["k-one", "k-two"], context=["k-one", "k-two"], cites="k-two"),
    ])  # fmt: skip
    assert reached(workspace, "chunk", "k-one") == {"a-mixed": "in_context"}
    assert reached(workspace, "chunk", "k-two") == {"a-mixed": "cited"}
    assert reached(workspace, "claim", "c-mixed") == {"a-mixed": "cited"}


@about(Edge.WAS_REVISION_OF, "source_version → source_version")
def test_revision_trap_an_older_version_does_not_blame_answers_on_the_newer(
    workspace: Workspace,
) -> None:
    send(workspace, [
        *sourced("old"),
        record("source_version", "v-new", source="s-old", text="new", revision_of="v-old"),
        record("document", "d-new", source_version="v-new", text=TEXT),
        record("chunk", "k-new", document="d-new", interval={"start": 0, "end": 13}),
        *answered("on-new", retrieved=["k-new"], context=["k-new"], cites="k-new"),
    ])  # fmt: skip
    assert reached(workspace, "source_version", "v-old") == {}
    assert reached(workspace, "source", "s-old") == {"a-on-new": "cited"}


def test_embedder_reach_follows_the_embedding_with_its_chunks_grade(workspace: Workspace) -> None:
    send(workspace, [
        record("component", "embedder", component_kind="embedder", name="e5", version="2"),
        record("run", "embed", run_kind="embed", component="embedder"),
        *sourced("one"), *sourced("two"), *sourced("three"),
        *(record("embedding", f"e-{name}", chunk=f"k-{name}", model="e5", run="embed",
                 vector_digest="sha256:" + str(n) * 64)
          for n, name in enumerate(("one", "two", "three"))),
        record("index_snapshot", "i", collection="c", embeddings=["e-one", "e-two", "e-three"]),
        *answered("cites", retrieved=["k-one", "k-two"], context=["k-one"], cites="k-one"),
        *answered("reads", retrieved=["k-one", "k-two"], context=["k-two"]),
        *answered("drops", retrieved=["k-three"], context=[]),
    ])  # fmt: skip
    assert reached(workspace, "component", "embedder") == {
        "a-cites": "cited", "a-reads": "in_context", "a-drops": "retrieved",
    }  # fmt: skip
    assert reached(workspace, "embedding", "e-two") == {
        "a-cites": "retrieved",
        "a-reads": "in_context",
    }


def test_cycle_of_parts_and_chunks_ends(workspace: Workspace) -> None:
    loop = [
        record("chunk", "k-a", document="d-one", interval={"start": 0, "end": 5},
               parent={"kind": "chunk", "key": "k-b"}),
        record("chunk", "k-b", document="d-one", interval={"start": 6, "end": 9},
               parent={"kind": "chunk", "key": "k-a"}),
    ]  # fmt: skip
    send(workspace, [*sourced("one"), *loop,
                     *answered("on-a", retrieved=["k-a"], context=["k-a"], cites="k-a")])  # fmt: skip
    assert reached(workspace, "chunk", "k-b") == {"a-on-a": "cited"}
    assert reached(workspace, "source", "s-one") == {"a-on-a": "cited"}


def test_a_retrieved_sub_chunk_has_the_grade_of_the_chunk_it_is_derived_from(
    workspace: Workspace,
) -> None:
    small = record("chunk", "k-small", document="d-one", interval={"start": 0, "end": 5},
                   parent={"kind": "chunk", "key": "k-one"})  # fmt: skip
    send(workspace, [*sourced("one"), small,
                     *answered("a", retrieved=["k-small"], context=["k-one"], cites="k-one")])  # fmt: skip
    assert reached(workspace, "chunk", "k-small") == {"a-a": "cited"}


def test_versions_that_state_a_role_themselves_do_not_credit_their_sources_agent(
    workspace: Workspace,
) -> None:
    send(workspace, [
        record("source", "s", title="S", creators=[{"agent": "ann", "role": "creator"}]),
        record("source_version", "v1", source="s", text="one"),
        record("source_version", "v2", source="s", text="two",
               creators=[{"agent": "bob", "role": "creator"}]),
        *(one for n in (1, 2) for one in (
            record("document", f"d{n}", source_version=f"v{n}", text=TEXT),
            record("chunk", f"k{n}", document=f"d{n}", interval={"start": 0, "end": 13}),
            *answered(f"on-v{n}", retrieved=[f"k{n}"], context=[f"k{n}"], cites=f"k{n}"))),
    ])  # fmt: skip
    assert reached(workspace, "agent", "ann") == {"a-on-v1": "cited"}
    assert reached(workspace, "agent", "bob") == {"a-on-v2": "cited"}


def test_a_cached_answer_is_served_with_its_origins_grade(workspace: Workspace) -> None:
    send(workspace, [
        *sourced("one"), *sourced("two"),
        *answered("origin", retrieved=["k-one"], context=["k-one"], cites="k-one"),
        record("answer", "a-cached", text="again", served_from="a-origin"),
        *answered("both", retrieved=["k-one"], context=["k-one"], served_from="a-origin"),
    ])  # fmt: skip
    assert reached(workspace, "source", "s-one") == {
        "a-origin": "cited", "a-cached": "served", "a-both": "in_context",
    }  # fmt: skip
    row = RestsOn.objects.get(
        answer=node(workspace, "answer", "a-cached"), target=node(workspace, "source", "s-one")
    )
    assert (row.grade, row.origin_grade) == (1, 6)
    assert reached(workspace, "answer", "a-origin") == {"a-cached": "served", "a-both": "served"}


def test_chunks_derive_from_every_part_that_they_overlap(workspace: Workspace) -> None:
    send(workspace, [
        *sourced("one"),
        record("part", "p1", document="d-one", part_kind="page", interval={"start": 0, "end": 6}),
        record("part", "p2", document="d-one", part_kind="page", interval={"start": 6, "end": 20}),
        record("part", "p3", document="d-one", part_kind="page", interval={"start": 20, "end": 42}),
        *answered("a", retrieved=["k-one"], context=["k-one"], cites="k-one"),
    ])  # fmt: skip
    assert reached(workspace, "part", "p1") == {"a-a": "cited"}
    assert reached(workspace, "part", "p2") == {"a-a": "cited"}
    assert reached(workspace, "part", "p3") == {}
    assert set(
        Reference.objects.filter(workspace=workspace, relation="computed.part").values_list(
            "to_node__key", flat=True
        )
    ) == {"p1", "p2"}


def test_a_cited_chunk_is_explained_by_its_citation_not_by_its_retrieval(
    workspace: Workspace,
) -> None:
    send(
        workspace,
        [*sourced("one"), *answered("a", retrieved=["k-one"], context=["k-one"], cites="k-one")],
    )
    chain = []
    at = node(workspace, "source", "s-one")
    answer = node(workspace, "answer", "a-a")
    while at.pk != answer.pk:
        chain.append(at.key)
        row = RestsOn.objects.select_related("via").get(answer=answer, target=at)
        assert row.via is not None
        at = row.via
    assert chain == ["s-one", "v-one", "d-one", "k-one", "q-a", "c-a"]
