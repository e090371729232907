"""`/notices/`, `/notices/UID`, `/notices/imports`: what was said of works that answers rest on."""

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from lineage.cases.errors import DraftRefused, ScopeMissing
from lineage.formats.notice_files import TooLarge
from lineage.formats.notice_kinds import NOTICE_KINDS
from lineage.formats.notices import PROVIDERS
from lineage.models import NoticeImport
from lineage.nodes.paging import CursorInvalid
from lineage.notices import deciding, feeds, imports, receiving, view
from lineage.notices.dismissed import dismissed
from lineage.notices.shelf import has_shelf
from lineage.types import NotFound, Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.pages import member_page, object_page

PAGE_SIZE: Final = 30
PARTIALS: Final = {"list": "notices/_list.html"}


@member_page(minimum=Role.OPERATOR)
def notices(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """`?kind=`, `?provider=`, `?standing=`, `?cursor=`."""
    kind, provider = request.GET.get("kind", ""), request.GET.get("provider", "")
    standing = request.GET.get("standing", "")
    chosen = {
        "kind": kind if kind in NOTICE_KINDS else "",
        "provider": provider if provider in PROVIDERS else "",
        "standing": standing if standing in view.STANDINGS else "",
    }
    try:
        found = view.notices(
            viewer, **chosen, limit=PAGE_SIZE, cursor=request.GET.get("cursor") or None
        )
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    context = {
        "found": found,
        **chosen,
        "kinds": NOTICE_KINDS,
        "providers": PROVIDERS,
        "standings": view.STANDINGS,
        "any": has_shelf(viewer.workspace_id),
        "section": "cases",
    }
    return render_page(request, "notices/list.html", context, partials=PARTIALS)


@object_page(minimum=Role.OPERATOR)
def notice(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """One notice: who tells of it, what it concerns, its case."""
    found = view.notice_view(viewer, uid)
    context = {
        "found": found,
        "notice": found.row,
        "dismissed": () if found.row.hidden else dismissed(viewer, uid),
        "section": "cases",
    }
    return render_page(request, "notices/notice.html", context)


@require_POST
@object_page(minimum=Role.OPERATOR)
def act(request: HttpRequest, viewer: Viewer, uid: str, step: str) -> HttpResponse:
    """Accept or reject a source, or open the case; then to the case, else back."""
    if step not in STEPS:
        raise Http404
    try:
        case_uid = STEPS[step](viewer, uid, request.POST.get("source", ""))
    except ScopeMissing as error:
        raise PermissionDenied from error
    except DraftRefused as refused:
        messages.error(request, refused.detail)
        return HttpResponseRedirect(reverse("notice", args=[uid]))
    if case_uid is not None:
        return HttpResponseRedirect(reverse("case", args=[case_uid]))
    if step == "reject":
        messages.success(request, _("It is not suggested again. That can be taken back below."))
    return HttpResponseRedirect(reverse("notice", args=[uid]))


STEPS: Final[Mapping[str, Callable[[Viewer, str, str], str | None]]] = {
    "accept": deciding.accept,
    "reject": deciding.reject,
    "file": lambda viewer, uid, _source: deciding.file_case(viewer, uid),
}


@member_page(minimum=Role.OPERATOR)
def files(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Files that were read, newest first; a form for another, and addresses to fetch from. `?cursor=`."""
    wrong: dict[str, str] = {}
    if request.method == "POST":
        try:
            uid = _sent(request, viewer)
        except (TooLarge, feeds.FeedRefused) as refused:
            place = "url" if isinstance(refused, feeds.FeedRefused) else "file"
            wrong[place] = (
                refused.detail if isinstance(refused, feeds.FeedRefused)
                else _("A file has at most 256 MiB.")
            )  # fmt: skip
        except KeyError:
            wrong["file"] = _("Choose a file.")
        else:
            where = reverse("notice_import", args=[uid]) if uid else _home(viewer)
            return HttpResponseRedirect(where)
    try:
        found = imports.imports(viewer, limit=PAGE_SIZE, cursor=request.GET.get("cursor") or None)
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    context: dict[str, Any] = {
        "found": found,
        "feeds": feeds.feeds(viewer),
        "hours": feeds.HOURS,
        "chosen_hours": _hours(request.POST.get("hours", "24")),
        "wrong": wrong,
        "typed": request.POST,
        "section": "cases",
    }
    return render_page(request, "notices/imports.html", context, status=422 if wrong else 200)


def _hours(typed: str) -> int:
    """Hours as they were chosen; 0 for what is no number of hours that can be."""
    return int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 4 else 0


def _sent(request: HttpRequest, viewer: Viewer) -> str | None:
    """The uid of the import of the file that was sent; None where an address was."""
    if "url" in request.POST:
        feeds.make(viewer, url=request.POST["url"], hours=_hours(request.POST.get("hours", "")))
        messages.success(
            request, _("It is fetched with the next tick, and then from time to time.")
        )
        return None
    file = cast("UploadedFile[Any]", request.FILES["file"])
    return receiving.receive(viewer, file.chunks(), origin=NoticeImport.Origin.UPLOAD)


@object_page(minimum=Role.OPERATOR)
def file(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """One file: how far it is read, what came of it, what is remarkable."""
    context = {"file": imports.import_view(viewer, uid), "section": "cases"}
    return render_page(
        request,
        "notices/import.html",
        context,
        partials={"import": "notices/_import.html"},
    )


@require_POST
@object_page(minimum=Role.OPERATOR)
def feed(request: HttpRequest, viewer: Viewer, uid: str, step: str) -> HttpResponse:
    """Fetch from an address now, or no more."""
    if step == "fetch":
        feeds.fetch_soon(viewer, uid)
        messages.success(request, _("It is fetched with the next tick."))
    elif step == "delete":
        feeds.delete(viewer, uid)
        messages.success(request, _("It is fetched no more; what it brought stays."))
    else:
        raise NotFound(uid)
    return HttpResponseRedirect(_home(viewer))


def _home(viewer: Viewer) -> str:
    return f"{reverse('notice_imports')}?ws={viewer.slug}"
