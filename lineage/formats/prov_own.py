"""Nodes as elements of PROV in the product's own words, and back: nothing is lost on the way.

An element that bears `pvx:kind` is a node as this product exports it: `pvx:key`,
`pvx:namespace`, `pvx:occurred_at`, `pvx:digest`, `pvx:attributes`, and each of its fields
under its own name. Texts, numbers and booleans stand as such, everything else as JSON.
"""

import json
from collections.abc import Mapping
from typing import Final

from lineage.formats.holds import Holds
from lineage.formats.prov_statements import JSON, PVX, Statement, Values, name_value, plain
from lineage.formats.prov_verbatim import Attributes, keep_element
from lineage.formats.shape import SHAPES
from lineage.identifiers import text_digest
from lineage.types import JsonValue, NodeView

_KIND: Final = f"{PVX}kind"
# As what the node had been declared by the document that it came from.
_DECLARED: Final = f"{PVX}declared"
# The edge of this product's graph that a relation restates.
EDGE: Final = f"{PVX}edge"
# Told to readers; a node that is sent again gets its own.
_TOLD: Final = frozenset(
    {"uid", "state", "resolved", "hidden", "withdrawn_by", "recorded_at", "declared", "truncated"}
)
# Made here from what was sent, and made again when it is sent again.
_COMPUTED: Final = frozenset({"verified_interval"})
_INT64: Final = 1 << 63


def is_own(statement: Statement) -> bool:
    """Whether the element is a node in this product's own words."""
    return statement.is_element and _KIND in statement.attributes


def said_of(view: NodeView, digests: Mapping[str, str]) -> dict[str, Values]:
    """The attributes, by IRI, in which a node is exported; a hidden one has its shape alone.

    `digests` (uid → digest) makes references say which revision they mean.
    """
    said: dict[str, JsonValue] = {"uid": view.uid, "kind": view.kind, "state": view.state}
    if view.hidden:
        said["hidden"] = True
    if not view.resolved:
        said["resolved"] = False
    if view.withdrawn_by:
        said["withdrawn_by"] = list(view.withdrawn_by)
    if view.key is not None:
        said |= {"key": view.key, "namespace": view.namespace}
        said |= _fields(view.fields, digests)
        if view.occurred_at is not None:
            said["occurred_at"] = view.occurred_at.isoformat()
    return {PVX + name: (json_value(value),) for name, value in said.items() if value is not None}


def records_of(statement: Statement) -> list[dict[str, JsonValue]]:
    """The native records of an exported node; none where the export tells only its shape.

    Several where sightings added up to more references than one record can state. Raises
    ValueError where a value is not what its type says.
    """
    said: dict[str, JsonValue] = {}
    for name, values in statement.attributes.items():
        if name.startswith(PVX):
            said[name[len(PVX) :]] = _read(values)
    kind = said.get("kind")
    shape = SHAPES.get(kind) if isinstance(kind, str) else None
    if shape is None or "key" not in said or said.get("resolved") is False:
        return []
    record = {name: value for name, value in said.items() if name not in _TOLD}
    attributes: Attributes = dict(record.pop("attributes", {}))
    if _DECLARED in statement.attributes:
        keep_element(attributes, _without_own(statement, str(said["declared"])))
    if attributes:
        record["attributes"] = attributes
    several: list[tuple[str, list[JsonValue]]] = []
    for name, value in record.items():
        holds = shape.fields[name].holds if name in shape.fields else None
        if holds is Holds.REFS and not isinstance(value, list):
            record[name] = [value]
        elif holds is Holds.REF and isinstance(value, list):
            several.append((name, value))
    records = [record]
    for name, references in several:
        records = [{**one, name: reference} for one in records for reference in references]
    return records


def _without_own(statement: Statement, declared: str) -> Statement:
    """The element as the document had it that the node came from."""
    kept = {
        name: rest
        for name, values in statement.attributes.items()
        if not name.startswith(PVX) and (rest := _foreign(values))
    }
    return Statement(declared, statement.id, statement.arguments, kept, statement.bundle)


def _foreign(values: Values) -> Values:
    return tuple(
        value
        for value in values
        if not (isinstance(value, dict) and str(value["$"]).startswith(PVX))
    )


def class_of(label: str) -> JsonValue:
    """The kind as a class of the product's vocabulary: `pvx:Chunk`."""
    return name_value(f"{PVX}{label}")


def _fields(fields: Mapping[str, JsonValue], digests: Mapping[str, str]) -> dict[str, JsonValue]:
    """The fields as a record has them: references by key, no text that its digest contradicts."""
    kept = {
        name: _references(value, digests)
        for name, value in fields.items()
        if name not in _COMPUTED and value is not None
    }
    text, digest = kept.get("text"), kept.get("digest")
    if isinstance(text, str) and digest and text_digest(text) != digest:
        del kept["text"]
    return kept


def _references(value: JsonValue, digests: Mapping[str, str]) -> JsonValue:
    if isinstance(value, list):
        return [_references(one, digests) for one in value]
    if not isinstance(value, dict):
        return value
    if not (value.keys() >= {"kind", "uid"} and value.keys() & {"resolved", "hidden"}):
        return {name: _references(one, digests) for name, one in value.items()}
    if value.get("key") is None:
        return {"uid": value["uid"]} if value["uid"] else None
    reference = {name: value[name] for name in ("kind", "key", "namespace")}
    if digest := digests.get(value["uid"] or ""):
        reference["digest"] = digest
    return reference


def json_value(value: JsonValue) -> JsonValue:
    """A value of a field as PROV can hold it: texts, booleans and integers as such, else JSON."""
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, int) and -_INT64 <= value < _INT64:
        return {"$": str(value), "type": "xsd:long"}
    return {"$": json.dumps(value, ensure_ascii=False, sort_keys=True), "type": JSON}


def _read(values: Values) -> JsonValue:
    """The one value; what rdf and PROV-JSON may write in several ways reads the same."""
    if len(values) != 1:
        raise ValueError(values)
    (value,) = values
    if isinstance(value, dict) and value.get("type") == JSON:
        return json.loads(str(value["$"]))
    return plain(value)
