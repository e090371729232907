"""Archived copies of what is gone, as a Memento TimeMap (RFC 7089) of a configured archive lists them."""

import re
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import quote

from django.conf import settings

from lineage.freshness.fetch import fetch, in_ascii
from lineage.outside import AddressRefused, place_of

MOST: Final = 5
_MOST_BYTES: Final = 2**20
_SECONDS: Final = 15.0
# <address>; name="value"; …, of which the values may hold commas.
_LINK: Final = re.compile(
    r"<([^<>\s]{1,2000})>((?:\s*;\s*[\w*-]+\s*=\s*(?:\"[^\"]*\"|[^\s;,\"]+))*)"
)
_PARAMETER: Final = re.compile(r";\s*([\w*-]+)\s*=\s*(?:\"([^\"]*)\"|([^\s;,\"]+))")


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy in an archive, and when it was made; the archive may have changed its form."""

    uri: str
    at: datetime


def copies_of(uri: str) -> tuple[Copy, ...]:
    """The newest copies of an address, the newest first; none where no archive is configured or it knows none."""
    archive: str = settings.FETCH_TIMEMAP
    if "{uri}" not in archive:
        return ()
    # Archives take the address as it is, behind their own; what would end it early is put apart.
    asked = archive.replace("{uri}", quote(in_ascii(uri), safe=":/?&=%+,;@~$!*'()[]-._"))
    fetched = fetch(asked, most_bytes=_MOST_BYTES, seconds=_SECONDS)
    if fetched.failure or fetched.status != 200:
        return ()
    return read_timemap(fetched.body.decode("utf-8", "replace"))


def read_timemap(text: str) -> tuple[Copy, ...]:
    """The newest copies that a TimeMap lists, the newest first."""
    found: dict[str, Copy] = {}
    for match in _LINK.finditer(text):
        said = {
            name.lower(): quoted or plain
            for name, quoted, plain in _PARAMETER.findall(match.group(2))
        }
        if "memento" not in said.get("rel", "").lower().split():
            continue
        try:
            place_of(in_ascii(match.group(1)), schemes=("https", "http"), any_port=True)
            at = parsedate_to_datetime(said.get("datetime", ""))
            found[match.group(1)] = Copy(match.group(1), at.astimezone())
        except (AddressRefused, ValueError, TypeError, OverflowError):
            continue
    return tuple(sorted(found.values(), key=lambda copy: (copy.at, copy.uri), reverse=True)[:MOST])
