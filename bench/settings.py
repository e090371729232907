"""The product's settings with the addresses of the measurement beside its own."""

from provexplorer.settings import *  # noqa: F403

ROOT_URLCONF = "bench.urls"
WSGI_APPLICATION = "bench.wsgi.application"
