"""Looks at many sources at once, but at each site with one request at a time and a pause after each.

Threads look, and touch no database; whose turn a site is stands in the relational store, for
all workers and workspaces together.
"""

import logging
import queue
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction

from lineage import bulk_rows
from lineage.freshness.archives import Copy, copies_of
from lineage.freshness.fetch import in_ascii
from lineage.freshness.probe import Probed, probe
from lineage.freshness.sites import Visit, host_hash
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
    """Begin to look at these sources, as far as time (of time.monotonic()) allows; gives looks as they come.

    What was not looked at is given back, due again when its site may be asked.
    """
    mine = _take_turns(_by_host(dues))
    done: queue.SimpleQueue[Looked | _Left] = queue.SimpleQueue()
    threads = ThreadPoolExecutor(_SITES, thread_name_prefix="looking")
    for host, several in mine.items():
        threads.submit(_ask_site, host, several, until, done)
    # Nothing is to come; threads end when they are done.
    threads.shutdown(wait=False)
    return _as_told(len(mine), done)


def _as_told(left: int, done: "queue.SimpleQueue[Looked | _Left]") -> Iterator[Looked]:
    while left:
        told = done.get()
        if isinstance(told, Looked):
            yield told
            continue
        left -= 1
        if told.host:
            free = clock.now() + timedelta(seconds=told.seconds)
            HostTurn.objects.filter(host=told.host).update(free_at=free)
        if told.rest:
            let_go([due.watch for due in told.rest], timedelta(seconds=told.seconds))


def _by_host(dues: Sequence[Due]) -> dict[str, list[Due]]:
    """What is due, by the site that is asked for it; "" where looking at it asks no site."""
    by_origin: dict[str, list[Due]] = defaultdict(list)
    hosts = {"": ""}
    for due in dues:
        origin = ""
        try:
            place = place_of(in_ascii(due.target.uri), schemes=("https", "http"), any_port=True)
            origin = place.origin
            if origin not in hosts:
                hosts[origin] = host_hash(place)
        except AddressRefused:
            """A store's, or none that is asked at all: told by the look."""
        by_origin[origin].append(due)
    return {hosts[origin]: several for origin, several in by_origin.items()}


def _take_turns(by_host: Mapping[str, list[Due]]) -> dict[str, list[Due]]:
    """Have sites to oneself; of the others, sources are due again when they may be asked."""
    now = clock.now()
    hosts = sorted(by_host.keys() - {""})
    free = HostTurn.objects.filter(host__in=hosts).order_by("host")
    with transaction.atomic():
        bulk_rows.insert(
            HostTurn, ("host", "free_at"), [(h, now) for h in hosts], unless_there=True
        )
        turns = dict(free.select_for_update().values_list("host", "free_at"))
        busy = {host: at for host, at in turns.items() if at > now}
        free.exclude(host__in=busy).order_by().update(free_at=now + LEASE)
    for host, at in busy.items():
        let_go([due.watch for due in by_host[host]], max(timedelta(seconds=1), at - now))
    return {host: several for host, several in by_host.items() if host not in busy}


def _ask_site(
    host: str, dues: Sequence[Due], until: float, done: "queue.SimpleQueue[Looked | _Left]"
) -> None:
    seconds, down, at = 0.0, 0, 0
    visit = Visit()
    try:
        for at, due in enumerate(dues):
            if at and (down >= _DOWN or time.monotonic() + seconds > until):
                break
            if at and seconds:
                time.sleep(seconds)
            looked = _look_at(due, visit)
            done.put(looked)
            failing = looked.seen.outcome == Outcome.UNREACHABLE
            down = down + 1 if failing else 0
            seconds = _pause(looked.seen) if host else 0.0
            if looked.seen.retry_after:
                down = _DOWN
        else:
            at = len(dues)
    finally:
        visit.line.close()
        done.put(_Left(host, dues[at:], seconds))


def _pause(seen: Probed) -> float:
    asked = min(_LONGEST_DELAY, max(float(settings.FETCH_DELAY_SECONDS), seen.delay))
    return max(asked, seen.retry_after)


def _look_at(due: Due, visit: Visit) -> Looked:
    try:
        seen = probe(due.target, visit)
        copies = copies_of(due.target.uri) if seen.outcome == Outcome.GONE else ()
    except Exception as error:  # noqa: BLE001 - one source must not keep the others from being looked at
        logger.warning(
            "look failed", extra={"source_id": due.source.pk, "error": type(error).__name__}
        )
        return Looked(due, Probed(clock.now(), Outcome.UNREADABLE, failure="not_http"))
    return Looked(due, replace(seen, uri=seen.uri or due.target.uri), copies)
