"""Records of erased nodes: nothing of them is left but their shape.

A text's marker leads nowhere, digests are those of the tombstone, attributes are gone; where
what describes it goes as well, so do titles, names, addresses, headings and keys, there and
in what others say of it. Uids, kinds, edges, places and numbers stay.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeAlias

from django.db.models import F, Q

from lineage.content.passages import digest_of
from lineage.content.tombstones import keyed_digest
from lineage.ingest.keys import in_chunks
from lineage.ingest.labels import label_of
from lineage.ingest.revisions import REFS
from lineage.models import (
    Alias,
    Derivation,
    FactKey,
    GraphDirty,
    Node,
    Reference,
    Sighting,
    SourceWatch,
)
from lineage.types import JsonValue
from lineage.vocabulary import GRAPH_COMMON, GRAPH_PROPERTIES
from provexplorer.workspaces.models import Workspace

_Change: TypeAlias = Callable[[Mapping[str, JsonValue]], dict[str, JsonValue]]
# Fields that say where and how much, of every kind.
_SHAPE: Final = frozenset({REFS, "$interval", "interval"})


def clear_records(workspace: Workspace, node_ids: Sequence[int], *, describing: bool) -> int:
    """Clear these nodes and their sightings; how many sightings. Idempotent.

    In the caller's transaction, with the workspace's turn.
    """
    nodes = list(Node.objects.filter(workspace=workspace, pk__in=node_ids).order_by("pk"))
    mine = Sighting.objects.filter(workspace=workspace, node_id__in=[node.pk for node in nodes])
    digests = {node.digest for node in nodes}
    digests |= set(mine.order_by("pk").values_list("content_digest", flat=True))
    # First: afterwards nobody knows any more what to look for.
    _forget_digests(workspace, {one for one in digests if one})
    if describing:
        _forget_keys(workspace, nodes)
    # Read only now: they may name one another.
    sightings = list(mine.order_by("pk"))
    kinds = {node.pk: node for node in nodes}
    for row in sightings:
        node = kinds[row.node_id or 0]
        row.fields = _cleared(workspace, node.kind, row.fields, describing=describing)
        row.attributes = {}
        row.content_digest = keyed_digest(workspace, row.content_digest or node.digest)
        # It stands for good: no trace that is put together again may take the tombstone away.
        row.direct = True
    Sighting.objects.bulk_update(
        sightings, ["fields", "attributes", "content_digest", "direct"], batch_size=200
    )
    Derivation.objects.filter(
        workspace=workspace, sighting_id__in=[r.pk for r in sightings]
    ).delete()
    for node in nodes:
        node.fields = _cleared(workspace, node.kind, node.fields, describing=describing)
        node.attributes = {}
        node.digest = keyed_digest(workspace, node.digest)
        if describing:
            node.label, node.namespace, node.key = label_of(node.kind, node.fields), "", ""
    Node.objects.bulk_update(
        nodes, ["fields", "attributes", "digest", "label", "namespace", "key"], batch_size=200
    )
    # It is not fetched again: what it says now could not be kept.
    SourceWatch.objects.filter(
        workspace=workspace, source_id__in=[node.pk for node in nodes]
    ).update(paused=True, digest="")
    FactKey.objects.filter(workspace=workspace, node_id__in=[node.pk for node in nodes]).delete()
    mark_for_graph(workspace, [node.pk for node in nodes])
    return len(sightings)


def mark_for_graph(workspace: Workspace, node_ids: Collection[int]) -> None:
    """List these nodes as behind in the graph."""
    for chunk in in_chunks(node_ids):
        GraphDirty.objects.filter(node_id__in=chunk).update(version=F("version") + 1)
        GraphDirty.objects.bulk_create(
            [GraphDirty(node_id=pk, workspace=workspace) for pk in chunk], ignore_conflicts=True
        )


def _cleared(
    workspace: Workspace, kind: str, fields: Mapping[str, JsonValue], *, describing: bool
) -> dict[str, JsonValue]:
    kept = _SHAPE | GRAPH_PROPERTIES[kind] - GRAPH_COMMON - {"version"} | {"acl"}
    return {
        name: _without_text(workspace, value)
        for name, value in fields.items()
        if not describing or name in kept or _is_text(value)
    }


def _is_text(value: JsonValue) -> bool:
    return any(digest_of(one) for one in (value if isinstance(value, list) else (value,)))


def _without_text(workspace: Workspace, value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_without_text(workspace, one) for one in value]
    if digest := digest_of(value):
        return {**value, "$text": keyed_digest(workspace, digest)}
    return value


def _forget_digests(workspace: Workspace, digests: Collection[str]) -> None:
    """What names an erased content by its digest names it by the tombstone's."""
    renamed = {digest: keyed_digest(workspace, digest) for digest in digests}
    for chunk in in_chunks({old for old, new in renamed.items() if old != new}):
        rows = Reference.objects.filter(workspace=workspace, digest__in=chunk)
        holders = set(rows.values_list("holder_id", flat=True))
        for old in chunk:
            rows.filter(digest=old).update(digest=renamed[old])
        for row in _sightings_of(workspace, holders):
            _save_refs(row, lambda ref: {"digest": renamed.get(ref["digest"], ref["digest"])})


def _forget_keys(workspace: Workspace, nodes: Sequence[Node]) -> None:
    """What others' records and aliases call these nodes goes; the hashes by which they are found stay."""
    addresses = {node.address for node in nodes}
    anywhere = {node.anywhere for node in nodes}

    def without_key(ref: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        if ref["address"] in addresses:
            return {"key": "", "namespace": ""}
        return {"key": ""} if ref["anywhere"] in anywhere else {}

    for chunk in in_chunks({node.pk for node in nodes}):
        ends = Q(to_node_id__in=chunk) | Q(from_node_id__in=chunk)
        rows = Reference.objects.filter(ends, workspace=workspace)
        for row in _sightings_of(workspace, set(rows.values_list("holder_id", flat=True))):
            _save_refs(row, without_key)
    for some in in_chunks(addresses):
        aliases = Alias.objects.filter(workspace=workspace)
        aliases.filter(target_address__in=some).update(target_key="", target_namespace="")
        aliases.filter(named__in=some).update(key="", namespace="")


def _sightings_of(workspace: Workspace, holders: Collection[int]) -> list[Sighting]:
    return [
        row
        for chunk in in_chunks(holders)
        for row in Sighting.objects.filter(workspace=workspace, node_id__in=chunk).order_by("pk")
    ]


def _save_refs(row: Sighting, change: _Change) -> None:
    refs: dict[str, list[dict[str, JsonValue]]] = row.fields.get(REFS, {})
    changed = {name: [{**ref, **change(ref)} for ref in some] for name, some in refs.items()}
    if changed != refs:
        row.fields = {**row.fields, REFS: changed}
        row.save(update_fields=["fields"])
