"""A worker that lives and hears nothing: it ends itself, and whoever watches it starts another.

After its connection to the broker has broken a worker can go on without taking any task. Every
message that arrives is noted; where none did for longer than any task may take, and messages
wait in the queue, the worker's process ends. It ends at once where the worker stops by an error of
its own: Celery would wait for its tasks, of which nobody hears any more.
"""

import logging
import os
import threading
import time
from typing import Any, Final

from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

EXIT_STATUS: Final = 70
_ASK_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 1.0
_heard_at = time.monotonic()


def heard() -> None:
    """A message has arrived."""
    global _heard_at  # noqa: PLW0603 - one ear a process
    _heard_at = time.monotonic()


def watch(worker: Any) -> None:
    """Watch this process and its Celery worker from threads of their own."""
    heard()
    threading.Thread(target=_watch, name="deafness", daemon=True).start()
    threading.Thread(target=_watch_stop, args=(worker,), name="stopping", daemon=True).start()


def is_deaf() -> bool:
    """Whether nothing was heard for as long as a worker may be silent, though something waits."""
    silent = time.monotonic() - _heard_at
    return silent > settings.WORKER_SILENT_SECONDS and _waiting() > 0


def _watch() -> None:
    while True:
        time.sleep(min(_ASK_SECONDS, settings.WORKER_SILENT_SECONDS / 4))
        if is_deaf():
            logger.error("worker hears nothing and ends")
            os._exit(EXIT_STATUS)


def _watch_stop(worker: Any) -> None:
    while not _stops_unasked(worker):
        time.sleep(_LOOK_SECONDS)
    logger.error("worker failed and ends")
    os._exit(EXIT_STATUS)


def _stops_unasked(worker: Any) -> bool:
    """Whether it stops with an error, though no signal asked for it."""
    asked = worker.state.should_stop is not None or worker.state.should_terminate is not None
    return bool(worker.exitcode) and not asked


def _waiting() -> int:
    """Messages in the queue; none where the broker itself is away."""
    try:
        with Redis.from_url(
            settings.CELERY_BROKER_URL,
            socket_connect_timeout=_ASK_SECONDS,
            socket_timeout=_ASK_SECONDS,
        ) as broker:
            return int(broker.llen(settings.CELERY_TASK_DEFAULT_QUEUE))
    except (RedisError, OSError):
        return 0
