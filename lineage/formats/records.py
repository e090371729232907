"""Native records: the body of POST /api/v1/records to `NativeRecord`s and `Refused`s. Pure.

Field by field in shape.py; what a record implies beside itself in implied.py.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

from lineage.formats.body import RECORD_BYTES, Repeated, Unreadable, read_body, read_unpacked
from lineage.formats.canonical import as_digest, canonical_digest, canonical_json
from lineage.formats.implied import component_key, implied_records, imply_references
from lineage.formats.licenses import read_license
from lineage.formats.reading import RecordReader
from lineage.formats.refusals import RecordRefused
from lineage.formats.shape import COMMON, SHAPES
from lineage.formats.storable import as_stored
from lineage.formats.values import KEY_LENGTH, json_object, key_string, read_digest
from lineage.identifiers import text_digest
from lineage.types import JsonValue, NativeRecord, Refused
from provexplorer import clock

__all__ = ["implied_records", "parse_body", "parse_record", "parse_request"]

DEPTH: Final = 32
AHEAD: Final = timedelta(minutes=5)
_COMMON: Final = frozenset(COMMON)
_LONGEST_DETAIL: Final = 200


def parse_request(
    body: bytes, content_type: str, content_encoding: str
) -> list[NativeRecord | Refused]:
    """Every record of a body, in order; raises BodyRefused where it is unusable as a whole."""
    return _parsed(read_body(body, content_type, content_encoding))


def parse_body(data: bytes, content_type: str) -> list[NativeRecord | Refused]:
    """Every record of a body that is unpacked already, as `parse_request` gives them."""
    return _parsed(read_unpacked(data, content_type))


def _parsed(records: Iterable[JsonValue | Unreadable]) -> list[NativeRecord | Refused]:
    return [
        Refused(index, "", "", record.problem)
        if isinstance(record, Unreadable)
        else parse_record(index, record)
        for index, record in enumerate(records)
    ]


def parse_record(index: int, record: JsonValue) -> NativeRecord | Refused:
    """One record of the contract, checked and taken apart, or why it is refused."""
    try:
        if not isinstance(record, dict):
            raise RecordRefused("not-an-object", "A record is a JSON object.")
        _inspect(record)
        return _read(index, record)
    except RecordRefused as refused:
        kind, key = _echo(record, "kind"), _echo(record, "key")
        return Refused(index, kind, key, refused.problem)


def _read(index: int, record: dict[str, JsonValue]) -> NativeRecord:
    canonical = canonical_json(record)
    if len(canonical) > RECORD_BYTES and _size(record) > RECORD_BYTES:
        raise RecordRefused("record-too-large", "A record has at most 8 MiB.")
    kind = record.get("kind")
    if not isinstance(kind, str) or kind not in SHAPES:
        raise RecordRefused("unknown-kind", f"One of {', '.join(SHAPES)}.", "/kind")
    namespace = record.get("namespace")
    reader = RecordReader("" if namespace is None else key_string(namespace, "/namespace"))
    stated_key = record.get("key")
    if stated_key is not None:
        key_string(stated_key, "/key", empty=False)
    elif kind != "component":
        raise RecordRefused("key-missing", "Every record has the key its client knows.", "/key")
    occurred_at = _occurred_at(reader, record.get("occurred_at"))
    reader.read(record, SHAPES[kind], _COMMON)
    key = stated_key or _component_key(reader)
    imply_references(reader, kind, key)
    _inform(reader, kind)
    digest = _content_digest(reader, kind, record.get("digest"))
    return NativeRecord(
        index=index,
        kind=kind,
        key=key,
        namespace=reader.namespace,
        occurred_at=occurred_at,
        content_digest=digest,
        fields=reader.fields,
        texts=reader.texts,
        refs=tuple(reader.refs),
        interval=reader.intervals.get("interval"),
        attributes=_attributes(reader, record.get("attributes"), canonical),
        warnings=reader.all_warnings(),
        canonical=canonical,
    )


def _inspect(record: JsonValue) -> None:
    """Refuse a name that stands twice and what is nested too deeply, wherever it is."""
    pending: list[tuple[JsonValue, int]] = [(record, 1)]
    while pending:
        value, depth = pending.pop()
        if depth > DEPTH:
            raise RecordRefused("too-deep", "At most 32 levels, the record itself included.")
        if isinstance(value, Repeated):
            raise RecordRefused("name-repeated", f"{value.name[:80]!r} stands twice.")
        inner = value.values() if isinstance(value, dict) else value
        pending += [(item, depth + 1) for item in inner if isinstance(item, (dict, list))]


def _size(record: JsonValue) -> int:
    """Bytes of the record as UTF-8; its canonical form writes other characters longer."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "surrogatepass"))


