"""Very many dependents, very deep chains, circles: exact, or said to be cut, never a wrong number.

Small sizes each day, those of the names in the thorough run.
"""

from contextlib import nullcontext
from typing import Any, Final

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from neo4j import GraphDatabase

from bench.impact_rows import TABLES, write_graph
from bench.impact_world import PARSERS, NodeOf, World, uid
from bench.unindexed import unindexed
from lineage.graph.walk import answers_downstream, downstream
from lineage.impact import neighbourhood, stages
from lineage.impact.report import impact
from lineage.impact.stages import downstream_counts
from lineage.models import Node, RestsOn
from lineage.vocabulary import Grade
from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.workspaces.models import Workspace
from tests.cases.world import approved, run_to_end
from tests.faults.invariants import Filed, assert_invariants
from tests.impact.copies import copy_answer
from tests.impact.test_measured_world import rows
from tests.impact.test_traps import TEXT, answered, sourced
from tests.ingest.sending import impact as prepared
from tests.ingest.sending import node, record, send
from tests.nodes.world import viewer
from tests.pages.world import member
from tests.thorough import THOROUGH

pytestmark = [
    pytest.mark.django_db(databases=["default", "keys"]),
    pytest.mark.usefixtures("graph"),
]

DEPENDENTS: Final = 200_000 if THOROUGH else 250
# In the graph, whose search takes many round trips.
FOUND: Final = 20_000 if THOROUGH else 40
DEEP: Final = 10_000 if THOROUGH else 100
CACHES: Final = 1_200 if THOROUGH else 40


class Crowded(World):
    """All answers have the same chunks before them, and cite the first three."""

    def __init__(self, answers: int) -> None:
        super().__init__(answers)
        self.documents = PARSERS

    def given(self, answer: int) -> list[int]:
        return list(range(8))


def crowd(workspace: Workspace, dependents: int) -> None:
    """Answers a-0 … that cite the chunk k-one and were given k-two, each a minute after the one before."""
    send(workspace, [
        record("component", "parser", component_kind="parser", name="parser", version="1"),
        record("run", "parse", run_kind="parse", component="parser"),
        *sourced("one", run="parse"), *sourced("two", run="parse"),
        *answered("0", retrieved=["k-one", "k-two"], context=["k-one", "k-two"], cites="k-one"),
    ])  # fmt: skip
    own = [node(workspace, kind, key) for kind, key in OWN.items()]
    with unindexed(TABLES) if THOROUGH else nullcontext():
        copy_answer(node(workspace, "answer", "a-0"), own, dependents - 1)


# What each answer of a crowd has of its own.
OWN: Final = {
    "retrieval": "r-0", "context": "x-0", "answer": "a-0", "claim": "c-0", "citation": "q-0",
}  # fmt: skip


def test_node_with_200000_dependents(workspace: Workspace) -> None:
    crowd(workspace, DEPENDENTS)
    nodes = Node.objects.filter(workspace=workspace)
    for kind, key, grade in (
        ("chunk", "k-one", "cited"), ("chunk", "k-two", "in_context"), ("document", "d-one", "cited"),
        ("component", "parser", "cited"),
    ):  # fmt: skip
        start = nodes.get(kind=kind, key=key)
        found = impact(viewer(workspace), start.uid)
        assert {word: n for word, n in found.counts.items() if n} == {grade: DEPENDENTS}
        assert found.total == DEPENDENTS
        assert [item.key for item in found.items] == [
            f"a-{DEPENDENTS - 1 - place}" for place in range(50)
        ]
    chunk = nodes.get(kind="chunk", key="k-one")
    below = downstream_counts(viewer(workspace), chunk.uid)
    exact = dict.fromkeys(OWN, DEPENDENTS)
    assert below.counts["answer"] == DEPENDENTS
    assert below.truncated is (sum(exact.values()) > stages.MOST_NODES)
    if below.truncated:
        assert all(number <= exact[kind] for kind, number in below.counts.items())
    else:
        assert below.counts == exact
    page = member(workspace).get(f"/lineage/{chunk.uid}/impact")
    assert page.status_code == 200
    assert f"{DEPENDENTS:,}" in page.content.decode()


def test_copies_are_what_the_product_makes_of_such_answers(workspace: Workspace) -> None:
    crowd(workspace, 3)
    other = Workspace.objects.create(slug="sent", name="sent")
    crowd(other, 1)
    for n in (1, 2):
        later = answered(
            str(n), retrieved=["k-one", "k-two"], context=["k-one", "k-two"], cites="k-one"
        )
        send(other, [one | {"occurred_at": f"2026-03-01T10:0{n}:00Z"} for one in later])
    for what, expected in rows(other).items():
        assert rows(workspace)[what] == expected, what


