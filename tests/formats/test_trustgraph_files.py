"""TrustGraph's vocabulary in JSON: its own triples, and a PROV-JSON document that holds more than it."""

import json
from pathlib import Path
from typing import Any

import pytest

from lineage.formats import prov
from lineage.formats.prov_write import as_dataset
from lineage.formats.records import parse_record
from lineage.formats.trustgraph import to_records
from lineage.formats.trustgraph_quoted import triples_of
from lineage.types import NativeRecord

pytestmark = pytest.mark.engine_free

FOLDER = Path(__file__).parent / "trustgraph"
ID = "https://example.org/id"
UUID = "5d2f0e0a-3c0e-4d5e-9b8e"


def sound(records: list[Any]) -> list[NativeRecord]:
    parsed = [parse_record(index, record) for index, record in enumerate(records)]
    found = [one for one in parsed if isinstance(one, NativeRecord)]
    assert len(found) == len(parsed), parsed
    return found


def test_triples_of_one_extraction() -> None:
    body = (FOLDER / "triples.json").read_bytes()
    triples = triples_of(body)
    assert triples is not None
    component, run, chunk, fact = sound(to_records(triples))
    activity = f"https://trustgraph.ai/activity/{UUID}-0000000000aa"
    assert (component.kind, component.key) == ("component", "chunker:chunker@2.8.8")
    assert (run.kind, run.key, run.fields["run_kind"]) == ("run", activity, "chunk")
    assert (chunk.kind, chunk.key) == ("chunk", f"urn:chunk:{UUID}-000000000001")
    assert (chunk.fields["interval"]["start"], chunk.fields["interval"]["end"]) == (0, 812)
    named = {(ref.relation, ref.kind, ref.key) for ref in chunk.refs}
    assert {
        ("parent", "part", f"urn:page:{UUID}-000000000002"), ("run", "run", activity),
    } <= named  # fmt: skip
    assert fact.kind == "fact"
    assert len(json.loads(body)) == 12


def test_a_document_that_holds_other_statements_too() -> None:
    document = prov.read_document((FOLDER / "document.json").read_bytes(), "application/json")
    assert prov.names_trustgraph(document)
    records = to_records(as_dataset(document))
    assert [(one.kind, one.key) for one in sound(records)] == [
        ("run", f"{ID}/chunk-1"), ("source", f"{ID}/doc-1"), ("source_version", f"{ID}/doc-1"),
        ("document", f"{ID}/doc-1"), ("part", "urn:page:3"), ("chunk", "urn:chunk:0b1c"),
    ]  # fmt: skip
    rest = prov.prepare(document, prov.taken_by(records, document))
    assert [item.problem for item in rest.items] == [None] * 15
    assert [(one.kind, one.key) for one in rest.records] == [
        ("run", f"{ID}/parse-1"), ("agent", f"{ID}/pdf-parser"),
        ("component", f"{ID}/pdf-parser"), ("agent", f"{ID}/ana"),
    ]  # fmt: skip
