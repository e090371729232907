"""Responses behind sign-in are nobody else's: never stored, never shared."""

from collections.abc import Callable
from typing import TypeVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

Response = TypeVar("Response", bound=HttpResponseBase)


def keep_private(response: Response) -> Response:
    """Forbid caches to keep the response, and name what it depends on.

    `HX-Request` is among it always: a full page and a fragment share one address.
    """
    response.headers["Cache-Control"] = "private, no-store"
    patch_vary_headers(response, ("Cookie", "HX-Request", "Accept-Language"))
    return response


class PrivateByDefault:
    """Middleware: whatever says nothing of caching is private (error pages included)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        return response if response.has_header("Cache-Control") else keep_private(response)