def test_search_of_the_graph_says_where_it_was_cut(
    workspace: Workspace, graph: GraphAddress
) -> None:
    world = Crowded(FOUND)
    with GraphDatabase.driver(graph.uri, auth=(graph.user, graph.password)) as driver:
        write_graph(driver, graph.database, workspace, world)
    chunk = uid(workspace.hash_key, NodeOf("chunk", 0))
    cut = answers_downstream(workspace.pk, chunk, limit=FOUND // 2)
    assert cut.truncated
    assert len(cut.grades) <= FOUND // 2
    assert set(cut.grades.values()) <= set(Grade)
    whole = answers_downstream(workspace.pk, chunk, limit=2 * FOUND)
    assert not whole.truncated
    assert list(whole.grades.values()) == [Grade.CITED] * FOUND
    walk = downstream(workspace.pk, chunk, limit=50)
    assert walk.truncated
    assert len(walk.uids) == 50


def nested(length: int, *, ring: bool = False) -> list[dict[str, Any]]:
    """Chunks n-0 … each derived from the one before; in a ring the first from the last."""
    chunks = [
        record("chunk", f"n-{n}", document="d-one", interval={"start": 0, "end": 1 + n % 40})
        for n in range(length)
    ]
    for n in range(0 if ring else 1, length):
        chunks[n]["parent"] = {"kind": "chunk", "key": f"n-{(n - 1) % length}"}
    return chunks


def test_chain_of_10000_reaches_its_end(workspace: Workspace) -> None:
    last = f"n-{DEEP - 1}"
    send(workspace, [*sourced("one"), *nested(DEEP)])
    answer = [
        *answered("deep", retrieved=[last], context=[last], cites=last),
        *answered("not", retrieved=[], context=[]),
    ]
    with CaptureQueriesContext(connection) as captured:
        send(workspace, answer)
    # Not a statement for each of its levels.
    assert sum("lineage_reference" in one["sql"] for one in captured) < neighbourhood.STEPWISE * 2
    first = node(workspace, "chunk", "n-0")
    for start in (first, node(workspace, "chunk", last), node(workspace, "source", "s-one")):
        assert prepared(workspace, start) == {"a-deep": "cited"}
    # What cannot be walked to its end says so.
    found = downstream_counts(viewer(workspace), first.uid)
    assert (found.truncated, found.counts["answer"]) == (True, 1)
    assert found.counts["chunk"] < DEEP
    assert downstream(workspace.pk, first.uid).truncated
    graded = answers_downstream(workspace.pk, first.uid)
    assert (len(graded.grades), graded.truncated) == (1, False)
    assert_a_case_holds(workspace, [*sourced("one"), *nested(DEEP), *answer], ("chunk", "n-0"))


def assert_a_case_holds(
    workspace: Workspace, records: list[dict[str, Any]], target: tuple[str, str]
) -> None:
    case = run_to_end(approved(workspace, "retraction", target))
    assert_invariants(workspace, records, [Filed(case.uid, "retraction", (target,))])


def test_chain_arriving_after_its_answer_reaches_its_end(workspace: Workspace) -> None:
    last = f"n-{DEEP - 1}"
    send(workspace, answered("deep", retrieved=[last], context=[last], cites=last))
    send(workspace, nested(DEEP))
    send(workspace, sourced("one"))
    assert prepared(workspace, node(workspace, "source", "s-one")) == {"a-deep": "cited"}


def test_ring_of_10000_is_met_once(workspace: Workspace) -> None:
    middle = f"n-{DEEP // 2}"
    records = [
        *sourced("one"), *nested(DEEP, ring=True),
        *answered("in", retrieved=[middle], context=[middle], cites=middle),
    ]  # fmt: skip
    send(workspace, records)
    ring = RestsOn.objects.filter(
        answer__workspace=workspace, target__kind="chunk", target__key__startswith="n-"
    )
    assert ring.filter(grade=Grade.CITED).count() == ring.count() == DEEP
    graded = answers_downstream(workspace.pk, node(workspace, "chunk", "n-0").uid)
    assert (list(graded.grades.values()), graded.truncated) == ([Grade.CITED], False)
    assert_a_case_holds(workspace, records, ("chunk", "n-0"))


def test_caches_of_caches_keep_the_grade_of_the_first(workspace: Workspace) -> None:
    """Longer than Python would recurse."""
    send(workspace, [
        *sourced("one"), *answered("0", retrieved=["k-one"], context=["k-one"], cites="k-one"),
        *(record("answer", f"a-{n}", text=f"Served {n}. {TEXT}", served_from=f"a-{n - 1}")
          for n in range(1, CACHES)),
    ])  # fmt: skip
    start = node(workspace, "source", "s-one")
    found = impact(viewer(workspace), start.uid, grades=["served"], limit=200)
    assert found.counts["served"] == found.total == CACHES - 1
    assert {item.origin_grade for item in found.items} == {"cited"}
