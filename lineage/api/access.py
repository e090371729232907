"""Who calls: an API key, or for reading a signed-in member; and what they may do."""

from typing import Any, Final

from django.http import HttpRequest
from ninja.security.base import AuthBase

from lineage.cases.errors import ScopeMissing
from lineage.types import NotFound, Viewer
from provexplorer.workspaces.keys import viewer_of_key
from provexplorer.workspaces.limits import count_request
from provexplorer.workspaces.models import Workspace
from provexplorer.workspaces.roles import carries
from provexplorer.workspaces.viewer import is_uid, viewer_for_uid, viewer_of_request

_READING: Final = ("GET", "HEAD")


class Needs(AuthBase):
    """Lets in a viewer that carries the scope (or `admin`, which implies the others).

    `ingest:FORMAT` lets in keys for that format and those for all. Raises LimitReached
    where a key, or its workspace, has made its requests of the minute.

    A key counts in every method. A session counts for reading alone, so that no page of
    another site can make a browser write here.
    """

    openapi_type = "http"
    openapi_scheme = "bearer"

    def __init__(self, scope: str) -> None:
        super().__init__()
        self.scope = scope

    def __call__(self, request: HttpRequest) -> Viewer | None:
        viewer = _viewer(request)
        if viewer is None:
            return None
        count_request(viewer)
        if not carries(viewer.scopes, self.scope):
            raise ScopeMissing(self._missing(viewer))
        uid = _uid(request)
        if uid is not None and not is_uid(uid):
            raise NotFound  # not even a uid: no store need be asked
        return viewer

    def _missing(self, viewer: Viewer) -> str:
        """`ingest`, unless the key is kept to other formats: then the one that it lacks."""
        whole = self.scope.partition(":")[0]
        narrowed = any(scope.startswith(f"{whole}:") for scope in viewer.scopes)
        return self.scope if narrowed else whole


def _viewer(request: HttpRequest) -> Viewer | None:
    authorization = request.headers.get("Authorization", "")
    if authorization:
        return viewer_of_key(authorization)
    if request.method not in _READING or not request.user.is_authenticated:
        return None
    # An object's address decides the workspace; a member of none of its holders gets NotFound.
    uid = _uid(request)
    return viewer_for_uid(request, uid) if uid else viewer_of_request(request)


def _uid(request: HttpRequest) -> str | None:
    """The uid in the address, of those that have one."""
    return request.resolver_match.kwargs.get("uid") if request.resolver_match else None


def viewer_of(request: HttpRequest) -> Viewer:
    """The viewer whom `Needs` let in."""
    viewer: Viewer = request.auth  # type: ignore[attr-defined]
    return viewer


def workspace_of(request: HttpRequest) -> Workspace:
    """The workspace into which the viewer writes."""
    return Workspace.objects.get(pk=viewer_of(request).workspace_id)


def problems(*statuses: int) -> dict[str, Any]:
    """`openapi_extra` that declares the problem responses of an operation, 401 and 403 always."""
    return {
        "responses": {
            status: {
                "description": "Problem",
                "content": {
                    "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
                },
            }
            for status in sorted({401, 403, *statuses})
        }
    }
