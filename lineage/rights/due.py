"""Which sources' prepared rows are behind: noted where records are applied, and found where time or answers have passed."""

from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import Final

from django.db.models import Max

from lineage import bulk_rows
from lineage.compiled import by_their_ids
from lineage.models import Node, RestsOn, RightsProgress, SourceDue, SourceOpen, SourceRights
from lineage.models.turns import turn
from provexplorer import clock

# What a source's row is made of.
_BEARING: Final = frozenset({"source", "source_version", "chunk"})
# Rows looked at in one go.
_SOURCES: Final = 2_000
_RESTING: Final = 5_000
_ENDED: Final = 500
_OLD: Final = 200
# A row that nothing has touched is looked at again after this time.
_AGE: Final = timedelta(days=1)


def note_due(workspace_id: int, nodes: Iterable[Node]) -> None:
    """Note the sources of nodes that are new or have changed; part of the transaction at hand."""
    sources = {
        node.pk if node.kind == "source" else node.owner_id
        for node in nodes
        if node.kind in _BEARING
    }
    # A placeholder that was the owner may have gone meanwhile.
    there: set[int] = set()
    for some in bulk_rows.slices((pk for pk in sources if pk is not None), _SOURCES):
        rows = by_their_ids(Node.objects.filter(pk__in=some), workspace_id).order_by("pk")
        there |= set(rows.values_list("pk", flat=True))
    note(workspace_id, there)


def note(workspace_id: int, source_ids: Collection[int]) -> None:
    """Note sources, by node id; one that is noted already stays so."""
    bulk_rows.insert(
        SourceDue,
        ("source_id", "workspace_id"),
        [(pk, workspace_id) for pk in sorted(source_ids)],
        unless_there=True,
    )


def forget(workspace_id: int, node_ids: Collection[int]) -> None:
    """Delete what is prepared of erased sources; those of erased versions are prepared anew.

    Part of the transaction at hand.
    """
    ids = list(node_ids)
    for some in bulk_rows.slices(ids, _ENDED):
        SourceRights.objects.filter(workspace_id=workspace_id, source_id__in=some).delete()
        SourceOpen.objects.filter(source_id__in=some, source__workspace_id=workspace_id).delete()
        versions = Node.objects.filter(
            workspace_id=workspace_id, pk__in=some, parent__kind="source"
        )
        note(workspace_id, set(versions.values_list("parent_id", flat=True)))


def find_due(workspace_id: int) -> None:
    """Note the sources that nobody has noted: old ones, those with new answers, those whose time has come.

    Some of each; the next run finds the rest.
    """
    with turn(workspace_id):
        progress, _ = RightsProgress.objects.get_or_create(workspace_id=workspace_id)
        sources = _not_taken_up(progress) | _newly_resting(progress)
        note(workspace_id, sources)
        progress.save()
    now = clock.now()
    mine = SourceRights.objects.filter(workspace_id=workspace_id)
    ended = mine.filter(ends_at__lte=now).order_by("ends_at", "source_id")
    old = mine.filter(summarised_at__lt=now - _AGE).order_by("summarised_at", "source_id")
    passed = set(ended.values_list("source_id", flat=True)[:_ENDED])
    note(workspace_id, passed | set(old.values_list("source_id", flat=True)[:_OLD]))


def _not_taken_up(progress: RightsProgress) -> set[int]:
    rows = Node.objects.filter(
        workspace_id=progress.workspace_id, kind="source", pk__gt=progress.taken_up_to
    ).order_by("pk")
    found = list(rows.values_list("pk", flat=True)[:_SOURCES])
    progress.taken_up_to = max(found, default=progress.taken_up_to)
    return set(found)


def _newly_resting(progress: RightsProgress) -> set[int]:
    """Sources of rows that came since; the workspace's turn keeps others from writing earlier ones late."""
    last = RestsOn.objects.aggregate(last=Max("pk"))["last"] or 0
    if last <= progress.rests_on_to:
        return set()
    rows = RestsOn.objects.filter(
        pk__gt=progress.rests_on_to,
        pk__lte=last,
        target__workspace_id=progress.workspace_id,
        target__kind="source",
    ).order_by("pk")
    found = list(rows.values_list("pk", "target_id")[:_RESTING])
    progress.rests_on_to = found[-1][0] if len(found) == _RESTING else last
    return {target for _, target in found}
