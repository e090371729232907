"""What TrustGraph exports is applied as PROV is: the chain stands, its wrong offsets are found, it goes back out."""

import json
from typing import Any

import pytest
import rdflib

from lineage.api.prov_lineage import exported
from lineage.formats.trustgraph import to_records
from lineage.formats.trustgraph_quoted import without_quotes
from lineage.inbox.apply_prov import apply
from lineage.inbox.result import Payload, Result
from lineage.models import Node, Reference
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import viewer
from tests.formats.trustgraph_example import ASKED, EXTRACTED
from tests.ingest.sending import codes, impact, node, send

pytestmark = [
    pytest.mark.django_db(databases=["default", "keys"]),
    pytest.mark.usefixtures("graph"),
]

REPORT = "https://example.org/report"
SYNTHESIS = "urn:trustgraph:prov:synthesis:s"


def sent(workspace: Workspace, body: str, media_type: str = "text/turtle") -> Result:
    payload = Payload(1, "inb_x", "prov", media_type, body.encode(), clock.now())
    result = apply(workspace, payload)
    assert [one.problem for one in result.outcomes if one.problem] == []
    return result


def whole() -> str:
    """Extraction and question in one document."""
    return EXTRACTED + "\n".join(line for line in ASKED.splitlines() if "@prefix" not in line)


def shape(workspace: Workspace) -> tuple[set[Any], set[Any]]:
    """Nodes and edges by kind, key and namespace."""
    nodes = {
        (one.kind, one.key, one.namespace)
        for one in Node.objects.filter(workspace=workspace, resolved=True)
        if one.kind not in ("claim", "citation")
    }
    rows = Reference.objects.filter(workspace=workspace, status="bound").select_related(
        "from_node", "to_node"
    )
    edges = {
        (row.from_node.kind, row.from_node.key, row.edge, row.to_node.kind, row.to_node.key)
        for row in rows
        if row.from_node and row.to_node
    }
    return nodes, {
        edge
        for edge in edges
        if not {"claim", "citation"} & {edge[0], edge[3]} and edge[2] != "RETRIEVED"
    }


def test_the_chain_stands_and_a_wrong_offset_is_found(workspace: Workspace) -> None:
    result = sent(workspace, whole())
    warned = {one.key: codes(one) for one in result.outcomes if one.kind == "chunk"}
    assert warned == {"urn:chunk:1": set(), "urn:chunk:2": {"interval_relocated"}}
    second = node(workspace, "chunk", "urn:chunk:2")
    assert (second.start, second.end, second.anchor) == (29, 42, "relocated")
    assert impact(workspace, node(workspace, "source", REPORT)) == {SYNTHESIS: "cited"}
    chunker = Node.objects.get(workspace=workspace, kind="component", label__startswith="chunker")
    assert impact(workspace, chunker) == {SYNTHESIS: "cited"}


def test_applied_again_nothing_changes(workspace: Workspace) -> None:
    sent(workspace, whole())
    before = Node.objects.filter(workspace=workspace).count()
    again = sent(workspace, whole())
    assert {one.status for one in again.outcomes} == {"unchanged"}
    assert Node.objects.filter(workspace=workspace).count() == before


def test_a_question_that_comes_before_its_extraction_is_repaired(workspace: Workspace) -> None:
    once = EXTRACTED.replace(
        '<https://trustgraph.ai/subgraph/2> a tg:Subgraph ; prov:wasDerivedFrom <urn:chunk:2> ;\n'
        '    tg:contains << ex:beta ex:left "2020" >> .', "",
    )  # fmt: skip
    assert once != EXTRACTED
    sent(workspace, ASKED)
    assert not Node.objects.filter(workspace=workspace, kind="source").exists()
    sent(workspace, once)
    assert impact(workspace, node(workspace, "chunk", "urn:chunk:1")) == {SYNTHESIS: "cited"}
    assert impact(workspace, node(workspace, "chunk", "urn:chunk:2")) == {}


