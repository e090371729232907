"""Decorators that stand before every page: signed in, a member, with the role that it needs.

    @member_page                              # a list page: workspace by ?ws=slug
    def answers(request, viewer): ...

    @object_page(minimum=Role.EDITOR)         # an object page: workspace of the object
    def case(request, viewer, uid): ...

What a viewer may not know of answers as what does not exist: 404. What a member
may know of but not do: 403. A moved uid leads on (301), an erased one shows its
tombstone (410).
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, overload
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render, resolve_url
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from lineage.types import Erased, Moved, NotFound, Viewer
from provexplorer.workspaces.audit.reads import note_erased
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.privacy import keep_private
from provexplorer.workspaces.viewer import may, viewer_for_uid, viewer_of_request

P = ParamSpec("P")
Page = Callable[Concatenate[HttpRequest, Viewer, P], HttpResponseBase]
Served = Callable[..., HttpResponseBase]
FindViewer = Callable[[HttpRequest, dict[str, Any]], Viewer]


@overload
def member_page(page: Page[P], /) -> Served: ...
@overload
def member_page(*, minimum: str = ...) -> Callable[[Page[P]], Served]: ...
def member_page(
    page: Page[P] | None = None, /, *, minimum: str = Role.READER
) -> Served | Callable[[Page[P]], Served]:
    """A list page: `page(request, viewer, …)`, the workspace by `?ws=slug`."""

    def guard(page: Page[P]) -> Served:
        return _guarded(page, minimum, lambda request, _: viewer_of_request(request))

    return guard(page) if page else guard


@overload
def object_page(page: Page[P], /) -> Served: ...
@overload
def object_page(*, minimum: str = ...) -> Callable[[Page[P]], Served]: ...
def object_page(
    page: Page[P] | None = None, /, *, minimum: str = Role.READER
) -> Served | Callable[[Page[P]], Served]:
    """The page of an object: `page(request, viewer, uid=…)`, in the workspace that holds it."""

    def guard(page: Page[P]) -> Served:
        return _guarded(
            page, minimum, lambda request, kwargs: viewer_for_uid(request, str(kwargs["uid"]))
        )

    return guard(page) if page else guard


def _guarded(page: Page[P], minimum: str, find_viewer: FindViewer) -> Served:
    @wraps(page)
    def served(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return keep_private(_to_sign_in(request))
        response: HttpResponseBase
        try:
            viewer = find_viewer(request, kwargs)
            if not may(viewer, minimum):
                raise PermissionDenied
            # For the context processor: the frame of the page names the workspace.
            request.viewer = viewer  # type: ignore[attr-defined]
            response = page(request, viewer, *args, **kwargs)
        except NotFound as error:
            raise Http404 from error
        except Moved as moved:
            response = HttpResponsePermanentRedirect(_moved_to(request, moved.uid))
        except Erased as erased:
            note_erased(viewer, erased.uid)
            response = _tombstone(request, erased)
        return keep_private(response)

    return served


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """The way to the sign-in page and back; a fragment sends the whole page there."""
    if not request.headers.get("HX-Request"):
        return redirect_to_login(request.get_full_path())
    current = urlsplit(request.headers.get("HX-Current-URL", ""))
    back = (current.path or "/") + (f"?{current.query}" if current.query else "")
    target = resolve_url(settings.LOGIN_URL) + "?" + urlencode({"next": back})
    return HttpResponseClientRedirect(target)


def _moved_to(request: HttpRequest, uid: str) -> str:
    """The address of the same page for the uid that the object has now."""
    match = request.resolver_match
    if match is None:
        raise Http404
    path = reverse(match.view_name, args=match.args, kwargs={**match.kwargs, "uid": uid})
    query = request.META.get("QUERY_STRING", "")
    return f"{path}?{query}" if query else path


def _tombstone(request: HttpRequest, erased: Erased) -> HttpResponse:
    context = {
        "uid": erased.uid,
        "reason": erased.reason,
        "at": erased.at,
        "case_uid": erased.case_uid,
    }
    return render(request, "410.html", context, status=410)
