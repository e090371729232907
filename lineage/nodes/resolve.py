"""From a client's key to the uids that it names."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import F, OuterRef, Subquery

from lineage.identifiers import address_of
from lineage.models import Node, Sighting
from lineage.nodes.visible import visible
from lineage.types import Viewer
from lineage.vocabulary import KINDS

# Revisions of one key that are listed.
_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Resolved:
    """One revision of a key; `resolved` False: named by others, but no record has described it."""

    uid: str
    digest: str | None
    occurred_at: datetime | None
    resolved: bool


def resolve(viewer: Viewer, kind: str, key: str, namespace: str = "") -> list[Resolved]:
    """The nodes of a key, the newest sighting first; none for a key or kind that is unknown.

    Nodes hidden from the viewer are left out: their key is hidden too.
    """
    if kind not in KINDS:
        return []
    last_sighting = (
        Sighting.objects.filter(node=OuterRef("pk"))
        .order_by(F("occurred_at").desc(nulls_last=True), "-digest")
        .values("digest")[:1]
    )
    nodes = list(
        Node.objects.filter(
            workspace_id=viewer.workspace_id,
            address=address_of(viewer.hash_key, kind, namespace, key),
        )
        .annotate(last_digest=Subquery(last_sighting))
        .order_by(
            "-resolved",
            F("occurred_at").desc(nulls_last=True),
            F("last_digest").desc(nulls_last=True),
            "uid",
        )[:_MOST]
    )
    seen = visible(viewer, nodes)
    return [
        Resolved(node.uid, node.digest or None, node.occurred_at, node.resolved)
        for node in nodes
        if seen[node.pk]
    ]
