"""The site as gunicorn serves it, and beside it bare views without any middleware."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_site = get_wsgi_application()


def _without_middleware() -> WSGIHandler:
    """A handler that reads no middleware; the settings are as they were afterwards."""
    every, settings.MIDDLEWARE = settings.MIDDLEWARE, []
    try:
        return WSGIHandler()
    finally:
        settings.MIDDLEWARE = every


_bare = _without_middleware()


def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> "Iterable[bytes]":
    """Paths below /bench/ skip the site's middleware; the same views stand below /bench-in-site/."""
    handler = _bare if environ["PATH_INFO"].startswith("/bench/") else _site
    return handler(environ, start_response)
