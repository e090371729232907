"""References by a uid that nobody held when they came: found again when a node has it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from lineage.compiled import by_their_ids
from lineage.ingest.keys import in_chunks
from lineage.models import Reference
from provexplorer.workspaces.models import Workspace


@dataclass(frozen=True, slots=True)
class Naming:
    """Who names such a uid, and by which relation."""

    relation: str
    holder_id: int
    holder_kind: str
    holder_address: str


class WaitingForUids:
    """The references of a workspace by uids that nobody holds."""

    def __init__(self, workspace: Workspace) -> None:
        # A reference has its holder at one end; of some it is the one that the edge leads to.
        waiting = by_their_ids(Reference.objects.filter(uid_named__gt=""), workspace.pk)
        waiting = waiting.order_by("pk")
        # Ordered, not `exists()`: so the missing end leads to the rows, and not their order.
        self._waiting = [
            rows
            for rows in (waiting.filter(to_node=None), waiting.filter(from_node=None))
            if rows.values_list("pk", flat=True).first() is not None
        ]

    def naming(self, uids: Collection[str]) -> Iterator[Naming]:
        """Those that wait for one of these uids."""
        for rows in self._waiting:
            for some in in_chunks(uids):
                for row in rows.filter(uid_named__in=some).values_list(
                    "relation", "holder_id", "holder__kind", "holder__address"
                ):
                    yield Naming(*row)
