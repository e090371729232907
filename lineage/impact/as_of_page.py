"""A page of what impact as recorded lists: the same for the API and the page."""

from collections.abc import Sequence

from lineage.impact.as_of import AnswerThen
from lineage.nodes.paging import CursorInvalid, read_cursor, write_cursor


def page_of(
    items: Sequence[AnswerThen], limit: int, cursor: str | None
) -> tuple[Sequence[AnswerThen], str | None]:
    """At most `limit` answers after the cursor, and the cursor of the next ones. Raises CursorInvalid."""
    start = 0
    if cursor is not None:
        (last,) = read_cursor(cursor, str)
        uids = [each.uid for each in items]
        if last not in uids:
            raise CursorInvalid
        start = uids.index(last) + 1
    page = items[start : start + limit]
    more = start + limit < len(items)
    return page, write_cursor(page[-1].uid) if more else None
