"""Records become sightings: each once, its texts replaced by markers, its references by addresses."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from typing import Any

from lineage import bulk_rows
from lineage.identifiers import address_of, anywhere_of, keyed_hash, text_digest
from lineage.ingest.keys import in_chunks
from lineage.ingest.relations import field_of
from lineage.ingest.revisions import REFS, RefRow
from lineage.ingest.seen_before import known_records, seen_addresses
from lineage.ingest.sent_again import let_back_in
from lineage.models import Derivation, Sighting
from lineage.types import NativeRecord, Ref
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

_COLUMNS = (
    "workspace_id", "kind", "address", "digest", "content_digest", "occurred_at", "recorded_at",
    "fields", "attributes", "flags", "node_id", "direct",
)  # fmt: skip


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
    # (owner of the node, sighting's fields) of what its origin says no more.
    withdrawn: list[tuple[int | None, Mapping[str, Any]]] = field(default_factory=list)
    # The addresses that lost a sighting so, or of which one says something else now.
    fewer: set[str] = field(default_factory=set)
    # Those of the latter that an erasure had blanked (lineage.ingest.sent_again).
    back: set[str] = field(default_factory=set)
    # All sightings of the addresses that had none before this request; not written yet.
    first: dict[str, list[Sighting]] = field(default_factory=dict)
    # The new sightings of addresses that had some before.
    added: dict[str, list[Sighting]] = field(default_factory=dict)
    # (address, record digest) of the request's records → id of the sighting.
    ids: dict[tuple[str, str], int] = field(default_factory=dict)


def record_sightings(
    workspace: Workspace, records: Sequence[NativeRecord], *, origin: str = ""
) -> Recorded:
    """Note the sightings that are new; the same record twice, in one request or in two, is one sighting.

    What it leaves to whoever makes nodes of them is to `append` those in `first`.

    `origin`: what the records are derived from, all of them; what was derived from it
    before and is not among them goes, unless it has another origin or was sent as such.
    """
    key = workspace.hash_key
    now = clock.now()
    recorded = Recorded()
    fresh: dict[tuple[str, str], Sighting] = {}
    # A key is named many times in one request; its address is hashed once.
    address_in = cache(partial(address_of, key))
    for record in records:
        _see(workspace, record, recorded, fresh, address_in)
    for sighting in fresh.values():
        sighting.recorded_at, sighting.direct = now, not origin
    known = known_records(workspace.pk, fresh.keys())
    back = let_back_in(workspace, known, fresh, recorded.names)
    for place in back:
        recorded.addresses.setdefault(fresh[place].kind, set()).add(place[0])
        # Not only gone on with: what was said before is another thing now.
        recorded.fewer.add(place[0])
        recorded.back.add(place[0])
    new = [sighting for place, sighting in fresh.items() if place not in known]
    seen_before = seen_addresses(workspace.pk, {sighting.address for sighting in new})
    for sighting, pk in zip(new, bulk_rows.reserve(Sighting, len(new)), strict=True):
        sighting.pk = pk
    # Those of new keys are written when it is known which nodes they make.
    append([sighting for sighting in new if sighting.address in seen_before])
    _keep_origins(workspace, origin, fresh, known, recorded)
    for sighting in new:
        recorded.addresses.setdefault(sighting.kind, set()).add(sighting.address)
        held = recorded.added if sighting.address in seen_before else recorded.first
        held.setdefault(sighting.address, []).append(sighting)
        recorded.ids[sighting.address, sighting.digest] = sighting.pk
    recorded.ids |= {place: pk for place, (pk, _) in known.items()}
    for index, address in recorded.address_of_index.items():
        place = (address, recorded.digest_of_index[index])
        if place in known and place not in back:
            recorded.known.add(index)
    return recorded


def _see(
    workspace: Workspace,
    record: NativeRecord,
    recorded: Recorded,
    fresh: dict[tuple[str, str], Sighting],
    address_in: Callable[[str, str, str], str],
) -> None:
    """Note the record in `recorded`, and its sighting in `fresh` if it is the first of its kind there."""
    key = workspace.hash_key
    address = address_in(record.kind, record.namespace, record.key)
    digest = keyed_hash(key, "record", record.canonical.decode("utf-8", "surrogatepass"))
    recorded.names[address] = (record.kind, record.namespace, record.key)
    if record.index >= 0:
        recorded.address_of_index[record.index] = address
        recorded.digest_of_index[record.index] = digest
        if (address, digest) in fresh:
            recorded.known.add(record.index)
    if (address, digest) in fresh:
        return
    fields = dict(record.fields)
    for name, value in record.texts.items():
        fields[name] = _marked(value, recorded.texts)
    if record.interval is not None:
        sent = record.interval
        fields["$interval"] = {
            "start": sent.start, "end": sent.end, "unit": sent.unit, "within": sent.within,
        }  # fmt: skip
    refs: dict[str, list[RefRow]] = {}
    for ref in record.refs:
        refs.setdefault(field_of(ref.relation), []).append(_ref_row(key, ref, address_in))
    if refs:
        fields[REFS] = refs
    fresh[address, digest] = bulk_rows.instance(
        Sighting,
        workspace_id=workspace.pk,
        kind=record.kind,
        address=address,
        digest=digest,
        content_digest=record.content_digest,
        occurred_at=record.occurred_at,
        fields=fields,
        attributes=dict(record.attributes),
        flags=[asdict(warned) for warned in record.warnings],
    )


def _marked(value: str | list[str], texts: dict[str, str]) -> Any:
    """A text as it stands in the record's JSON: its digest and its length in code points."""
    if isinstance(value, list):
        return [_marked(one, texts) for one in value]
    digest = text_digest(value)
    texts[digest] = value
    return {"$text": digest, "length": len(value)}


