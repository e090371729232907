"""On which page of a PDF something stands, in a version that was read by looking at its source."""

from bisect import bisect_right
from typing import Final

from citations.passage import Page
from citations.stated import stated
from lineage.freshness.record import PAGES
from lineage.freshness.versions import is_observed
from lineage.models import Node

_MOST_PAGES: Final = 2_000


def page_at(version: Node, position: int) -> Page | None:
    """The page of a version at a place of its text (code points); None where it has no pages."""
    told = version.attributes.get(PAGES)
    if not is_observed(version) or not isinstance(told, list):
        return None
    marks = [
        mark
        for mark in told[:_MOST_PAGES]
        if isinstance(mark, list) and len(mark) == 2 and isinstance(mark[0], int)
    ]
    index = bisect_right([mark[0] for mark in marks], position) - 1
    return Page(index, stated(marks[index][1])) if index >= 0 else None
