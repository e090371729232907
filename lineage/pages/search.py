"""`/search`: one box for words, DOI, PMID, key and uid; its results as one types, here and in the bar."""

from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django_htmx.http import replace_url

from lineage.nodes import search
from lineage.nodes.paging import CursorInvalid
from lineage.nodes.search import Group, search_by_kind
from lineage.nodes.search_matches import KINDS_BY_WORDS, too_short, words_asked
from lineage.types import Viewer
from lineage.vocabulary import KINDS
from provexplorer.htmx import partial_of, render_page
from provexplorer.workspaces.pages import member_page

PAGE_SIZE: Final = 30
# Of each kind on the page and in the list under the bar's box.
_OF_EACH: Final = 6
_SUGGESTED: Final = 3
STATES: Final = ("current", "review", "stale", "active", "withdrawn", "erased")
_HOLDING: Final = frozenset({"current", "active"})
_LONGEST_QUERY: Final = 400
_PARTS: Final = {"found": "lineage/_found.html", "suggestions": "lineage/_suggestions.html"}


@member_page
def find(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """`?q=`, `?kind=`, `?state=`, `?cursor=`."""
    q = request.GET.get("q", "")[:_LONGEST_QUERY]
    kind, state = _one_of(request, "kind", KINDS), _one_of(request, "state", STATES)
    part = partial_of(request, _PARTS)
    suggested = part == _PARTS["suggestions"]
    words = words_asked(q)
    context: dict[str, Any] = {
        "q": q, "kind": kind, "state": state, "section": "search",
        "asked": bool(q.strip()), "too_short": bool(words) and too_short(words),
    }  # fmt: skip
    if q.strip():
        try:
            context |= _found(request, viewer, q, kind, state, suggested=suggested)
        except CursorInvalid:
            return render_page(request, "400.html", {"again": request.path}, status=400)
    response = render_page(request, "lineage/search.html", context, partials=_PARTS)
    if part == _PARTS["found"] and request.headers.get("HX-Trigger-Name") == "q":
        # What was typed stands in the address, so that it can be kept and opened anew.
        return replace_url(response, _address(request, q=q, kind=kind, state=state))
    return response


def _found(
    request: HttpRequest, viewer: Viewer, q: str, kind: str, state: str, *, suggested: bool
) -> dict[str, Any]:
    """What the templates show of the hits: by kind, or the page of one kind. Raises CursorInvalid."""
    groups: tuple[Group, ...] = ()
    cursor = request.GET.get("cursor") or None
    grouped = suggested or not (kind or cursor)
    if grouped:
        each = _SUGGESTED if suggested else _OF_EACH
        found, groups = search_by_kind(viewer, q, each=each, state=state or None)
    else:
        found = search(
            viewer,
            q,
            kind=kind or None,
            limit=PAGE_SIZE,
            cursor=cursor,
            state=state or None,
            facets=True,
        )
    every = dict.fromkeys((*KINDS_BY_WORDS, *KINDS))
    states = [each for each in STATES if found.states.get(each) or each == state]
    return {
        "found": found,
        "groups": groups,
        "grouped": grouped,
        "kinds": [each for each in every if found.kinds.get(each) or each == kind],
        # Where all hold there is nothing to choose.
        "states": states if state or not _HOLDING.issuperset(states) else [],
        "mistyped": any(len(words) > 1 for words in found.words),
    }


def _one_of(request: HttpRequest, name: str, known: Any) -> str:
    given = request.GET.get(name, "")
    return given if given in known else ""


def _address(request: HttpRequest, **query: str) -> str:
    parameters = {name: value for name, value in query.items() if value}
    if ws := request.GET.get("ws"):
        parameters["ws"] = ws
    return f"{reverse('search')}?{urlencode(parameters)}" if parameters else reverse("search")
