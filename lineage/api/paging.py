"""`limit` and `cursor`, the same for every list."""

from typing import Annotated, Final

from ninja import Query

LIMIT: Final = 50
MOST: Final = 200
_CURSOR_LENGTH: Final = 2_000

Limit = Annotated[int, Query(description="Items a page.", ge=1, le=MOST)]
Cursor = Annotated[
    str | None,
    Query(
        description="`next` of the page before, with the same filters.", max_length=_CURSOR_LENGTH
    ),
]
