"""Nothing is served from a database that does not know what was erased since it was backed up.

Looked at once by each process; from then on only while there is a difference, so that a site
begins to serve as soon as the erasures have been applied again.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from lineage.erasure.restore import out_of_step
from provexplorer.problems import respond

# How often it is looked at while there is a difference.
_AGAIN_SECONDS: Final = 1.0
_RETRY_SECONDS: Final = 30
# Answered all the same: whether the process lives, and why it is not ready.
_ALWAYS: Final = ("/healthz", "/readyz")
_PROGRAMS: Final = ("/api/", "/v1/", "/.well-known/")


class _Latest:
    """Whether the databases agree; remembered for good once they do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._agree = False
        self._looked = float("-inf")

    def agree(self) -> bool:
        """True as soon as there is no difference. Raises what the databases raise."""
        if self._agree:
            return True
        with self._lock:
            if not self._agree and time.monotonic() - self._looked > _AGAIN_SECONDS:
                self._agree = not out_of_step()
                self._looked = time.monotonic()
            return self._agree

    def forget(self) -> None:
        """Look again at the next request."""
        with self._lock:
            self._agree, self._looked = False, float("-inf")


latest: Final = _Latest()


class RefuseUntilErased:
    """Middleware: 503 for everything while an erasure is to be applied again after a restore."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path in _ALWAYS or latest.agree():
            return self.get_response(request)
        return _refusal(request)


def _refusal(request: HttpRequest) -> HttpResponse:
    if request.path.startswith(_PROGRAMS):
        return respond(
            "erasures-due",
            "A database was restored: what was erased since is to be erased again first.",
            headers={"Retry-After": str(_RETRY_SECONDS)},
        )
    response = render(request, "erasures_due.html", status=503)
    response.headers["Retry-After"] = str(_RETRY_SECONDS)
    return response
