"""What had happened by an instant, by the times that records state: a walk as of a date goes no further.

A node is left out where every record of it says a later time. One of which a record says no time,
or of which none came yet, may have been there: it stays, and is told to be undated. An edge goes
with its ends: when a node began to say what it says of another is not kept.
"""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import Final, TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet

from lineage.bulk_rows import slices
from lineage.models import Node, Sighting
from lineage.types import EdgeView

_Edge = TypeVar("_Edge", EdgeView, tuple[str, str])
_SLICE: Final = 1_000


class Then:
    """A workspace as of an instant, that included."""

    def __init__(self, workspace_id: int, until: datetime) -> None:
        self._workspace_id, self._until = workspace_id, until
        self._late: dict[str, bool] = {}

    def late(self, uids: Iterable[str]) -> set[str]:
        """Those of these nodes that began later."""
        wanted = set(uids)
        new = sorted(wanted - self._late.keys())
        before = self._told().filter(Q(occurred_at__lte=self._until) | Q(occurred_at=None))
        for some in slices(new, _SLICE):
            self._late |= dict.fromkeys(some, False)
            rows = self._nodes(some).filter(Exists(self._told())).exclude(Exists(before))
            self._late |= dict.fromkeys(rows.values_list("uid", flat=True), True)
        return {uid for uid in wanted if self._late[uid]}

    def undated(self, uids: Collection[str]) -> set[str]:
        """Those of which no record says that they were there by then, nor that they were not."""
        kept = sorted(set(uids) - self.late(uids))
        dated = self._told().filter(occurred_at__lte=self._until)
        found: set[str] = set()
        for some in slices(kept, _SLICE):
            found |= set(
                self._nodes(some).exclude(Exists(dated)).values_list("uid", flat=True)
            )  # fmt: skip
        return found

    def kept(self, edges: list[_Edge]) -> list[_Edge]:
        """The edges of which both ends were there."""
        late = self.late({uid for edge in edges for uid in _ends(edge)})
        return [edge for edge in edges if not late.intersection(_ends(edge))]

    def _nodes(self, uids: list[str]) -> QuerySet[Node]:
        return Node.objects.filter(workspace_id=self._workspace_id, uid__in=uids).order_by("uid")

    @staticmethod
    def _told() -> QuerySet[Sighting]:
        return Sighting.objects.filter(node_id=OuterRef("pk"))


def _ends(edge: EdgeView | tuple[str, str]) -> Iterator[str]:
    if isinstance(edge, EdgeView):
        yield from (edge.from_uid, edge.to_uid)
    else:
        yield from edge
