"""One look at one source: what its address answers, told apart; nothing is stored.

No look touches the database: many may be made at once by threads.
"""

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

from lineage.freshness.credentials import credential_for
from lineage.freshness.fetch import Fetched, fetch, in_ascii
from lineage.freshness.pdf import PageMark
from lineage.freshness.reading import Page, read_page
from lineage.freshness.signals import signals_of
from lineage.freshness.sites import Visit
from lineage.freshness.stores import is_stored, read_stored, stored_at
from lineage.identifiers import text_digest
from lineage.models.freshness import Outcome
from lineage.outside import AddressRefused, Place, place_of
from lineage.types import JsonValue
from provexplorer import clock

_UNREADABLE: Final = frozenset({"too_large", "encoding", "cut_short", "not_http"})
_GONE: Final = frozenset({404, 410})
_CLOSED: Final = frozenset({401, 402, 403, 407, 451})
# A page that wants a password and says no more than this is nothing but a sign-in page.
_SHORT: Final = 1_500
_SIGN_IN: Final = re.compile(
    r"(^|[/._-])(log-?in|sign-?in|sso|auth|account)([/._?-]|$)", re.IGNORECASE
)
_LONGEST_WAIT: Final = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Target:
    """What is looked at, for a workspace (slug), and what is known of it.

    `uri` "" where the source states none. `digest` is that of what was last read (`Probed`),
    "" before the first time; then `known` are the digests that its versions have.
    """

    uri: str
    workspace: str
    etag: str = ""
    last_modified: str = ""
    digest: str = ""
    known: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Probed:
    """What a look came to.

    `failure` says more of an outcome without a status (lineage.freshness.fetch.FAILURES), or of
    `paywall` (sign_in_page: judged by its looks). `digest` is that of the words where a format's
    words can be read here (`text`), else of the bytes (`bytes_digest`); `pages` are those of a
    PDF's words. `retry_after`: seconds that the site asks to be left alone for.
    """

    at: datetime
    outcome: Outcome
    status: int | None = None
    failure: str = ""
    uri: str = ""
    final_uri: str = ""
    moved: bool = False
    etag: str = ""
    last_modified: str = ""
    media_type: str = ""
    digest: str = ""
    bytes_digest: str = ""
    text: str | None = None
    pages: tuple[PageMark, ...] = ()
    signals: tuple[JsonValue, ...] = ()
    credential: str = ""
    retry_after: float = 0.0
    delay: float = 0.0  # seconds between requests, as the site's robots.txt asks


def probe(target: Target, visit: Visit | None = None) -> Probed:
    """Look at a source, during a visit to its site. Never raises for what the other side does."""
    at = clock.now()
    if not target.uri:
        return Probed(at, Outcome.NO_ADDRESS)
    try:
        if is_stored(target.uri):
            return _look_at_store(target, at)
        place = place_of(in_ascii(target.uri), schemes=("https", "http"), any_port=True)
    except AddressRefused as refused:
        return Probed(at, Outcome.REFUSED, failure=refused.code, uri=target.uri)
    if visit is not None:
        return _look_at_site(target, place, at, visit)
    with Visit() as alone:
        return _look_at_site(target, place, at, alone)


