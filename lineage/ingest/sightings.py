"""Records become sightings: each once, its texts replaced by markers, its references by addresses."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from lineage.identifiers import address_of, anywhere_of, keyed_hash, text_digest
from lineage.ingest.relations import field_of
from lineage.ingest.revisions import REFS, RefRow
from lineage.models import Sighting
from lineage.types import NativeRecord, Ref
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

_CHUNK = 500  # parameters of one look-up


@dataclass(slots=True)
class Recorded:
    """What a request added: its new sightings' addresses by kind, and the texts it carried by digest."""

    addresses: dict[str, set[str]] = field(default_factory=dict)
    # Index of the record in the request → its address; the records seen before are in `known`.
    address_of_index: dict[int, str] = field(default_factory=dict)
    known: set[int] = field(default_factory=set)
    # address → (kind, namespace, key)
    names: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    # (address, record digest) of each record of the request, by index.
    digest_of_index: dict[int, str] = field(default_factory=dict)


def record_sightings(workspace: Workspace, records: Sequence[NativeRecord]) -> Recorded:
    """Append the sightings that are new; the same record twice, in one request or in two, is one sighting."""
    key = workspace.hash_key
    now = clock.now()
    recorded = Recorded()
    fresh: dict[tuple[str, str], Sighting] = {}
    for record in records:
        address = address_of(key, record.kind, record.namespace, record.key)
        digest = keyed_hash(key, "record", record.canonical.decode("utf-8", "surrogatepass"))
        recorded.names[address] = (record.kind, record.namespace, record.key)
        if record.index >= 0:
            recorded.address_of_index[record.index] = address
            recorded.digest_of_index[record.index] = digest
            if (address, digest) in fresh:
                recorded.known.add(record.index)
        if (address, digest) in fresh:
            continue
        fields = dict(record.fields)
        for name, value in record.texts.items():
            fields[name] = _marked(value, recorded.texts)
        if record.interval is not None:
            fields["$interval"] = asdict(record.interval)
        refs: dict[str, list[RefRow]] = {}
        for ref in record.refs:
            refs.setdefault(field_of(ref.relation), []).append(ref_row(key, ref))
        if refs:
            fields[REFS] = refs
        fresh[address, digest] = Sighting(
            workspace=workspace,
            kind=record.kind,
            address=address,
            digest=digest,
            content_digest=record.content_digest,
            occurred_at=record.occurred_at,
            recorded_at=now,
            fields=fields,
            attributes=dict(record.attributes),
            flags=[asdict(warned) for warned in record.warnings],
        )
    known = _already_there(workspace, list(fresh))
    new = [sighting for place, sighting in fresh.items() if place not in known]
    Sighting.objects.bulk_create(new)
    for sighting in new:
        recorded.addresses.setdefault(sighting.kind, set()).add(sighting.address)
    for index, address in recorded.address_of_index.items():
        if (address, recorded.digest_of_index[index]) in known:
            recorded.known.add(index)
    return recorded


def _marked(value: str | list[str], texts: dict[str, str]) -> Any:
    """A text as it stands in the record's JSON: its digest and its length in code points."""
    if isinstance(value, list):
        return [_marked(one, texts) for one in value]
    digest = text_digest(value)
    texts[digest] = value
    return {"$text": digest, "length": len(value)}


def ref_row(key: bytes, ref: Ref) -> RefRow:
    """A reference as JSON: what it names as hashes to look up by, and as sent for a placeholder."""
    by_uid = bool(ref.uid)
    anywhere = ref.namespace is None and not by_uid
    return {
        "relation": ref.relation,
        "kind": ref.kind,
        "namespace": ref.namespace,
        "key": ref.key,
        "address": "" if by_uid or ref.namespace is None else address_of(key, ref.kind, ref.namespace, ref.key),
        "anywhere": anywhere_of(key, ref.kind, ref.key) if anywhere else "",
        "digest": ref.digest,
        "uid": ref.uid,
        "ordinal": ref.ordinal,
        "pointer": ref.pointer,
        "properties": dict(ref.properties),
    }


def _already_there(workspace: Workspace, places: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    known: set[tuple[str, str]] = set()
    for start in range(0, len(places), _CHUNK):
        chunk = places[start : start + _CHUNK]
        wanted = set(chunk)
        rows = Sighting.objects.filter(
            workspace=workspace, address__in={address for address, _ in chunk},
            digest__in={digest for _, digest in chunk},
        ).values_list("address", "digest")
        known |= {place for place in rows if place in wanted}
    return known
