"""What a site asks of those who read it, remembered for a day: its robots.txt and its tdmrep.json.

A visit is a turn at one site: it reads what the site asks once, and has one connection.
"""

from dataclasses import dataclass
from typing import Final, Self

from django.conf import settings
from django.core.cache import cache
from django.utils.crypto import salted_hmac

from lineage.freshness.fetch import Fetched, fetch
from lineage.freshness.line import Line
from lineage.freshness.robots import ALL_ALLOWED, MOST_BYTES, Robots, read_robots
from lineage.outside import Place

# RFC 9309, 2.4: not longer than a day; what could not be asked for is soon asked for again.
_KEPT_SECONDS: Final = 24 * 3600
_RETRY_SECONDS: Final = 15 * 60
_SECONDS: Final = 15.0
_MOST_TDMREP: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class SiteRules:
    """What a site asks; with a `failure` its robots.txt could not be read, and nothing may be.

    `status` and `failure` are those of the request for it; `tdmrep` "" where there is none.
    """

    robots: Robots = ALL_ALLOWED
    tdmrep: str = ""
    status: int | None = None
    failure: str = ""


def host_hash(place: Place) -> str:
    """A site without its name: for turns and remembered rules."""
    return salted_hmac("lineage.freshness.site", place.origin, algorithm="sha256").hexdigest()[:43]


class Visit:
    """Requests to one site, one after another, as long as its turn is; by one thread."""

    def __init__(self) -> None:
        self.line = Line()
        self._origin = ""
        self._rules = SiteRules()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.line.close()

    def rules(self, place: Place) -> SiteRules:
        """The rules of the site that a place is on, asked for where they are not remembered."""
        if place.origin != self._origin:
            self._rules, self._origin = _site_rules(place, self.line), place.origin
        return self._rules


def _site_rules(place: Place, line: Line) -> SiteRules:
    name = f"freshness:site:{host_hash(place)}"
    kept = cache.get(name)
    if isinstance(kept, list) and len(kept) == 4:
        text, tdmrep, status, failure = kept
    else:
        text, tdmrep, status, failure = _asked(place, line)
        seconds = _RETRY_SECONDS if failure else _KEPT_SECONDS
        cache.set(name, [text, tdmrep, status, failure], seconds)
    if failure:
        return SiteRules(status=status, failure=failure)
    robots = read_robots(text, settings.FETCH_USER_AGENT) if text else ALL_ALLOWED
    return SiteRules(robots, tdmrep)


def _asked(place: Place, line: Line) -> tuple[str, str, int | None, str]:
    robots = fetch(f"{place.origin}/robots.txt", most_bytes=MOST_BYTES, seconds=_SECONDS, line=line)
    # An error of the site's is no permission; that there is no such file, or none for us, is.
    if robots.failure not in ("", "too_large", "encoding", "not_http", "cut_short", "redirects"):
        return "", "", None, robots.failure
    if robots.status is not None and (robots.status >= 500 or robots.status == 429):
        return "", "", robots.status, "unreachable"
    known = fetch(
        f"{place.origin}/.well-known/tdmrep.json",
        most_bytes=_MOST_TDMREP,
        seconds=_SECONDS,
        line=line,
    )
    return _text(robots), _text(known), robots.status, ""


def _text(fetched: Fetched) -> str:
    return fetched.body.decode("utf-8", "replace") if fetched.status == 200 else ""
