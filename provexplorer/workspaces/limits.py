"""Requests a minute of a key and a workspace, and passwords tried for a name, for all processes at once.

The counters stand in Redis or Valkey, one script a request: two requests are never counted
as one. A key beyond its own limit does not use up what its workspace has. Where no REDIS_URL
is set, each process counts for itself. A counter that cannot be reached stops nobody.
"""

import logging
from functools import cache
from typing import Final

from django.conf import settings
from django.core.cache import cache as process_cache
from django.utils.crypto import salted_hmac
from redis import Redis
from redis.commands.core import Script
from redis.exceptions import RedisError

from lineage.types import Viewer
from provexplorer import clock

logger = logging.getLogger(__name__)

_MINUTE: Final = 60
# A counter outlives its minute a little: clocks of several machines differ.
_KEPT_SECONDS: Final = 2 * _MINUTE
_TIMEOUT_SECONDS: Final = 0.5
_UNLIMITED: Final = 2**53
_LONGEST_NAME: Final = 150  # of an account

# KEYS: counters in the order of counting; ARGV: seconds to keep them, then the limit of each.
# Answers the place of the first that is beyond its limit, else 0.
_COUNT: Final = """
for place, counter in ipairs(KEYS) do
  local counted = redis.call('INCR', counter)
  if counted == 1 then redis.call('EXPIRE', counter, ARGV[1]) end
  if counted > tonumber(ARGV[place + 1]) then return place end
end
return 0
"""


class LimitReached(Exception):
    """The `key`, `workspace` or `name` has had its number of this minute; in `seconds` a new one begins."""

    def __init__(self, whose: str, limit: int, seconds: int) -> None:
        super().__init__(whose)
        self.whose, self.limit, self.seconds = whose, limit, seconds


def count_request(viewer: Viewer) -> None:
    """Count one request of a key. Raises LimitReached beyond the limit of key or workspace."""
    if viewer.key_id is None:
        return
    own = viewer.requests_per_minute
    limits = {
        "key": settings.REQUESTS_PER_MINUTE_KEY if own is None else own,
        "workspace": settings.REQUESTS_PER_MINUTE_WORKSPACE,
    }
    if not any(limits.values()):
        return
    minute, left = _minute()
    # In braces what decides on the node of a cluster: both counters are to be on one.
    place = f"provexplorer:requests:{{{viewer.workspace_id}}}"
    counters = [f"{place}:{viewer.key_id}:{minute}", f"{place}:all:{minute}"]
    bounds = [limit or _UNLIMITED for limit in limits.values()]
    reached = _count(counters, bounds)
    if reached:
        whose = list(limits)[reached - 1]
        raise LimitReached(whose, limits[whose], left)


def count_sign_in(name: str) -> None:
    """Count one password tried for a name. Raises LimitReached beyond SIGN_INS_PER_MINUTE.

    Whether an account has the name does not matter, and the name is not kept.
    """
    limit = settings.SIGN_INS_PER_MINUTE
    minute, left = _minute()
    who = salted_hmac(__name__, name.strip().casefold()[:_LONGEST_NAME]).hexdigest()
    if limit and _count([f"provexplorer:sign-ins:{who}:{minute}"], [limit]):
        raise LimitReached("name", limit, left)


def _minute() -> tuple[int, int]:
    """The number of this minute, and the seconds until the next."""
    minute, passed = divmod(int(clock.now().timestamp()), _MINUTE)
    return minute, _MINUTE - passed


def _count(counters: list[str], bounds: list[int]) -> int:
    """The place (from 1) of the first counter that is beyond its bound, else 0."""
    if not settings.REDIS_URL:
        return _count_here(counters, bounds)
    try:
        return int(_script(settings.REDIS_URL)(keys=counters, args=[_KEPT_SECONDS, *bounds]))
    except (RedisError, OSError) as error:
        logger.warning("requests not counted", extra={"error": type(error).__name__})
        return 0


def _count_here(counters: list[str], bounds: list[int]) -> int:
    for place, (counter, bound) in enumerate(zip(counters, bounds, strict=True), start=1):
        process_cache.add(counter, 0, _KEPT_SECONDS)
        if process_cache.incr(counter) > bound:
            return place
    return 0


@cache
def _script(url: str) -> Script:
    connection = Redis.from_url(
        url, socket_timeout=_TIMEOUT_SECONDS, socket_connect_timeout=_TIMEOUT_SECONDS
    )
    return connection.register_script(_COUNT)
