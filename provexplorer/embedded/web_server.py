"""Configuration of gunicorn under the supervisor and in the container."""

import gc
from typing import Any

from provexplorer.embedded.processes import die_with_parent
from provexplorer.logs import logging_configuration

worker_class = "gthread"
# Loaded once, before the workers are forked; nothing connects to a store while loading.
preload_app = True
# Until it is loaded (wsgi.py): all of that stays, and looking through it takes a fifth of the time.
gc.disable()
# A request that takes longer is a fault; the slowest (16 MiB of records) takes some seconds.
timeout = 120
graceful_timeout = 8
keepalive = 5
# The most that gunicorn allows: a search of 2,000 characters takes 6,000 bytes and more, escaped.
limit_request_line = 8190
# Leaks of libraries must not add up; jitter keeps the workers from leaving together.
max_requests = 5000
max_requests_jitter = 500
# No access log: addresses hold words that people searched for.
accesslog = None
control_socket_disable = True
logconfig_dict = logging_configuration(level="INFO")
logconfig_dict["loggers"] |= {
    "gunicorn.error": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
    "gunicorn.access": {"handlers": [], "level": "WARNING", "propagate": False},
}


def post_fork(_server: Any, _worker: Any) -> None:
    """A worker must not outlive a master that was killed."""
    die_with_parent()
