"""A list page, an object page and an editors' page behind the guards, beside the account pages."""

from datetime import UTC, datetime

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import include, path

from lineage.types import Erased, Moved, NotFound, Viewer
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.pages import member_page, object_page

NEW_UID = "doc_" + "n" * 26
FRAME = (
    "home", "search", "answers", "sources", "components", "impact_report", "cases", "incidents",
    "inbox", "views", "view_new", "design", "shortcuts", "api_reference", "settings", "members",
    "api_keys", "webhooks",
)  # fmt: skip


@member_page
def listing(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    return HttpResponse(viewer.slug)


@member_page(minimum=Role.EDITOR)
def editing(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    return HttpResponse(viewer.slug)


@object_page
def thing(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    match request.GET.get("is"):
        case "moved":
            raise Moved(NEW_UID)
        case "erased":
            at = datetime(2026, 3, 1, tzinfo=UTC)
            raise Erased(uid, "consent_withdrawn", at, "cas_" + "a" * 26)
        case "missing":
            raise NotFound
        case _:
            return HttpResponse(f"{viewer.slug} {uid}")


urlpatterns = [
    # What the frame of every page links to.
    *(path(f"{name}/", listing, name=name) for name in FRAME),
    path("cases/<str:uid>", thing, name="case"),
    path("accounts/", include("provexplorer.workspaces.urls")),
    path("admin/", admin.site.urls),
    path("list/", listing, name="list"),
    path("edit/", editing, name="edit"),
    path("things/<str:uid>/", thing, name="thing"),
]
