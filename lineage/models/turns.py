"""Whose turn it is to change a workspace's rows.

All who change nodes, marks of the projection, the closure, cases or effects of a
workspace take the same row before any other, so that none waits for another in a circle.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connections, router, transaction

from lineage.compiled import Compiled
from lineage.models.outbox import RegisterEpoch

# Composed in a transaction at its first use, as it is asked for in one at each.
_TAKEN = Compiled(
    lambda given: (
        RegisterEpoch.objects.select_for_update()
        .filter(workspace_id=given.id("workspace"))
        .order_by("pk")
        .values_list("pk")
    )
)
# Every request begins with it: Django would compose it anew each time, longer than it takes.
_COUNT: Final = "UPDATE lineage_registerepoch SET changes = changes + 1 WHERE workspace_id = %s"


def take_turn(workspace_id: int) -> None:
    """Wait for whoever changes the workspace's rows and keep the next one waiting, in this transaction.

    To be the first statement of the transaction.
    """
    if not _TAKEN.rows(workspace=workspace_id):
        RegisterEpoch.objects.get_or_create(workspace_id=workspace_id)
        RegisterEpoch.objects.select_for_update().get(workspace_id=workspace_id)


@contextmanager
def turn(workspace_id: int) -> Iterator[None]:
    """A short transaction that has the workspace's turn."""
    with transaction.atomic():
        take_turn(workspace_id)
        yield


@contextmanager
def turn_to_change(workspace_id: int) -> Iterator[None]:
    """The same for whoever may change nodes or what refers to them: it is counted (`changes_of`)."""
    with transaction.atomic():
        # Whoever changes the row has the turn as much as whoever locks it.
        if not _counted(workspace_id):
            take_turn(workspace_id)
            _counted(workspace_id)
        yield


def _counted(workspace_id: int) -> bool:
    with connections[router.db_for_write(RegisterEpoch)].cursor() as cursor:
        cursor.execute(_COUNT, [workspace_id])
        return bool(cursor.rowcount)


def changes_of(workspace_ids: Collection[int]) -> dict[int, int]:
    """How many changes each workspace has had; what is read afterwards has at least these."""
    rows = RegisterEpoch.objects.filter(workspace_id__in=workspace_ids).order_by("pk")
    return dict.fromkeys(workspace_ids, 0) | dict(rows.values_list("pk", "changes"))
