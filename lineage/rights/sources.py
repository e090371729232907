"""The list of sources by what hangs on them, how fresh they are and what they state of rights.

It reads what is prepared (SourceRights, a few seconds behind) and what is known by looking
(SourceWatch). What the viewer may not see is in no filtered or sorted list.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lineage.freshness.state import Freshness, freshness_of
from lineage.models import Node, SourceRights
from lineage.nodes import lists
from lineage.nodes.lists import SourceRow, source_rows
from lineage.nodes.paging import DEFAULT_LIMIT, bounded
from lineage.nodes.visible import visible
from lineage.rights.asked import FRESHNESS, SourceFilter, asked_for
from lineage.rights.orders import ORDERS
from lineage.types import Viewer

SORTS: Final = ("title", *ORDERS)
_BATCH: Final = 500
_USUAL: Final = "grounded"


@dataclass(frozen=True, slots=True)
class Figures:
    """The prepared numbers and codes of a source.

    `missing`: creator, licence (of a version that somebody has described), description.
    """

    answers: int
    chunks: int
    versions: int
    unlicensed: int
    family: str
    licence: str
    language: str
    ends_at: datetime | None
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A row of the list; figures None where none are prepared yet, or none may be told."""

    row: SourceRow
    figures: Figures | None
    freshness: Freshness | None

    @property
    def fresh(self) -> str:
        """The key of FRESHNESS that it falls under."""
        outcome = self.freshness.outcome if self.freshness is not None else ""
        return next((name for name, some in FRESHNESS.items() if outcome in some), "never")


@dataclass(frozen=True, slots=True)
class SourceList:
    items: tuple[SourceLine, ...]
    next: str | None
    total: int


def sources(
    viewer: Viewer,
    asked: SourceFilter,
    *,
    sort: str = "title",
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> SourceList:
    """A page of the list. By title without a filter it is that of lineage.nodes.lists. Raises CursorInvalid."""
    if sort not in ORDERS and not asked.narrows:
        page = lists.sources(viewer, q=asked.q, limit=limit, cursor=cursor)
        return SourceList(_lines(viewer, page.items), page.next, page.total)
    order = ORDERS.get(sort, ORDERS[_USUAL])
    rows = asked_for(viewer, asked).filter(order.among)
    size = bounded(limit)
    found = list(order.after(rows, cursor)[: size + 1])
    more = len(found) > size
    following = order.cursor(found[size - 1]) if more else None
    return SourceList(_page(viewer, found[:size]), following, rows.count())


def every(viewer: Viewer, asked: SourceFilter, *, sort: str = "grounded") -> Iterator[SourceLine]:
    """Every row that the filter finds and the viewer may see, in the order; some hundred are read at a time."""
    order = ORDERS.get(sort, ORDERS[_USUAL])
    rows = asked_for(viewer, asked).filter(order.among)
    cursor: str | None = None
    while found := list(order.after(rows, cursor)[:_BATCH]):
        yield from _page(viewer, found)
        if len(found) < _BATCH:
            return
        cursor = order.cursor(found[-1])


def _page(viewer: Viewer, found: Sequence[SourceRights]) -> tuple[SourceLine, ...]:
    """The lines of prepared rows; of what has become hidden since, none."""
    nodes = {node.pk: node for node in Node.objects.filter(pk__in=[row.source_id for row in found])}
    page = [nodes[row.source_id] for row in found if row.source_id in nodes]
    seen = visible(viewer, page)
    return _lines(viewer, source_rows(viewer, [node for node in page if seen[node.pk]]))


def _lines(viewer: Viewer, rows: Sequence[SourceRow]) -> tuple[SourceLine, ...]:
    told = [row.uid for row in rows if not row.hidden and row.state != "erased"]
    mine = SourceRights.objects.filter(workspace_id=viewer.workspace_id, source__uid__in=told)
    prepared = {row.source.uid: row for row in mine.select_related("source")}
    fresh = freshness_of(viewer, [row.source_id for row in prepared.values()])
    return tuple(
        SourceLine(
            row,
            _figures(prepared[row.uid]) if row.uid in prepared else None,
            fresh.get(prepared[row.uid].source_id) if row.uid in prepared else None,
        )
        for row in rows
    )


def _figures(row: SourceRights) -> Figures:
    missing = {
        "description": not row.described,
        "creator": row.described and not row.has_creator,
        "licence": row.unlicensed > 0,
    }
    return Figures(
        answers=row.answers,
        chunks=row.chunks,
        versions=row.versions,
        unlicensed=row.unlicensed,
        family=row.family,
        licence=row.licence,
        language=row.language,
        ends_at=row.ends_at,
        missing=tuple(name for name, lacks in missing.items() if lacks),
    )
