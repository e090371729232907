"""`/answers/`: the list with its filters in the address."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from lineage.nodes import lists
from lineage.nodes.paging import CursorInvalid
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import member_page

PAGE_SIZE: Final = 30
STATES: Final = ("current", "review", "stale")
_LONGEST_QUERY: Final = 400


@member_page
def answers(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """`?state=`, `?q=`, `?cursor=`."""
    given = _given(request, "state")
    try:
        found = lists.answers(
            viewer,
            state=given["state"] or None,
            q=given["q"],
            limit=PAGE_SIZE,
            cursor=given["cursor"],
        )
    except CursorInvalid:
        return _anew(request)
    context = {"found": found, "states": STATES, "section": "answers", **given}
    return render_page(
        request, "answers/list.html", context, partials={"list": "answers/_list.html"}
    )


def _given(request: HttpRequest, *names: str) -> dict[str, Any]:
    """What the address asks for: words, cursor, and the filters of the list."""
    return {
        "q": request.GET.get("q", "")[:_LONGEST_QUERY],
        "cursor": request.GET.get("cursor") or None,
        **{name: request.GET.get(name, "") for name in names},
    }


def _anew(request: HttpRequest) -> HttpResponse:
    """A cursor that is no cursor of this list: offer its beginning."""
    context: Mapping[str, Any] = {"again": request.path}
    return render_page(request, "400.html", context, status=400)
