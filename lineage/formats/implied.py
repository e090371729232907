"""What a record implies beside itself: the agents of its credits, the prompt of its template."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from lineage.formats.canonical import as_digest, canonical_json
from lineage.formats.reading import RecordReader
from lineage.types import JsonValue, NativeRecord, Ref

_ORCID: Final = re.compile(
    r"(?:https?://(?:www\.)?orcid\.org/)?([0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9Xx])/?"
)
_ROR: Final = re.compile(r"(?:https?://(?:www\.)?ror\.org/)?(0[a-zA-Z0-9]{6}[0-9]{2})/?")


def imply_references(reader: RecordReader, kind: str, key: str) -> None:
    """Add to the reader the references that credits and a prompt template imply.

    Credits that name an `agent` keep that reference; the others get one to the agent
    known by ORCID, by ROR, or by a name within its source.
    """
    if kind in ("source", "source_version"):
        source_key = key if kind == "source" else _source_key(reader)
        reader.refs = [_with_role(ref) for ref in reader.refs]
        named = {(ref.relation, ref.ordinal) for ref in reader.refs}
        for relation, ordinal, credit, pointer in _credits(reader.fields):
            if (relation, ordinal) not in named:
                reader.refs.append(
                    Ref(
                        relation=relation,
                        kind="agent",
                        key=_agent_key(reader, credit, source_key, pointer),
                        namespace=reader.namespace,
                        ordinal=ordinal,
                        pointer=pointer,
                        properties={"role": _role(relation, credit)},
                    )
                )
    if kind == "context" and "template" in reader.fields:
        template = reader.fields["template"]
        reader.refs.append(
            Ref(
                relation="prompt",
                kind="component",
                key=component_key("prompt", template, "digest"),
                namespace=reader.namespace,
                digest=as_digest(template["digest"]) if "digest" in template else "",
                pointer="/template",
            )
        )


def implied_records(record: NativeRecord) -> list[NativeRecord]:
    """The agents and the prompt component that `record` names by their words alone.

    Their `index` is -1 and they have the record's time; each key once.
    """
    found: dict[tuple[str, str], NativeRecord] = {}
    for kind, key, fields, digest in _implied(record):
        found.setdefault((kind, key), _record(record, kind, key, fields, digest))
    return list(found.values())


def component_key(kind: str, fields: dict[str, JsonValue], digest_name: str) -> str:
    """`kind:name@version#digest`, without the parts that are not stated."""
    version, digest = fields.get("version"), fields.get(digest_name)
    return (
        f"{kind}:{fields['name']}"
        + (f"@{version}" if version is not None else "")
        + (f"#{digest}" if digest is not None else "")
    )


def _implied(record: NativeRecord) -> Iterator[tuple[str, str, dict[str, JsonValue], str]]:
    if record.kind in ("source", "source_version"):
        keys = {(ref.relation, ref.pointer): ref.key for ref in record.refs}
        for relation, _, credit, pointer in _credits(record.fields):
            # The reference of a credit that names its agent stands at /…/agent instead.
            key = keys.get((relation, pointer))
            if key is not None:
                names = ("name", "orcid", "ror")
                yield "agent", key, {n: credit[n] for n in names if n in credit}, ""
    if record.kind == "context" and "template" in record.fields:
        template = record.fields["template"]
        fields = {"component_kind": "prompt", "name": template["name"]}
        if "version" in template:
            fields["version"] = template["version"]
        if "digest" in template:
            fields["config_digest"] = template["digest"]
        digest = as_digest(template["digest"]) if "digest" in template else ""
        yield "component", component_key("prompt", template, "digest"), fields, digest


def _record(
    record: NativeRecord, kind: str, key: str, fields: dict[str, JsonValue], digest: str
) -> NativeRecord:
    at = record.occurred_at.isoformat() if record.occurred_at else None
    stated = {"implied": kind, "key": key, "namespace": record.namespace, "at": at, **fields}
    return NativeRecord(
        index=-1,
        kind=kind,
        key=key,
        namespace=record.namespace,
        occurred_at=record.occurred_at,
        content_digest=digest,
        fields=fields,
        texts={},
        refs=(),
        interval=None,
        attributes={},
        warnings=(),
        canonical=canonical_json(stated),
    )


def _credits(
    fields: Mapping[str, JsonValue],
) -> Iterator[tuple[str, int, dict[str, JsonValue], str]]:
    """Relation, ordinal, credit and pointer of each creator and of the publisher."""
    for i, credit in enumerate(fields.get("creators", ())):
        yield "creators.agent", i, credit, f"/creators/{i}"
    if "publisher" in fields:
        yield "publisher.agent", 0, fields["publisher"], "/publisher"


def _source_key(reader: RecordReader) -> str:
    source = next(ref for ref in reader.refs if ref.relation == "source")
    return source.key or source.uid


def _role(relation: str, credit: Mapping[str, JsonValue]) -> str:
    return "publisher" if relation == "publisher.agent" else str(credit.get("role", "creator"))


def _with_role(ref: Ref) -> Ref:
    if ref.relation not in ("creators.agent", "publisher.agent"):
        return ref
    return ref._replace(properties={"role": _role(ref.relation, ref.properties)})


def _agent_key(
    reader: RecordReader, credit: dict[str, JsonValue], source_key: str, pointer: str
) -> str:
    """The key of a credited agent; a malformed ORCID or ROR gives way to the name."""
    for scheme, pattern in (("orcid", _ORCID), ("ror", _ROR)):
        if (stated := credit.get(scheme)) is None:
            continue
        if match := pattern.fullmatch(stated.strip()):
            short = match.group(1)
            return f"{scheme}:{short.upper() if scheme == 'orcid' else short.lower()}"
        reader.warn("identifier_malformed", f"{pointer}/{scheme}", f"Not an {scheme.upper()}.")
        if "name" not in credit:
            return f"{scheme}:{stated}"
    return f"name:{credit['name']}@{source_key}"
