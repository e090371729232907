"""How much each source counts where facts contradict: a number that the workspace sets."""

from collections.abc import Collection
from typing import Final

from django.db import transaction

from lineage.cases.errors import ScopeMissing
from lineage.models import Node, SourceAuthority
from lineage.nodes.find import find
from lineage.nodes.visible import visible
from lineage.types import NotFound, Viewer
from provexplorer import clock
from provexplorer.workspaces.audit.recording import record

# From minus to plus this.
GREATEST: Final = 1_000


def authorities(viewer: Viewer, source_ids: Collection[int]) -> dict[int, int]:
    """The authority of each source, by node id; one without is missing and counts 0."""
    rows = SourceAuthority.objects.filter(
        workspace_id=viewer.workspace_id, source_id__in=source_ids
    )
    return dict(rows.order_by("source_id").values_list("source_id", "authority"))


def authority_of(viewer: Viewer, uid: str) -> int:
    """The authority of the source with this uid; 0 where none is set."""
    rows = SourceAuthority.objects.filter(workspace_id=viewer.workspace_id, source__uid=uid)
    return rows.order_by("pk").values_list("authority", flat=True).first() or 0


def set_authority(viewer: Viewer, uid: str, authority: int) -> None:
    """Set it, from -1000 to 1000; 0 is as if it was never set.

    Raises ScopeMissing without `edit`, NotFound for what is no source or not visible,
    ValueError for a number out of range.
    """
    if "edit" not in viewer.scopes:
        raise ScopeMissing("edit")
    source = find(viewer, uid)
    if source.kind != "source" or not visible(viewer, [source])[source.pk]:
        raise NotFound(uid)
    if not -GREATEST <= authority <= GREATEST:
        raise ValueError(authority)
    before = SourceAuthority.objects.filter(source=source).values_list("authority", flat=True)
    if (before.first() or 0) == authority:
        return
    with transaction.atomic():
        if authority == 0:
            SourceAuthority.objects.filter(source=source).delete()
        else:
            _set(viewer, source, authority)
        record("source.authority", viewer, object_uid=source.uid, code=str(authority))


def _set(viewer: Viewer, source: Node, authority: int) -> None:
    SourceAuthority.objects.update_or_create(
        source=source,
        defaults={
            "workspace_id": viewer.workspace_id,
            "authority": authority,
            "set_by_id": viewer.user_id,
            "set_at": clock.now(),
        },
    )
