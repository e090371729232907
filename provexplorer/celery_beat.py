"""The Celery application of beat: it sends tasks by their names and loads none of them.

Beat needs the schedule and its lease (provexplorer/one_beat.py). Without the tasks, and without
Celery's own start of Django, which checks every address of the site, it starts in a third of the time
and of the memory.
"""

import logging.config
import os
from typing import Any

import django
from celery import Celery, signals
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provexplorer.settings")
django.setup()

app = Celery("provexplorer", fixups=[])
app.config_from_object("django.conf:settings", namespace="CELERY")


@signals.setup_logging.connect
def keep_our_logging(**_: Any) -> None:
    """Celery would put its own format in place of JSON lines."""
    logging.config.dictConfig(settings.LOGGING)
