"""`/lineage/UID/changes`: what late and repeated records changed for a node since an instant."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import Final

from django.http import HttpRequest, HttpResponse

from lineage.impact.changes import Changes, Moved, changes
from lineage.nodes import node
from lineage.nodes.paging import CursorInvalid, read_cursor, write_cursor
from lineage.pages.instants import first_of
from lineage.pages.names import name_of, nodes_of
from lineage.types import NodeView, Viewer
from provexplorer import clock
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import object_page

PAGE_SIZE: Final = 50
# What is asked where the address does not say it.
USUAL: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Named:
    """A node by its uid; `kind` and `name` are empty where it is not known here any more."""

    uid: str
    kind: str
    name: str


@object_page
def page(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`?since=` (a date or an instant, UTC; a week ago), `?moved=`, `?answers=` and `?references=` go on in the lists."""
    typed = request.GET.get("since", "")
    since = first_of(typed)
    try:
        found = changes(
            viewer,
            uid,
            since or clock.now() - USUAL,
            limit=PAGE_SIZE,
            rebindings_after=request.GET.get("references") or None,
            answers_after=request.GET.get("answers") or None,
        )
        moved, next_moved = _page_of(found.moved, request.GET.get("moved") or None)
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    named = nodes_of(viewer, _uids(found, moved))
    context = {
        "root": node(viewer, uid),
        "found": found,
        "moved": [(_named(named, each.uid), each) for each in moved],
        "next_moved": next_moved,
        "rebindings": [
            (
                _named(named, each.holder),
                each,
                _named(named, each.old) if each.old else None,
                _named(named, each.new) if each.new else None,
            )
            for each in found.rebindings
        ],
        "answers": [(_named(named, each.uid), each) for each in found.answers],
        "typed": f"{found.since.astimezone(UTC):%Y-%m-%dT%H:%M}",
        "since": found.since.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "wrong": bool(typed) and since is None,
        "is_first": not (request.GET.get("references") or request.GET.get("answers")),
    }
    return render_page(request, "lineage/changes.html", context)


def _page_of(moved: Sequence[Moved], cursor: str | None) -> tuple[Sequence[Moved], str | None]:
    """The page that follows the cursor, and the cursor of the next; they come by uid. Raises CursorInvalid."""
    if cursor is not None:
        (last,) = read_cursor(cursor, str)
        if last is None:
            raise CursorInvalid
        moved = moved[bisect_right(moved, last, key=lambda each: each.uid) :]
    more = len(moved) > PAGE_SIZE
    return moved[:PAGE_SIZE], write_cursor(moved[PAGE_SIZE - 1].uid) if more else None


def _uids(found: Changes, moved: Sequence[Moved]) -> set[str]:
    uids = {each.uid for each in moved} | {each.uid for each in found.answers}
    for each in found.rebindings:
        uids |= {each.holder, each.old or "", each.new or ""}
    return uids - {""}


def _named(named: Mapping[str, NodeView], uid: str) -> Named:
    found = named.get(uid)
    return Named(uid, found.kind, name_of(found)) if found else Named(uid, "", "")
