"""What lies up and down of a node, and what does not: every expected answer is written by hand."""

from lineage.graph.projection import project
from lineage.graph.walk import answers_downstream, downstream, upstream
from lineage.identifiers import address_of
from lineage.vocabulary import Edge
from tests.graph.asking import answers, down, keys, up
from tests.graph.builder import Lineage


def test_unknown_uid_stands_alone(lineage: Lineage) -> None:
    uid = address_of(b"other", "chunk", "", "c")
    for walk in (upstream(lineage.workspace.pk, uid), downstream(lineage.workspace.pk, uid)):
        assert (walk.uids, walk.edges, walk.truncated) == ((uid,), (), False)
    assert answers_downstream(lineage.workspace.pk, "nonsense").grades == {}


def test_a_foreign_workspace_sees_nothing(lineage: Lineage) -> None:
    from provexplorer.workspaces.models import Workspace

    chain = lineage.chain("a")
    project(lineage.workspace.pk)
    other = Workspace.objects.create(slug="foreign", name="foreign")
    assert upstream(other.pk, chain["chunk"].uid).uids == (chain["chunk"].uid,)
    assert downstream(other.pk, chain["source"].uid).uids == (chain["source"].uid,)


def test_upstream_of_an_answer_enters_its_claims(lineage: Lineage) -> None:
    cited, dropped = lineage.chain("cited"), lineage.chain("dropped")
    outside = lineage.chain("outside")
    answer = lineage.answer(
        "q", retrieved=[cited["chunk"], dropped["chunk"]], included=[cited["chunk"]]
    )
    lineage.cite(answer["answer"], outside["chunk"])
    assert up(lineage, answer["answer"]) == {
        *("q-answer", "q-context", "q-retrieval", "q-answer-claim-1", "q-answer-citation-1"),
        *("cited-chunk", "cited-document", "cited-source_version", "cited-source"),
        *("dropped-chunk", "dropped-document", "dropped-source_version", "dropped-source"),
        *("outside-chunk", "outside-document", "outside-source_version", "outside-source"),
    }


def test_shared_run_trap(lineage: Lineage) -> None:
    """One run read and wrote both documents; each says what it is derived from."""
    first, second = lineage.chain("a"), lineage.chain("b")
    run = lineage.node("run", "parse")
    for chain in (first, second):
        lineage.edge(chain["document"], Edge.WAS_GENERATED_BY, run)
        lineage.edge(run, Edge.USED, chain["source_version"])
    lineage.answer("qa", retrieved=[first["chunk"]], included=[first["chunk"]])
    lineage.answer("qb", retrieved=[second["chunk"]], included=[second["chunk"]])
    assert answers(lineage, first["source_version"]) == {"qa-answer": "in_context"}
    assert answers(lineage, run) == {"qa-answer": "in_context", "qb-answer": "in_context"}
    assert "b-document" not in down(lineage, first["source_version"])


def test_run_that_does_not_say_what_came_of_what_makes_it_possible(lineage: Lineage) -> None:
    inputs = [lineage.node("source_version", name) for name in ("in1", "in2")]
    outputs = [lineage.node("source_version", name) for name in ("out1", "out2")]
    late = lineage.node("index_snapshot", "late")
    run = lineage.node("run", "join")
    for node in inputs:
        lineage.edge(run, Edge.USED, node)
    for node in (*outputs, late):
        lineage.edge(node, Edge.WAS_GENERATED_BY, run)
    document, chunk = lineage.node("document", "d"), lineage.node("chunk", "c")
    lineage.edge(document, Edge.WAS_DERIVED_FROM, outputs[0])
    lineage.edge(chunk, Edge.WAS_DERIVED_FROM, document)
    answer = lineage.answer("q", retrieved=[chunk], included=[chunk])
    lineage.cite(answer["answer"], chunk)
    assert answers(lineage, inputs[0]) == {"q-answer": "possible"}
    assert answers(lineage, outputs[0]) == {"q-answer": "cited"}
    assert answers(lineage, outputs[1]) == {}
    # An output is not an input of its siblings, and what an index run made is not spoken for.
    walk = downstream(lineage.workspace.pk, inputs[0].uid)
    assert keys(lineage, walk) == {
        *("in1", "join", "out1", "out2", "d", "c", "q-retrieval", "q-context", "q-answer"),
        *("q-answer-citation-1", "q-answer-claim-1"),
    }
    assert walk.possible == set(walk.uids) - {inputs[0].uid}
    assert up(lineage, chunk) == {"c", "d", "out1", "join"}


