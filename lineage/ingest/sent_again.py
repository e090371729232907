"""Records that an erasure has blanked, sent again since it was lifted: they say again what they said.

The record as sent is known by its hash, which an erasure leaves: without this it would count
as one that is there already, and stay blank. Records of a source and of what is made of it;
answers that repeated an erased text stay as they were masked.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, TypeAlias

from django.db.models import Exists, OuterRef, Q

from lineage.content.passages import digest_of
from lineage.content.tombstones import ERASED, OF_A_SOURCE, has_erased, keyed_digest
from lineage.ingest.keys import in_chunks
from lineage.ingest.revisions import REFS
from lineage.models import ErasedNode, Node, Reference, Sighting
from lineage.types import JsonValue
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

# (address, record digest)
Place: TypeAlias = tuple[str, str]
_SAYING: Final = ["fields", "attributes", "flags", "content_digest", "recorded_at"]


def let_back_in(
    workspace: Workspace,
    known: Mapping[Place, tuple[int, bool]],
    fresh: Mapping[Place, Sighting],
    names: Mapping[str, tuple[str, str, str]],
) -> set[Place]:
    """Write anew those of the known sightings that are blank, as the fresh ones have them; which they were.

    `known`: place → (id, …); `names`: address → (kind, namespace, key). In the turn, and of
    records that were screened: what an erasure still stands for is not among them. One query
    where nothing was erased.
    """
    if not known or not has_erased(workspace.pk):
        return set()
    place_of = {pk: place for place, (pk, _) in known.items()}
    blank = list(_blank(workspace, place_of))
    if not blank:
        return set()
    now = clock.now()
    meant: dict[str, str] = {}
    for row in blank:
        sent = fresh[place_of[row.pk]]
        digests = {sent.content_digest, *_markers(sent.fields)} - {""}
        meant |= {keyed_digest(workspace, digest): digest for digest in digests}
        row.fields, row.attributes, row.flags = sent.fields, sent.attributes, sent.flags
        row.content_digest, row.recorded_at = sent.content_digest, now
    _beside(workspace, blank, meant)
    Sighting.objects.bulk_update(blank, _SAYING, batch_size=200)
    for address in {row.address for row in blank}:
        _, namespace, key = names[address]
        nameless = Node.objects.filter(workspace=workspace, address=address, key="")
        nameless.update(namespace=namespace, key=key)
    return {place_of[row.pk] for row in blank}


def _blank(workspace: Workspace, ids: Collection[int]) -> Iterator[Sighting]:
    """Those of the sightings that an erasure has blanked or masked which is lifted.

    What has no tombstone of its own was masked for a part of it: no other may stand in its source.
    """
    mine = ErasedNode.objects.filter(workspace=workspace)
    lifted = mine.filter(
        node_id=OuterRef("node_id"), erasure__lifted_at__gt=OuterRef("recorded_at")
    )
    standing = mine.filter(node__owner_id=OuterRef("node__owner_id"), erasure__lifted_at=None)
    for some in in_chunks(ids):
        rows = Sighting.objects.filter(
            Q(Exists(lifted)) | Q(~Exists(standing), content_digest__startswith=ERASED),
            workspace=workspace,
            pk__in=some,
            kind__in=OF_A_SOURCE,
            node__isnull=False,
        )
        yield from rows.order_by("pk")


def mean_again(workspace: Workspace, nodes: Collection[Node]) -> None:
    """References that name these nodes by their digest, which they have again, have the tombstone's: no more."""
    meant = {keyed_digest(workspace, node.digest): node.digest for node in nodes if node.digest}
    for some in in_chunks(meant):
        rows = Reference.objects.filter(workspace=workspace, digest__in=some)
        holders = set(rows.order_by("pk").values_list("holder_id", flat=True))
        for keyed in some:
            rows.filter(digest=keyed).update(digest=meant[keyed])
        for ids in in_chunks(holders):
            naming = Sighting.objects.filter(workspace=workspace, node_id__in=ids).order_by("pk")
            for row in naming:
                _name_by(row, meant)


def _name_by(row: Sighting, meant: Mapping[str, str]) -> None:
    refs: Mapping[str, list[Mapping[str, Any]]] = row.fields.get(REFS, {})
    renamed = {
        name: [{**ref, "digest": meant.get(ref["digest"], ref["digest"])} for ref in some]
        for name, some in refs.items()
    }
    if renamed != refs:
        row.fields = {**row.fields, REFS: renamed}
        row.save(update_fields=["fields"])


def _beside(workspace: Workspace, blank: Collection[Sighting], meant: Mapping[str, str]) -> None:
    """Other sightings of the same content, which were not sent again, lead to its texts again as well."""
    text_of = {row.content_digest: row.fields.get("text") for row in blank if row.content_digest}
    ids = {row.pk for row in blank}
    changed = []
    for some in in_chunks({row.node_id for row in blank if row.node_id is not None}):
        rows = Sighting.objects.filter(workspace=workspace, node_id__in=some).exclude(pk__in=ids)
        for row in rows.order_by("pk"):
            content = meant.get(row.content_digest)
            if content is None:
                continue
            fields = {name: _leading(value, meant) for name, value in row.fields.items()}
            if digest_of(fields.get("text")) and (text := text_of.get(content)):
                # Where a passage of it was masked it leads to what was left.
                fields["text"] = text
            row.fields, row.content_digest = fields, content
            changed.append(row)
    Sighting.objects.bulk_update(changed, ["fields", "content_digest"], batch_size=200)


def _leading(value: JsonValue, meant: Mapping[str, str]) -> JsonValue:
    if isinstance(value, list):
        return [_leading(one, meant) for one in value]
    digest = digest_of(value)
    return {**value, "$text": meant[digest]} if digest in meant else value


def _markers(fields: Mapping[str, Any]) -> Iterator[str]:
    for value in fields.values():
        for one in value if isinstance(value, list) else (value,):
            if digest := digest_of(one):
                yield digest