def _echo(record: JsonValue, name: str) -> str:
    """Kind or key of a refused record, so that its sender finds it."""
    value = record.get(name) if isinstance(record, dict) else None
    return value[:KEY_LENGTH] if isinstance(value, str) else ""


def _component_key(reader: RecordReader) -> str:
    kind = reader.fields["component_kind"]
    return key_string(component_key(kind, reader.fields, "config_digest"), "/key")


def _occurred_at(reader: RecordReader, value: JsonValue) -> datetime | None:
    if value is None:
        return None
    at = reader.instant(value, "/occurred_at").at
    if at > clock.now() + AHEAD:
        reader.warn("time_ahead", "/occurred_at", "More than 5 minutes in the future.")
    return at


def _content_digest(reader: RecordReader, kind: str, stated: JsonValue) -> str:
    """The digest that the content has or is said to have; "" where neither is known."""
    sent = "" if stated is None else read_digest(stated, "/digest")
    if sent:
        reader.fields["digest"] = sent
    fields, text = reader.fields, reader.texts.get("text")
    if isinstance(text, str):
        computed = text_digest(text)
        if sent and sent != computed:
            reader.warn(
                "digest_mismatch", "/digest", "Not the digest of the text: the text counts."
            )
        return computed
    if kind == "component":
        if "config_digest" in fields:
            return as_digest(fields["config_digest"])
        return sent or (canonical_digest(fields["config"]) if "config" in fields else "")
    if sent:
        return sent
    if kind == "fact":
        return canonical_digest([reader.texts[n] for n in ("subject", "predicate", "object")])
    if kind == "embedding":
        if "vector_digest" in fields:
            return as_digest(fields["vector_digest"])
        return canonical_digest(
            [fields["model"], fields.get("dimensions"), reader.texts.get("entity")]
        )
    return ""


def _inform(reader: RecordReader, kind: str) -> None:
    """Tell what attribution lacks; whether that matters is the workspace's decision."""
    if kind == "source" and not reader.fields.get("creators"):
        reader.warn("creator_missing", "/creators", "The record names no creator.")
    if kind == "source_version":
        _inform_of_license(reader)


def _inform_of_license(reader: RecordReader) -> None:
    said, address = reader.fields.get("license"), reader.fields.get("license_uri")
    read = read_license(said, address)
    if read.how == "unstated":
        reader.warn("license_unknown", "/license", "The record states no licence.")
    elif read.unknown:
        named = ", ".join(read.unknown)[:_LONGEST_DETAIL]
        reader.warn(
            "license_unknown", "/license", f"Not on the SPDX license list, kept as stated: {named}"
        )
    elif read.how == "unknown":
        reader.warn("license_unknown", "/license", "Not an SPDX expression: kept as stated.")
    elif read.how == "spelling":
        at = "/license" if read_license(said).normal else "/license_uri"
        reader.warn("license_normalized", at, f"Read as {read.normal}; kept as stated.")


def _attributes(reader: RecordReader, sent: JsonValue, canonical: bytes) -> Mapping[str, JsonValue]:
    """The attributes as sent, with the fields that the kind does not know; `canonical`: the record."""
    kept = {} if sent is None else json_object(sent, "/attributes")
    attributes: dict[str, JsonValue] = as_stored(kept, "/attributes", reader.warn, canonical)
    for name, value in as_stored(reader.unknown, "", reader.warn, canonical).items():
        attributes[name if name not in attributes else f"field:{name}"] = value
    return attributes