def test_index_member_trap(lineage: Lineage) -> None:
    """A chunk of a snapshot is not blamed for answers that retrieved others from it."""
    first, second = lineage.chain("a"), lineage.chain("b")
    snapshot = lineage.node("index_snapshot", "i")
    for chain in (first, second):
        lineage.edge(snapshot, Edge.HAD_MEMBER, chain["chunk"])
    answer = lineage.answer("q", retrieved=[second["chunk"]], included=[second["chunk"]])
    lineage.edge(answer["retrieval"], Edge.USED_SNAPSHOT, snapshot)
    assert answers(lineage, first["source"]) == {}
    assert "i" not in down(lineage, first["chunk"])
    assert answers(lineage, snapshot) == {"q-answer": "produced"}
    assert "a-chunk" not in up(lineage, answer["answer"])


def test_claim_through_context_trap(lineage: Lineage) -> None:
    """A claim rests on what it cites, not on all that its answer had in its context."""
    cited, beside = lineage.chain("a"), lineage.chain("b")
    answer = lineage.answer(
        "q", retrieved=[cited["chunk"], beside["chunk"]], included=[cited["chunk"], beside["chunk"]]
    )
    claim = lineage.cite(answer["answer"], cited["chunk"])["claim"]
    assert answers(lineage, beside["source"]) == {"q-answer": "in_context"}
    assert "q-answer-claim-1" not in down(lineage, beside["source"])
    assert "q-answer-claim-1" in down(lineage, cited["source"])
    assert up(lineage, claim) == {
        *("q-answer-claim-1", "q-answer-citation-1"),
        *("a-chunk", "a-document", "a-source_version", "a-source"),
    }


def test_revision_trap(lineage: Lineage) -> None:
    """A defect of a version is not one of its revision."""
    old, new = lineage.chain("old"), lineage.chain("new")
    lineage.edge(new["source_version"], Edge.WAS_REVISION_OF, old["source_version"])
    answer = lineage.answer("q", retrieved=[new["chunk"]], included=[new["chunk"]])
    again = lineage.answer("again", retrieved=[], included=[])
    lineage.edge(again["answer"], Edge.WAS_REVISION_OF, answer["answer"])
    assert answers(lineage, old["source_version"]) == {}
    assert answers(lineage, new["source_version"]) == {"q-answer": "in_context"}
    assert "old-source_version" not in up(lineage, answer["answer"])
    assert "new-source_version" not in down(lineage, old["source_version"])


def test_cycle_ends(lineage: Lineage) -> None:
    first, second = lineage.node("chunk", "a"), lineage.node("chunk", "b")
    lineage.edge(first, Edge.WAS_DERIVED_FROM, second)
    lineage.edge(second, Edge.WAS_DERIVED_FROM, first)
    lineage.answer("q", retrieved=[first], included=[])
    assert up(lineage, first) == {"a", "b"}
    assert answers(lineage, second) == {"q-answer": "retrieved"}
    served, origin = lineage.node("answer", "served"), lineage.node("answer", "origin")
    lineage.edge(served, Edge.SERVED_FROM, origin)
    lineage.edge(origin, Edge.SERVED_FROM, served)
    assert answers(lineage, origin) == {"served": "served"}


def test_depth_and_number_are_bounds_that_are_told(lineage: Lineage) -> None:
    chain = lineage.chain("a")
    project(lineage.workspace.pk)
    workspace, source, chunk = lineage.workspace.pk, chain["source"].uid, chain["chunk"].uid
    shallow = upstream(workspace, chunk, depth=2)
    assert shallow.uids == (chunk, chain["document"].uid, chain["source_version"].uid)
    assert shallow.truncated
    assert not upstream(workspace, chunk, depth=3).truncated
    few = downstream(workspace, source, limit=2)
    assert few.uids == (source, chain["source_version"].uid)
    assert [edge.type for edge in few.edges] == ["SPECIALIZATION_OF"]
    assert few.truncated
    assert not downstream(workspace, source, depth=3, limit=4).truncated
