"""The answer where nobody else had one: 503 while the relational store cannot be used, 500 to all else.

Django asks here for whatever a view or a middleware raised. A disk that is full, a lock that is not
to be had and a connection that broke are no mistakes of ours, and pass.
"""

import sys

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.views import defaults

from provexplorer.problems import PROGRAMS, RETRY_SECONDS, respond_to


def server_error(request: HttpRequest) -> HttpResponse:
    """A problem to programs, a page to people; it needs nothing that may be away."""
    error = sys.exc_info()[1]
    if isinstance(error, Exception) and request.path.startswith(PROGRAMS):
        return respond_to(request, error)
    if isinstance(error, OperationalError):
        page = loader.get_template("store_busy.html").render({"address": request.get_full_path()})
        return HttpResponse(page, status=503, headers={"Retry-After": str(RETRY_SECONDS)})
    return defaults.server_error(request)
