"""How strongly each answer depends on a node: every expected grade is written by hand."""

from itertools import pairwise

from lineage.graph.projection import project
from lineage.graph.walk import answers_downstream, downstream
from lineage.vocabulary import Edge
from tests.graph.asking import answers, down, up
from tests.graph.builder import Lineage


def test_grades_of_the_answers_of_a_source(lineage: Lineage) -> None:
    chain, other = lineage.chain("a"), lineage.chain("b")
    chunk = chain["chunk"]
    cites = lineage.answer("cites", retrieved=[chunk], included=[chunk])
    lineage.cite(cites["answer"], chunk)
    lineage.answer("context", retrieved=[chunk], included=[chunk])
    lineage.answer("drops", retrieved=[chunk, other["chunk"]], included=[other["chunk"]])
    lineage.answer("unrelated", retrieved=[other["chunk"]], included=[other["chunk"]])
    expected = {
        "cites-answer": "cited",
        "context-answer": "in_context",
        "drops-answer": "retrieved",
    }
    assert answers(lineage, chain["source"]) == expected
    assert answers(lineage, chunk) == expected


def test_citation_outside_the_context_is_cited(lineage: Lineage) -> None:
    chain, other = lineage.chain("a"), lineage.chain("b")
    answer = lineage.answer("q", retrieved=[other["chunk"]], included=[other["chunk"]])
    claim = lineage.cite(answer["answer"], chain["chunk"])
    assert answers(lineage, chain["document"]) == {"q-answer": "cited"}
    assert answers(lineage, claim["claim"]) == {"q-answer": "cited"}
    assert answers(lineage, claim["citation"]) == {"q-answer": "cited"}


def test_possible_goes_on_across_the_next_run(lineage: Lineage) -> None:
    steps = [lineage.node("acquisition", f"step{number}") for number in range(3)]
    for number, (cause, effect) in enumerate(pairwise(steps)):
        run = lineage.node("run", f"run{number}")
        lineage.edge(run, Edge.USED, cause)
        lineage.edge(run, Edge.USED, lineage.node("acquisition", f"beside{number}"))
        lineage.edge(effect, Edge.WAS_GENERATED_BY, run)
        lineage.edge(lineage.node("acquisition", f"other{number}"), Edge.WAS_GENERATED_BY, run)
    chunk = lineage.node("chunk", "c")
    lineage.edge(chunk, Edge.WAS_DERIVED_FROM, steps[2])
    lineage.answer("q", retrieved=[chunk], included=[chunk])
    assert answers(lineage, steps[2]) == {"q-answer": "in_context"}
    assert answers(lineage, steps[1]) == {"q-answer": "possible"}
    assert answers(lineage, steps[0]) == {"q-answer": "possible"}


def test_certain_beats_possible_whichever_way_is_shorter(lineage: Lineage) -> None:
    chain = lineage.chain("a")
    output, second = lineage.node("acquisition", "out"), lineage.node("acquisition", "out2")
    run = lineage.node("run", "r")
    lineage.edge(run, Edge.USED, chain["source_version"])
    lineage.edge(run, Edge.USED, lineage.node("source_version", "in2"))
    for node in (output, second):
        lineage.edge(node, Edge.WAS_GENERATED_BY, run)
    chunk = lineage.node("chunk", "c2")
    lineage.edge(chunk, Edge.WAS_DERIVED_FROM, output)
    answer = lineage.answer("q", retrieved=[chunk, chain["chunk"]], included=[chunk])
    assert answers(lineage, chain["source"]) == {"q-answer": "retrieved"}
    walk = downstream(lineage.workspace.pk, chain["source"].uid)
    assert answer["answer"].uid not in walk.possible
    assert chunk.uid in walk.possible


def test_retrieved_small_chunk_counts_as_its_included_parent(lineage: Lineage) -> None:
    parent, small = lineage.node("chunk", "parent"), lineage.node("chunk", "small")
    fact = lineage.node("fact", "fact")
    lineage.edge(small, Edge.WAS_DERIVED_FROM, parent)
    lineage.edge(fact, Edge.WAS_DERIVED_FROM, small)
    lineage.answer("context", retrieved=[small, fact], included=[parent])
    cites = lineage.answer("cites", retrieved=[fact], included=[parent])
    lineage.cite(cites["answer"], parent)
    lineage.answer("drops", retrieved=[small], included=[])
    assert answers(lineage, small) == {
        "context-answer": "in_context",
        "cites-answer": "cited",
        "drops-answer": "retrieved",
    }
    assert answers(lineage, fact) == {"context-answer": "in_context", "cites-answer": "cited"}


