"""What the web server calls."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provexplorer.settings")

application = get_wsgi_application()
# Every page and endpoint is imported here, before the server forks, rather than in each
# worker at its first request: the workers share what they need not write to.
get_resolver().url_patterns  # noqa: B018 - asked for what it loads
gc.freeze()
gc.enable()
