"""PROV-JSON documents for tests, and the library's reading of them as an independent oracle."""

import io
import json
import warnings
from typing import Any

from prov.model import ProvDocument as LibraryDocument

from lineage.formats import prov
from lineage.formats.prov import Prepared
from lineage.formats.prov_export import to_document
from lineage.formats.prov_json import read_prov_json
from lineage.formats.prov_statements import ProvDocument
from lineage.types import JsonValue, NativeRecord, NodeView
from lineage.vocabulary import KINDS
from provexplorer import clock

EX = "http://example.org/"


def body(**containers: Any) -> bytes:
    """A document in which the prefix `ex` is declared."""
    return json.dumps({"prefix": {"ex": EX}, **containers}).encode()


def prepared(document: bytes, media_type: str = "application/json") -> Prepared:
    return prov.prepare(prov.read_document(document, media_type))


def records(document: bytes, media_type: str = "application/json") -> dict[tuple[str, str], Any]:
    """(kind, key without `ex`) → the record, parsed; none may be refused."""
    found = prepared(document, media_type).records
    assert all(isinstance(one, NativeRecord) for one in found), found
    return {(one.kind, one.key.removeprefix(EX)): one for one in found}


def refs(record: NativeRecord) -> set[tuple[str, str, str]]:
    """(relation, kind, key without `ex`) of what the record refers to."""
    return {(ref.relation, ref.kind, ref.key.removeprefix(EX)) for ref in record.refs}


def problems(document: bytes, media_type: str = "application/json") -> dict[str, str]:
    """Where statements are refused → why."""
    return {
        item.place: item.problem.detail
        for item in prepared(document, media_type).items
        if item.problem is not None
    }


def exported(document: bytes, *, plain: bool = True) -> ProvDocument:
    """What the records of a document say when they are exported again."""
    views = [
        _view(number, record)
        for number, record in enumerate(prov.prepare(read_prov_json(document)).records)
        if isinstance(record, NativeRecord)
    ]
    return to_document(views, [], base="https://here.example/lineage/", plain=plain)


def _view(number: int, record: NativeRecord) -> NodeView:
    return NodeView(
        uid=f"{KINDS[record.kind].prefix}_{number:026}",
        kind=record.kind,
        key=record.key,
        namespace=record.namespace,
        label=None,
        state="active",
        resolved=True,
        hidden=False,
        occurred_at=record.occurred_at,
        recorded_at=clock.now(),
        fields=record.fields,
        attributes=record.attributes,
        withdrawn_by=(),
    )


def library(document: bytes) -> LibraryDocument:
    """The document as the library reads it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LibraryDocument.deserialize(io.BytesIO(document), format="json")


def typed(text: str, datatype: str) -> JsonValue:
    return {"$": text, "type": datatype}
