"""Nothing is served from a database that does not know what was erased since it was backed up.

As soon as the erasures have been applied again the site serves; a database that is restored
under running processes is noticed within seconds (provexplorer.in_step).
"""

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from provexplorer.in_step import latest
from provexplorer.problems import PROGRAMS, respond

_RETRY_SECONDS: Final = 30
# Answered all the same: whether the process lives, and why it is not ready.
_ALWAYS: Final = ("/healthz", "/readyz")


class RefuseUntilErased:
    """Middleware: 503 for everything while an erasure is to be applied again after a restore."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path in _ALWAYS or latest.agree():
            return self.get_response(request)
        return _refusal(request)


def _refusal(request: HttpRequest) -> HttpResponse:
    if request.path.startswith(PROGRAMS):
        return respond(
            "erasures-due",
            "A database was restored: what was erased since is to be erased again first.",
            headers={"Retry-After": str(_RETRY_SECONDS)},
        )
    response = render(request, "erasures_due.html", status=503)
    response.headers["Retry-After"] = str(_RETRY_SECONDS)
    return response
