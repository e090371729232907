"""The product's own worker with tasks that misbehave, on a queue of its own: `celery -A tests.faults.failing`.

What a message did is written to the file of FAULTS_LOG, one line a step. FAULTS_PATIENCE is the
broker's patience (visibility timeout) in seconds; with FAULTS_SLOW_BATCH, each batch of a case
takes so many seconds more than it needs; with FAULTS_DONE, every task that is done is told of.
"""

import os
import signal
import time
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from celery import signals
from django.conf import settings

from provexplorer.celery import app

__all__ = ["app"]

QUEUE = "faults"

app.conf.task_default_queue = QUEUE
# Whether it is deaf is told by its own queue, not by the product's.
settings.CELERY_TASK_DEFAULT_QUEUE = QUEUE
app.conf.broker_transport_options = {
    **app.conf.broker_transport_options,
    "visibility_timeout": int(os.getenv("FAULTS_PATIENCE", "600")),
    # Looks every second for messages whose worker seems lost.
    "unacked_restore_interval": 1,
    "unacked_restore_throttle": 1,
}
app.conf.beat_schedule = {
    "tick": {"task": "faults.note", "schedule": 1.0, "kwargs": {"word": "tick"}},
}


def say(word: str) -> None:
    with Path(os.getenv("FAULTS_LOG", "")).open("a") as log:
        log.write(f"{word}\n")


@app.task(name="faults.note")
def note(*, word: str) -> None:
    say(word)


@app.task(name="faults.die")
def die() -> None:
    say("dying")
    os.kill(os.getpid(), signal.SIGKILL)


@app.task(name="faults.sleep")
def sleep(*, seconds: float) -> None:
    say("asleep")
    time.sleep(seconds)
    say("awake")


@signals.worker_ready.connect
def fails_when_told(**_: Any) -> None:
    """Let the worker meet an error of its own that it takes for unrecoverable, at SIGUSR2."""

    def fail(*_: object) -> None:
        msg = "of the worker's own"
        raise RuntimeError(msg)

    signal.signal(signal.SIGUSR2, fail)


@signals.worker_process_init.connect
def slow_batches(**_: Any) -> None:
    """Let whoever has a case take its time before each batch; say who begins and who is done."""
    from lineage.cases import propagate
    from lineage.cases.reach import reached_after

    seconds = float(os.getenv("FAULTS_SLOW_BATCH", "0"))
    if not seconds:
        return
    whole_run = propagate.propagate

    def run(case_id: int) -> None:
        say("run")
        whole_run(case_id)

    def slowly(*arguments: Any) -> list[int]:
        say(f"begins {os.getpid()}")
        time.sleep(seconds)
        found = reached_after(*arguments)
        say(f"is done {os.getpid()}")
        return found

    propagate.propagate = run
    patch("lineage.cases.propagate.reached_after", slowly).start()


@signals.task_success.connect
def tell_done(sender: Any, **_: Any) -> None:
    """Say of each task by its id that it is done, if asked."""
    if os.getenv("FAULTS_DONE"):
        say(f"done {sender.request.id}")


@signals.beat_init.connect
def short_lease(**_: Any) -> None:
    """A lease apart from the product's own, over after two seconds."""
    from lineage import liveness
    from provexplorer import one_beat

    liveness.BEAT = "faults-beat"  # type: ignore[misc]
    one_beat.LEASE, one_beat._SIGN_SECONDS = timedelta(seconds=2), 0.5  # type: ignore[misc]
