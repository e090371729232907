"""Whether this process lives (/healthz), and whether it can serve (/readyz)."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db import connections
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from lineage import liveness, quarantine
from lineage.graph import client
from lineage.graph.mark import is_wrong
from lineage.inbox.view import waiting
from provexplorer.embedded.broker import broker_answers
from provexplorer.in_step import latest

BOUND_SECONDS: Final = 3.0
# Probes are shared by all who ask within this time: asking often must cost nothing.
_REMEMBERED_SECONDS: Final = 1.0


@require_safe
@never_cache
def healthz(_request: HttpRequest) -> HttpResponse:
    """200 while the process answers, whatever else is away."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@require_safe
@never_cache
def readyz(_request: HttpRequest) -> JsonResponse:
    """200 when relational stores, graph and broker each answer in time, else 503 with those away.

    `waiting` tells how much is kept and not yet done, null where that cannot be counted;
    `delayed` whether the tasks for it wait themselves, `set_aside` how many messages of the last
    day were none of ours or took their workers with them, `rebuilding` whether the graph was found
    to be of another time and is being written anew.
    """
    away, undone = _latest.found()
    told = {
        "status": "not ready" if away else "ready",
        "away": away,
        "waiting": undone and undone.numbers,
        "delayed": undone and undone.delayed,
        "set_aside": undone and undone.set_aside,
        "rebuilding": undone and undone.rebuilding,
    }
    return JsonResponse(told, status=503 if away else 200)


@dataclass(frozen=True, slots=True)
class Undone:
    """What is kept and not yet done, by name; whether the tasks for it wait; messages set aside of late.

    Whether the graph is being written anew.
    """

    numbers: dict[str, int]
    delayed: bool
    set_aside: int
    rebuilding: bool


def _relational() -> bool:
    try:
        for alias in settings.DATABASES:
            with connections[alias].cursor() as cursor:
                cursor.execute("SELECT 1")
                cursor.fetchone()
    finally:
        connections.close_all()  # of this thread
    return True


def _graph() -> bool:
    client.ping()
    return True


def _broker() -> bool:
    return broker_answers(settings.CELERY_BROKER_URL, seconds=BOUND_SECONDS)


def _erasures() -> bool:
    """Whether no erasure is to be applied again after a restore (provexplorer.in_step)."""
    try:
        return latest.agree()
    finally:
        connections.close_all()  # of this thread


PROBES: Final[dict[str, Callable[[], bool]]] = {
    "erasures": _erasures,
    "relational": _relational,
    "graph": _graph,
    "broker": _broker,
}


def what_is_away(*, seconds: float = BOUND_SECONDS) -> list[str]:
    """Names of the stores that do not answer within `seconds`, in alphabetical order."""
    pool = ThreadPoolExecutor(max_workers=len(PROBES), thread_name_prefix="readyz")
    running = {name: pool.submit(probe) for name, probe in PROBES.items()}
    wait(running.values(), timeout=seconds)
    pool.shutdown(wait=False, cancel_futures=True)
    return sorted(name for name, answer in running.items() if not _answered(answer))


def what_waits(*, seconds: float = BOUND_SECONDS) -> Undone | None:
    """What waits; None where the count does not come in time."""
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="readyz")
    counting = pool.submit(_counted)
    wait([counting], timeout=seconds)
    pool.shutdown(wait=False, cancel_futures=True)
    return counting.result() if counting.done() and not counting.exception() else None


def _counted() -> Undone:
    try:
        return Undone(waiting(), liveness.delayed(), quarantine.set_aside_lately(), is_wrong())
    finally:
        connections.close_all()  # of this thread


def _answered(answer: Future[bool]) -> bool:
    # Whatever a probe raised means the same: that store does not serve.
    return answer.done() and not answer.cancelled() and not answer.exception() and answer.result()


class _Latest:
    """The last finding, probed anew by one caller at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at = float("-inf")
        self._found: tuple[list[str], Undone | None] = ([], None)

    def found(self) -> tuple[list[str], Undone | None]:
        with self._lock:
            if time.monotonic() - self._at > _REMEMBERED_SECONDS:
                away = what_is_away()
                self._found = away, None if "relational" in away else what_waits()
                self._at = time.monotonic()
            return self._found


_latest = _Latest()
