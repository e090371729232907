"""Looks at many sources at once, but at each site with one request at a time and a pause after each.

Threads look, and touch no database; whose turn a site is stands in the relational store, for
all workers and workspaces together.
"""

import logging
import queue
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from django.conf import settings

from lineage.freshness.archives import Copy, copies_of
from lineage.freshness.fetch import in_ascii
from lineage.freshness.probe import Probed, probe
from lineage.freshness.sites import host_hash
from lineage.freshness.taking import LEASE, Due, let_go
from lineage.models import HostTurn
from lineage.models.freshness import Outcome
from lineage.outside import AddressRefused, place_of
from provexplorer import clock

logger = logging.getLogger(__name__)

# Sites that are asked at once by one worker.
_SITES: Final = 8
# A site may ask for longer pauses than this, and is then asked once in so many seconds.
_LONGEST_DELAY: Final = 60.0
# A site that does not answer is not asked for its other sources now.
_DOWN: Final = 2


@dataclass(frozen=True, slots=True)
class Looked:
    """A source, what a look at it came to, and copies of it in archives where it is gone."""

    due: Due
    seen: Probed
    copies: tuple[Copy, ...] = ()


@dataclass(frozen=True, slots=True)
class _Left:
    """A site is done: what was not looked at, and seconds until it may be asked again."""

    host: str
    rest: Sequence[Due]
    seconds: float


def look(dues: Sequence[Due], until: float) -> Iterator[Looked]:
    """Look at these sources as far as time (of time.monotonic()) allows, in any order.

    What was not looked at is given back, due again when its site may be asked.
    """
    by_host: dict[str, list[Due]] = defaultdict(list)
    for due in dues:
        by_host[_host(due)].append(due)
    mine = {host: several for host, several in by_host.items() if _take_turn(host, several)}
    done: queue.Queue[Looked | _Left] = queue.Queue()
    with ThreadPoolExecutor(_SITES, thread_name_prefix="looking") as threads:
        for host, several in mine.items():
            threads.submit(_ask_site, host, several, until, done)
        left = len(mine)
        while left:
            told = done.get()
            if isinstance(told, Looked):
                yield told
                continue
            left -= 1
            if told.host:
                free = clock.now() + timedelta(seconds=told.seconds)
                HostTurn.objects.filter(host=told.host).update(free_at=free)
            let_go([due.watch for due in told.rest], timedelta(seconds=told.seconds))


def _host(due: Due) -> str:
    """The site that a source is on; "" where looking at it asks no site."""
    try:
        place = place_of(in_ascii(due.target.uri), schemes=("https", "http"), any_port=True)
    except AddressRefused:
        return ""
    return host_hash(place)


def _take_turn(host: str, dues: Sequence[Due]) -> bool:
    """Have a site to oneself; else its sources are due again when it may be asked."""
    now = clock.now()
    if not host:
        return True
    _, new = HostTurn.objects.get_or_create(host=host, defaults={"free_at": now + LEASE})
    if new or HostTurn.objects.filter(host=host, free_at__lte=now).update(free_at=now + LEASE):
        return True
    free = HostTurn.objects.values_list("free_at", flat=True).get(host=host)
    let_go([due.watch for due in dues], max(timedelta(seconds=1), free - now))
    return False


def _ask_site(
    host: str, dues: Sequence[Due], until: float, done: "queue.Queue[Looked | _Left]"
) -> None:
    seconds, down, at = 0.0, 0, 0
    try:
        for at, due in enumerate(dues):
            if at and (down >= _DOWN or time.monotonic() + seconds > until):
                break
            if at:
                time.sleep(seconds)
            looked = _look_at(due)
            done.put(looked)
            failing = looked.seen.outcome == Outcome.UNREACHABLE
            down = down + 1 if failing else 0
            seconds = _pause(looked.seen) if host else 0.0
            if looked.seen.retry_after:
                down = _DOWN
        else:
            at = len(dues)
    finally:
        done.put(_Left(host, dues[at:], seconds))


def _pause(seen: Probed) -> float:
    asked = min(_LONGEST_DELAY, max(float(settings.FETCH_DELAY_SECONDS), seen.delay))
    return max(asked, seen.retry_after)


def _look_at(due: Due) -> Looked:
    try:
        seen = probe(due.target)
        copies = copies_of(due.target.uri) if seen.outcome == Outcome.GONE else ()
    except Exception as error:  # noqa: BLE001 - one source must not keep the others from being looked at
        logger.warning(
            "look failed", extra={"source_id": due.source.pk, "error": type(error).__name__}
        )
        return Looked(due, Probed(clock.now(), Outcome.UNREADABLE, failure="not_http"))
    return Looked(due, replace(seen, uri=seen.uri or due.target.uri), copies)
