"""`/unresolved/` and `/unresolved/UID`: keys that were named and never sent, and what they might stand for."""

from collections.abc import Callable, Mapping
from typing import Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from lineage.ingest import matches
from lineage.ingest.matches import MatchRefused
from lineage.nodes.paging import CursorInvalid
from lineage.nodes.unresolved import accepted_matches, unresolved, unresolved_key
from lineage.pages.names import nodes_of
from lineage.types import Viewer
from lineage.vocabulary import KINDS
from provexplorer.htmx import render_page
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.pages import member_page, object_page

PAGE_SIZE: Final = 30


@member_page(minimum=Role.OPERATOR)
def keys(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """`?kind=`, `?cursor=`."""
    kind = request.GET.get("kind", "")
    kind = kind if kind in KINDS else ""
    try:
        found = unresolved(
            viewer, kind=kind, limit=PAGE_SIZE, cursor=request.GET.get("cursor") or None
        )
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    context = {"found": found, "kind": kind, "accepted": accepted_matches(viewer)}
    return render_page(
        request, "unresolved/list.html", context, partials={"list": "unresolved/_list.html"}
    )


@object_page(minimum=Role.OPERATOR)
def key(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """One missing key: what names it, and what it might stand for."""
    found = unresolved_key(viewer, uid)
    context = {"found": found, "row": found.row, "named": nodes_of(viewer, found.naming).values()}
    return render_page(request, "unresolved/key.html", context)


@require_POST
@object_page(minimum=Role.OPERATOR)
def decide(request: HttpRequest, viewer: Viewer, uid: str, step: str) -> HttpResponse:
    """`accept` and `reject` of a `target`, `undo`, `suggest-again`; then back to the list or the key."""
    if step not in _STEPS:
        raise Http404
    # A uid may be pasted with blanks around it.
    target = request.POST.get("target", "").strip()
    back = reverse("unresolved_key", args=[uid])
    try:
        said, leads_back = _STEPS[step](viewer, uid, target)
    except MatchRefused as refused:
        messages.error(request, refused.detail)
        return HttpResponseRedirect(back)
    messages.success(request, said)
    listing = f"{reverse('unresolved')}?ws={viewer.slug}"
    return HttpResponseRedirect(back if leads_back else listing)


def _accept(viewer: Viewer, uid: str, target: str) -> tuple[str, bool]:
    matches.accept(viewer, uid, target)
    return _("From now on the missing key stands for that one. You can undo it below."), False


def _reject(viewer: Viewer, uid: str, target: str) -> tuple[str, bool]:
    matches.reject(viewer, uid, target)
    return _("It is not suggested again."), True


def _undo(viewer: Viewer, uid: str, _target: str) -> tuple[str, bool]:
    matches.undo(viewer, uid)
    return _("The match is undone: the key is missing again."), False


def _suggest_again(viewer: Viewer, uid: str, _target: str) -> tuple[str, bool]:
    matches.suggest_again(viewer, uid)
    return _("What was rejected may be suggested again."), True


_STEPS: Final[Mapping[str, Callable[[Viewer, str, str], tuple[str, bool]]]] = {
    "accept": _accept,
    "reject": _reject,
    "undo": _undo,
    "suggest-again": _suggest_again,
}
