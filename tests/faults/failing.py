"""The product's own worker with tasks that misbehave, on a queue of its own: `celery -A tests.faults.failing`.

What a message did is written to the file of FAULTS_LOG, one line a step. FAULTS_PATIENCE is the
broker's patience (visibility timeout) in seconds; with FAULTS_SLOW_BATCH, each batch of a case
takes so many seconds more than it needs.
"""

import os
import signal
import time
from pathlib import Path
from typing import Any

from celery import signals

from provexplorer.celery import app

__all__ = ["app"]

QUEUE = "faults"

app.conf.task_default_queue = QUEUE
app.conf.broker_transport_options = {
    **app.conf.broker_transport_options,
    "visibility_timeout": int(os.environ.get("FAULTS_PATIENCE", "600")),
    # Looks every second for messages whose worker seems lost.
    "unacked_restore_interval": 1,
    "unacked_restore_throttle": 1,
}


def say(word: str) -> None:
    with Path(os.environ["FAULTS_LOG"]).open("a") as log:
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


@signals.worker_process_init.connect
def slow_batches(**_: Any) -> None:
    """Make the batches of a case slow."""
    from lineage.cases import propagate

    seconds = float(os.environ.get("FAULTS_SLOW_BATCH", "0"))
    if not seconds:
        return
    whole_run, whole_batch = propagate.propagate, propagate.materialise

    def run(case_id: int) -> None:
        say("run")
        whole_run(case_id)
        say("end of run")

    def batch(*arguments: Any) -> set[int]:
        say("batch")
        time.sleep(seconds)
        return whole_batch(*arguments)

    propagate.propagate, propagate.materialise = run, batch  # type: ignore[assignment]