def _look_at_site(target: Target, place: Place, at: datetime, visit: Visit) -> Probed:
    rules = visit.rules(place)
    base = Probed(at, Outcome.UNREACHABLE, uri=target.uri, delay=rules.robots.delay or 0.0)
    if rules.failure:
        refused = rules.failure == "address_refused"
        return replace(
            base,
            outcome=Outcome.REFUSED if refused else Outcome.UNREACHABLE,
            status=rules.status,
            failure=rules.failure,
        )
    if not rules.robots.allows(place.target):
        said = signals_of(place.target, at, rules.robots, rules.tdmrep, {}, None)
        return replace(base, outcome=Outcome.ROBOTS, signals=tuple(said))
    credential = credential_for(target.workspace, place)
    fetched = fetch(
        target.uri,
        etag=target.etag,
        last_modified=target.last_modified,
        headers={credential.header: credential.value} if credential else None,
        line=visit.line,
    )
    headers = fetched.headers
    page = _page(fetched)
    said = signals_of(place.target, at, rules.robots, rules.tdmrep, headers, page)
    seen = replace(
        base,
        status=fetched.status,
        failure=fetched.failure,
        final_uri=fetched.final_uri,
        moved=fetched.moved_for_good,
        etag=headers.get("etag", ""),
        last_modified=headers.get("last-modified", ""),
        media_type=headers.get("content-type", ""),
        signals=tuple(said),
        credential=credential.name if credential else "",
        retry_after=_retry_after(headers.get("retry-after", ""), at),
    )
    outcome = _outcome(fetched, asked_for_changes=bool(target.etag or target.last_modified))
    if outcome is not None:
        return replace(seen, outcome=outcome)
    if page is not None and page.asks_password and _is_sign_in(target.uri, fetched, page):
        return replace(seen, outcome=Outcome.PAYWALL, failure="sign_in_page")
    return _compared(seen, target, fetched.body, page)


def _look_at_store(target: Target, at: datetime) -> Probed:
    """Look at an object or a file. Raises AddressRefused."""
    place = stored_at(target.uri, target.workspace)
    fetched = read_stored(place, etag=target.etag)
    seen = Probed(
        at, Outcome.UNREACHABLE, fetched.status, fetched.failure, target.uri, target.uri,
        etag=fetched.headers.get("etag", ""),
        media_type=fetched.headers.get("content-type", ""),
        credential=place.credential,
    )  # fmt: skip
    outcome = _outcome(fetched, asked_for_changes=bool(target.etag))
    if outcome is not None:
        return replace(seen, outcome=outcome)
    return _compared(seen, target, fetched.body, _page(fetched))


def _page(fetched: Fetched) -> Page | None:
    if fetched.failure or fetched.status not in (200, 203):
        return None
    return read_page(fetched.body, fetched.headers.get("content-type", ""))


def _outcome(fetched: Fetched, *, asked_for_changes: bool) -> Outcome | None:
    """What a reply without usable content means; None where there is some."""
    if fetched.failure == "address_refused":
        return Outcome.REFUSED
    if fetched.failure:
        return Outcome.UNREADABLE if fetched.failure in _UNREADABLE else Outcome.UNREACHABLE
    if fetched.status in (200, 203):
        return None
    if fetched.status == 304 and asked_for_changes:
        return Outcome.UNCHANGED
    if fetched.status in _GONE:
        return Outcome.GONE
    if fetched.status in _CLOSED:
        return Outcome.PAYWALL
    return Outcome.UNREACHABLE if (fetched.status or 0) >= 400 else Outcome.UNREADABLE


def _is_sign_in(uri: str, fetched: Fetched, page: Page) -> bool:
    """Whether a page with a field for a password is there to sign in, as far as can be seen."""
    path = urlsplit(fetched.final_uri).path
    led_there = fetched.hops and _SIGN_IN.search(path) and not _SIGN_IN.search(urlsplit(uri).path)
    return bool(led_there) or len(page.text) < _SHORT


def _compared(seen: Probed, target: Target, body: bytes, page: Page | None) -> Probed:
    whole = f"sha256:{hashlib.sha256(body).hexdigest()}"
    words = page.text if page is not None else None
    digest = whole if words is None else text_digest(words)
    if target.digest:
        outcome = Outcome.SAME if digest == target.digest else Outcome.CHANGED
    else:
        known = digest in target.known or whole in target.known
        outcome = Outcome.SAME if known else Outcome.FIRST
    return replace(
        seen,
        outcome=outcome,
        digest=digest,
        bytes_digest=whole,
        text=words,
        pages=page.pages if page is not None else (),
    )


def _retry_after(said: str, at: datetime) -> float:
    """Seconds, as a number or until an instant; 0 where it says nothing."""
    if said.isdigit():
        return float(min(int(said[:9]), _LONGEST_WAIT))
    try:
        until = parsedate_to_datetime(said)
        seconds = (until - at).total_seconds()
    except (ValueError, TypeError):
        return 0.0
    return max(0.0, min(seconds, _LONGEST_WAIT))