def test_an_edge_that_several_chunks_tell_is_ambiguous_where_its_question_comes_alone(
    workspace: Workspace,
) -> None:
    sent(workspace, EXTRACTED)
    sent(workspace, ASKED)
    rows = Reference.objects.filter(
        workspace=workspace, holder__kind="context", relation="items.fact"
    )
    assert sorted(rows.values_list("status", flat=True)) == ["ambiguous", "unresolved"]


def test_trustgraphs_own_json_is_told_from_prov_json(workspace: Workspace) -> None:
    page = {"t": "i", "i": "urn:page:9"}
    wire = [
        {"s": {"t": "i", "i": "urn:chunk:9"},
         "p": {"t": "i", "i": "http://www.w3.org/ns/prov#wasDerivedFrom"}, "o": page},
    ]  # fmt: skip
    (outcome,) = sent(workspace, json.dumps(wire), "application/json").outcomes
    assert (outcome.kind, outcome.key) == ("chunk", "urn:chunk:9")
    assert codes(outcome) == {"unresolved_reference"}


def test_exported_and_read_again_it_is_the_same(workspace: Workspace) -> None:
    sent(workspace, whole())
    answer = node(workspace, "answer", SYNTHESIS).uid
    found = exported(
        viewer(workspace), answer, "upstream", depth=12, form="trustgraph", base="urn:b/"
    )
    assert (found.truncated, found.media_type) == (False, "text/turtle; charset=utf-8")
    there = Workspace.objects.create(slug="there", name="there")
    sent(there, found.content.decode(), found.media_type)
    nodes, edges = shape(workspace)
    # What the answer does not rest on is not upstream of it.
    unused = {"urn:page:1"} | {
        one.key
        for one in Node.objects.filter(workspace=workspace, kind="fact", resolved=True)
        if not one.edges_in.exists()
    }
    assert len(unused) == 2
    assert shape(there) == (
        {one for one in nodes if one[1] not in unused},
        {one for one in edges if one[1] not in unused},
    )


def test_what_was_not_trustgraphs_is_exported_in_its_terms(workspace: Workspace) -> None:
    outcomes = send(
        workspace,
        [
            {"kind": "source", "key": "s", "title": "S"},
            {"kind": "source_version", "key": "v", "source": "s"},
            {"kind": "document", "key": "d", "source_version": "v", "text": "Alpha is one."},
            {"kind": "chunk", "key": "c", "document": "d", "interval": {"start": 0, "end": 5}},
            {"kind": "fact", "key": "f", "subject_of": "c", "subject": "Alpha", "predicate": "is",
             "object": "one"},
        ],
    )  # fmt: skip
    fact = str(outcomes[-1].uid)
    found = exported(
        viewer(workspace), fact, "upstream", depth=12, form="trustgraph", base="urn:b/"
    )
    graph = rdflib.Graph().parse(data=without_quotes(found.content.decode()), format="turtle")
    records = {one["kind"]: one for one in to_records(graph)}
    assert (records["fact"]["subject"], records["fact"]["object"]) == (
        "urn:trustgraph:term:Alpha",
        "one",
    )
    assert records["chunk"]["interval"] == {"start": 0, "end": 5}
    assert records["chunk"]["key"] == f"urn:chunk:{outcomes[3].uid}"


def test_what_is_not_visible_keeps_its_shape_alone(workspace: Workspace) -> None:
    outcomes = send(
        workspace,
        [
            {"kind": "source", "key": "s", "title": "S"},
            {"kind": "source_version", "key": "v", "source": "s", "acl": ["board"]},
            {"kind": "document", "key": "d", "source_version": "v", "text": "Alpha is one."},
            {"kind": "chunk", "key": "urn:chunk:secret", "document": "d", "text": "Alpha"},
            {"kind": "context", "key": "x", "items": [{"chunk": "urn:chunk:secret"}]},
        ],
    )
    context = str(outcomes[-1].uid)
    found = exported(
        viewer(workspace), context, "upstream", depth=12, form="trustgraph", base="urn:b/"
    )
    written = found.content.decode()
    assert "secret" not in written
    assert "Alpha" not in written
    assert str(outcomes[3].uid) in written