def test_embedder_reach(lineage: Lineage) -> None:
    """An embedder reaches answers by its snapshot (produced) and by the vectors that were matched."""
    embedder, run = lineage.node("component", "embedder"), lineage.node("run", "embed")
    snapshot = lineage.node("index_snapshot", "i")
    lineage.edge(run, Edge.WAS_ASSOCIATED_WITH, embedder)
    lineage.edge(snapshot, Edge.WAS_INFLUENCED_BY, embedder, role="embedder")
    chunks = [lineage.node("chunk", name) for name in ("cited", "kept", "dropped")]
    vectors = [lineage.node("embedding", f"{chunk.key}-vector") for chunk in chunks]
    for chunk, vector in zip(chunks, vectors, strict=True):
        lineage.edge(vector, Edge.WAS_DERIVED_FROM, chunk)
        lineage.edge(vector, Edge.WAS_GENERATED_BY, run)
    elsewhere = lineage.answer("elsewhere", retrieved=chunks, included=chunks[:2])
    for vector in vectors:
        lineage.edge(elsewhere["retrieval"], Edge.MATCHED, vector)
    lineage.cite(elsewhere["answer"], chunks[0])
    by_snapshot = lineage.answer("snapshot", retrieved=[], included=[])
    lineage.edge(by_snapshot["retrieval"], Edge.USED_SNAPSHOT, snapshot)
    assert answers(lineage, vectors[0]) == {"elsewhere-answer": "cited"}
    assert answers(lineage, vectors[1]) == {"elsewhere-answer": "in_context"}
    assert answers(lineage, vectors[2]) == {"elsewhere-answer": "retrieved"}
    assert answers(lineage, embedder) == {
        "elsewhere-answer": "cited",
        "snapshot-answer": "produced",
    }
    # A chunk is not made by the embedder of its vector.
    assert "cited" not in down(lineage, embedder)


def test_own_model_prompt_and_retriever_produce_an_answer(lineage: Lineage) -> None:
    answer = lineage.answer("q", retrieved=[], included=[])
    lineage.answer("other", retrieved=[], included=[])
    model, prompt = lineage.node("component", "model"), lineage.node("component", "prompt")
    generate, retrieve = lineage.node("run", "generate"), lineage.node("run", "retrieve")
    retriever = lineage.node("component", "retriever")
    lineage.edge(answer["answer"], Edge.WAS_GENERATED_BY, generate)
    lineage.edge(generate, Edge.WAS_ASSOCIATED_WITH, model)
    lineage.edge(answer["context"], Edge.WAS_INFLUENCED_BY, prompt, role="prompt")
    lineage.edge(answer["retrieval"], Edge.WAS_GENERATED_BY, retrieve)
    lineage.edge(retrieve, Edge.WAS_ASSOCIATED_WITH, retriever)
    served = lineage.node("answer", "served")
    lineage.edge(served, Edge.SERVED_FROM, answer["answer"])
    expected = {"q-answer": "produced", "served": "served"}
    for cause in (
        model,
        prompt,
        generate,
        retrieve,
        retriever,
        answer["context"],
        answer["retrieval"],
    ):
        assert answers(lineage, cause) == expected
    assert {"model", "prompt", "retriever", "generate"} <= up(lineage, answer["answer"])


def test_served_only_where_no_path_of_its_own_exists(lineage: Lineage) -> None:
    chain = lineage.chain("a")
    origin = lineage.answer("origin", retrieved=[chain["chunk"]], included=[chain["chunk"]])
    own = lineage.answer("own", retrieved=[chain["chunk"]], included=[])
    served, again = lineage.node("answer", "served"), lineage.node("answer", "again")
    lineage.edge(own["answer"], Edge.SERVED_FROM, origin["answer"])
    lineage.edge(served, Edge.SERVED_FROM, origin["answer"])
    lineage.edge(again, Edge.SERVED_FROM, served)
    assert answers(lineage, chain["source"]) == {
        "origin-answer": "in_context",
        "own-answer": "retrieved",
        "served": "served",
        "again": "served",
    }


def test_agents_source_without_the_versions_that_name_another_for_the_role(
    lineage: Lineage,
) -> None:
    first, second = lineage.chain("a"), lineage.node("source_version", "second")
    lineage.edge(second, Edge.SPECIALIZATION_OF, first["source"])
    translator = lineage.node("source_version", "translated")
    lineage.edge(translator, Edge.SPECIALIZATION_OF, first["source"])
    agent, other = lineage.node("agent", "agent"), lineage.node("agent", "other")
    lineage.edge(first["source"], Edge.WAS_ATTRIBUTED_TO, agent, role="creator")
    lineage.edge(second, Edge.WAS_ATTRIBUTED_TO, other, role="creator")
    lineage.edge(translator, Edge.WAS_ATTRIBUTED_TO, other, role="translator")
    lineage.answer("q", retrieved=[first["chunk"]], included=[first["chunk"]])
    chunk = lineage.node("chunk", "of-second")
    lineage.edge(chunk, Edge.WAS_DERIVED_FROM, second)
    lineage.answer("qs", retrieved=[chunk], included=[chunk])
    assert answers(lineage, agent) == {"q-answer": "in_context"}
    assert answers(lineage, other) == {"qs-answer": "in_context"}
    assert answers(lineage, first["source"]) == {
        "q-answer": "in_context",
        "qs-answer": "in_context",
    }
    assert down(lineage, agent) == {
        *("agent", "a-source", "a-source_version", "translated", "a-document", "a-chunk"),
        *("q-retrieval", "q-context", "q-answer"),
    }


def test_answers_beyond_the_limit_are_told(lineage: Lineage) -> None:
    chunk = lineage.node("chunk", "c")
    for number in range(3):
        lineage.answer(f"q{number}", retrieved=[chunk], included=[chunk])
    project(lineage.workspace.pk)
    found = answers_downstream(lineage.workspace.pk, chunk.uid, limit=2)
    assert (len(found.grades), found.truncated) == (2, True)
    assert not answers_downstream(lineage.workspace.pk, chunk.uid, limit=3).truncated
