"""Lifecycle changes of datasets open draft cases: a person decides, nothing is applied by itself."""

from collections.abc import Iterable
from typing import Final

from django.db.models import F, Q

from lineage.cases.errors import DraftRefused
from lineage.cases.workflow import NewCase, draft
from lineage.formats.openlineage import Change
from lineage.formats.times import written
from lineage.identifiers import address_of
from lineage.models import Node, Sighting
from lineage.types import JsonValue, Viewer
from provexplorer.workspaces.models import Workspace

_KINDS: Final = {"DROP": "revocation", "TRUNCATE": "revocation", "OVERWRITE": "supersession"}
_REASONS: Final = {
    "DROP": "The dataset was dropped.",
    "TRUNCATE": "The dataset was emptied.",
    "OVERWRITE": "The dataset was written anew.",
}
# Builds of a collection that one case names.
_MOST_SNAPSHOTS: Final = 200


def draft_cases(workspace: Workspace, changes: Iterable[Change], payload_uid: str) -> set[str]:
    """A draft for each change that met something known here, once however often it is told.

    Gives the keys of the changes that have a draft. A change of what nobody knows has none.
    """
    viewer = Viewer(
        workspace_id=workspace.pk,
        hash_key=workspace.hash_key,
        slug=workspace.slug,
        sees_all=True,
        scopes=frozenset({"operate"}),
    )
    drafted: set[str] = set()
    for change in changes:
        targets = list(_targets(workspace, change))
        if not targets:
            continue
        evidence = {
            "lifecycleStateChange": change.state,
            "eventTime": written(change.at),
            "payload": payload_uid,
        }
        try:
            draft(
                viewer, NewCase(kind=_KINDS[change.state], targets=targets,
                reason=_REASONS[change.state], evidence=[evidence]), key=change.key,
            )  # fmt: skip
        except DraftRefused:
            continue
        drafted.add(change.key)
    return drafted


def _targets(workspace: Workspace, change: Change) -> Iterable[JsonValue]:
    """What the change is about: the dataset as a whole, or, overwritten, what it was before."""
    nodes = Node.objects.filter(workspace=workspace, kind=change.kind)
    if change.kind == "index_snapshot":
        earlier = nodes.filter(namespace=change.dataset.name, occurred_at__lt=change.at)
        newest = earlier.order_by("-occurred_at", "-pk").values_list("uid", flat=True)
        limit = 1 if change.state == "OVERWRITE" else _MOST_SNAPSHOTS
        return [{"uid": uid} for uid in newest[:limit]]
    namespace, name = change.dataset
    if change.state == "OVERWRITE":
        return _state_before(workspace, change)
    address = address_of(workspace.hash_key, "source", namespace, name)
    found = nodes.filter(address=address).values_list("uid", flat=True)
    return [{"uid": uid} for uid in found[:1]]


def _state_before(workspace: Workspace, change: Change) -> list[JsonValue]:
    """The last version of the dataset that was seen before the change, but not what it made."""
    address = address_of(workspace.hash_key, "source_version", *change.dataset)
    before = (
        Sighting.objects.filter(workspace=workspace, address=address, node__isnull=False)
        .filter(Q(occurred_at__lt=change.at) | Q(occurred_at__isnull=True))
        .exclude(node__digest=change.version_digest or "-")
        .order_by(F("occurred_at").desc(nulls_last=True), "-digest")
        .values_list("node__uid", flat=True)
    )
    return [{"uid": uid} for uid in before[:1]]
