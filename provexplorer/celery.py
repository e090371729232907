"""The Celery application: tasks are named, carry ids and numbers, and live in lineage/tasks.py."""

import gc
import logging.config
import os
from pathlib import Path
from typing import Any

from celery import Celery, signals
from django.conf import settings

from provexplorer import deafness, poison
from provexplorer.embedded.processes import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provexplorer.settings")

poison.install()
app = Celery("provexplorer", task_cls=poison.Bounded)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@signals.setup_logging.connect
def keep_our_logging(**_: Any) -> None:
    """Celery would put its own format in place of JSON lines."""
    logging.config.dictConfig(settings.LOGGING)


@signals.worker_ready.connect
def say_ready(sender: Any, **_: Any) -> None:
    """Tell the supervisor that tasks are taken from now on, and watch that they are."""
    deafness.watch(sender.controller)
    if path := os.environ.get("PROVEXPLORER_WORKER_READY_FILE"):
        Path(path).write_text(f"{os.getpid()}\n", encoding="ascii")


@signals.celeryd_after_setup.connect
def share_memory(**_: Any) -> None:
    """Let the pool's processes share what is loaded: collecting garbage would write to it."""
    gc.collect()
    gc.freeze()


@signals.worker_process_init.connect
def end_with_worker(**_: Any) -> None:
    """A pool process must not outlive a worker that was killed."""
    die_with_parent()