def _ref_row(key: bytes, ref: Ref, address_in: Callable[[str, str, str], str]) -> RefRow:
    """A reference as JSON: what it names as hashes to look up by, and as sent for a placeholder."""
    by_uid = bool(ref.uid)
    anywhere = ref.namespace is None and not by_uid
    return {
        "relation": ref.relation,
        "kind": ref.kind,
        "namespace": ref.namespace,
        "key": ref.key,
        "address": ""
        if by_uid or ref.namespace is None
        else address_in(ref.kind, ref.namespace, ref.key),
        "anywhere": anywhere_of(key, ref.kind, ref.key) if anywhere else "",
        "digest": ref.digest,
        "uid": ref.uid,
        "ordinal": ref.ordinal,
        "pointer": ref.pointer,
        "properties": dict(ref.properties),
    }


def append(sightings: Sequence[Sighting]) -> None:
    """Write sightings that have their ids."""
    rows = [(one.pk, *(getattr(one, name) for name in _COLUMNS)) for one in sightings]
    bulk_rows.insert(Sighting, ("pk", *_COLUMNS), rows)


def _keep_origins(
    workspace: Workspace,
    origin: str,
    fresh: Mapping[tuple[str, str], Sighting],
    known: Mapping[tuple[str, str], tuple[int, bool]],
    recorded: Recorded,
) -> None:
    """Note what the origin derives now and let go of the rest; without one, that all were sent as such."""
    if origin:
        sightings = {known[place][0] if place in known else fresh[place].pk for place in fresh}
        _derive(workspace, origin, sightings)
        _withdraw(workspace, origin, sightings, recorded)
        return
    derived = [known[place][0] for place in fresh if place in known and not known[place][1]]
    for chunk in in_chunks(derived):
        Sighting.objects.filter(pk__in=chunk).update(direct=True)


def _derive(workspace: Workspace, origin: str, sightings: Collection[int]) -> None:
    """Note that the origin derives these."""
    bulk_rows.insert(
        Derivation,
        ("workspace_id", "origin", "sighting_id"),
        [(workspace.pk, origin, pk) for pk in sorted(sightings)],
        unless_there=True,
    )


def _withdraw(
    workspace: Workspace, origin: str, sightings: Collection[int], recorded: Recorded
) -> None:
    """Let go of what the origin derives no more; a sighting that nothing else holds is deleted."""
    before = dict(
        Derivation.objects.filter(workspace=workspace, origin=origin)
        .order_by("pk")
        .values_list("sighting_id", "pk")
    )
    ids: list[int] = []
    past = sorted(before.keys() - set(sightings))
    for chunk in in_chunks(past):
        Derivation.objects.filter(pk__in=[before[pk] for pk in chunk]).delete()
    for chunk in in_chunks(past):
        gone = Sighting.objects.filter(
            workspace=workspace, pk__in=chunk, direct=False, derivations__isnull=True
        )
        for pk, kind, address, owner, fields in gone.order_by("pk").values_list(
            "pk", "kind", "address", "node__owner_id", "fields"
        ):
            recorded.addresses.setdefault(kind, set()).add(address)
            recorded.withdrawn.append((owner, fields))
            recorded.fewer.add(address)
            ids.append(pk)
    for chunk in in_chunks(ids):
        Sighting.objects.filter(pk__in=chunk).delete()
