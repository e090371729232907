"""Whose turn it is to change a workspace's rows.

All who change nodes, marks of the projection, the closure, cases or effects of a
workspace take the same row before any other, so that none waits for another in a circle.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

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
