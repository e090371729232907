"""What a site says of the rights to its content: each signal as it stands, with its channel and time.

TDM reservation (W3C TDMRep: well-known file, header, meta tag, metadata of a PDF), Content-Usage (drafts of the
IETF on AI preferences: header, robots.txt), X-Robots-Tag and meta robots, robots.txt itself.
Nothing is concluded here: what is absent says nothing, and who obeys what is for others.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from lineage.freshness.reading import Page
from lineage.freshness.robots import Robots, matches
from lineage.types import JsonValue

_HEADERS: Final = ("tdm-reservation", "tdm-policy", "content-usage", "x-robots-tag")
_METAS: Final = ("tdm-reservation", "tdm-policy", "robots", "content-usage")
_MOST: Final = 500
_MOST_LOCATIONS: Final = 1_000


def signals_of(
    target: str, at: datetime, robots: Robots, tdmrep: str, headers: Mapping[str, str], page: Page | None
) -> list[JsonValue]:  # fmt: skip
    """The signals for a path, from the widest channel to the nearest.

    `tdmrep` is the site's well-known file, "" where it has none. Each is `{"signal", "value",
    "channel", "at"}`; channels are robots.txt, tdmrep.json, header, meta and document.
    """
    found: list[tuple[str, str, str]] = []
    if not robots.allows(target):
        found.append(("robots", "disallow", "robots.txt"))
    if usage := robots.usage(target):
        found.append(("content-usage", usage, "robots.txt"))
    found += (("tdm-" + name, said, "tdmrep.json") for name, said in _well_known(tdmrep, target))
    found += ((name, headers[name], "header") for name in _HEADERS if headers.get(name))
    metas = page.metas if page is not None else ()
    found += ((name, said, "meta") for name, said in metas if name in _METAS and said)
    own = page.rights if page is not None else ()
    found += ((name, said, "document") for name, said in own if said)
    return [
        {"signal": name, "value": said[:_MOST], "channel": channel, "at": at.isoformat()}
        for name, said, channel in found
    ]


def _well_known(text: str, target: str) -> Iterator[tuple[str, str]]:
    """What the first entry of a tdmrep.json that fits the path says."""
    try:
        entries = json.loads(text) if text else []
    except (ValueError, RecursionError):
        return
    for entry in entries[:_MOST_LOCATIONS] if isinstance(entries, list) else []:
        location = entry.get("location") if isinstance(entry, dict) else None
        if isinstance(location, str) and matches(location, target):
            if entry.get("tdm-reservation") in (0, 1):
                yield "reservation", str(int(entry["tdm-reservation"]))
            if isinstance(entry.get("tdm-policy"), str):
                yield "policy", entry["tdm-policy"]
            return
