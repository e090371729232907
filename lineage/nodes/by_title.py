"""The order of a list by title, as long as the list is short enough to be sorted here.

It is not sorted in the database: between two titles that are shown, the place of one that
is not would give its first letters away. What a viewer may not read stands at the end.
"""

from typing import Final

from django.db.models import QuerySet

from lineage.models import Node
from lineage.nodes.paging import CursorInvalid, bounded, read_cursor, write_cursor
from lineage.nodes.states import node_states
from lineage.nodes.visible import visible
from lineage.types import Viewer

MOST_SORTED: Final = 1_000


def page_by_title(
    viewer: Viewer, rows: QuerySet[Node], limit: int, cursor: str | None
) -> tuple[list[Node], str | None, int] | None:
    """The page after the cursor, the next cursor, and the number of all; None for more than 1,000.

    Raises CursorInvalid, also for the cursor of a row that has gone.
    """
    found = list(rows.order_by("uid")[: MOST_SORTED + 1])
    if len(found) > MOST_SORTED:
        return None
    seen = visible(viewer, found)
    states = node_states(viewer.workspace_id, found)
    readable = {node.pk for node in found if seen[node.pk] and states[node.pk].erasure is None}

    def place(node: Node) -> tuple[bool, str, str]:
        title = (node.label or "").strip().casefold() if node.pk in readable else ""
        return not title, title, node.uid

    ordered = sorted(found, key=place)
    begin = 0
    if cursor is not None:
        (uid,) = read_cursor(cursor, str)
        begin = next((at for at, node in enumerate(ordered, 1) if node.uid == uid), 0)
        if not begin:
            raise CursorInvalid
    end = begin + bounded(limit)
    page = ordered[begin:end]
    following = write_cursor(page[-1].uid) if end < len(ordered) else None
    return page, following, len(ordered)
