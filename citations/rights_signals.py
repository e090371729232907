"""What the origins of a source say of rights, by machine-readable signals: each with its channel and time.

TDM reservation (W3C TDMRep), Content-Usage (drafts of the IETF), robots.txt and what is said beside
them. The nearest channel decides (file, then header, then the document itself); what is absent
never takes anything back, and a reservation that is neither 0 nor 1 says nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from citations.acquisitions import AcquisitionRow
from lineage.templatetags.product import web_address

_MOST: Final = 100
_LONGEST: Final = 500
# From the widest channel to the nearest.
_CHANNELS: Final = ("robots.txt", "tdmrep.json", "header", "meta", "document")
_RESERVATION: Final = "tdm-reservation"
_POLICY: Final = "tdm-policy"
_MEANINGS: Final[dict[tuple[str, str], str]] = {
    (_RESERVATION, "1"): "reserved",
    (_RESERVATION, "0"): "not_reserved",
    ("robots", "disallow"): "not_to_be_read",
}
# Words of Content-Usage and robots tags → what they mean.
_PREFERENCES: Final[dict[str, str]] = {
    "train-ai=n": "no_training",
    "train-ai=y": "training",
    "search=n": "no_search",
    "noai": "no_training",
    "noindex": "no_search",
}


@dataclass(frozen=True, slots=True)
class Signal:
    """One thing that was said, by whichever looks said it alike.

    `channel` "" where the record names none; `first_at` and `last_at` as stated, None where
    nobody said when. `meaning` is a code, "" where nothing is read into it.
    """

    name: str
    value: str
    channel: str
    meaning: str
    first_at: str | None
    last_at: str | None


@dataclass(frozen=True, slots=True)
class SignalsTold:
    """Signals, the latest first; `reservation`: the one of the last look that decides on text and data mining."""

    signals: tuple[Signal, ...]
    reservation: Signal | None
    policy: str  # an address of the web, "" for none


def signals_told(acquisitions: Sequence[AcquisitionRow]) -> SignalsTold:
    """What these looks, the newest first, were told."""
    by_look = [list(_read(row)) for row in acquisitions]
    found: dict[tuple[str, str, str], list[Signal]] = {}
    for signal in (each for look in by_look for each in look):
        found.setdefault((signal.name, signal.value, signal.channel), []).append(signal)
    last = next((look for look in by_look if look), [])
    reservations = [each for each in last if each.meaning in ("reserved", "not_reserved")]
    policies = [each for each in last if each.name == _POLICY and web_address(each.value)]
    nearest = max(reservations, key=_nearness, default=None)
    return SignalsTold(
        signals=tuple(_once(some) for some in list(found.values())[:_MOST]),
        reservation=nearest,
        policy=web_address(max(policies, key=_nearness).value) if policies else "",
    )


def _once(some: Sequence[Signal]) -> Signal:
    """The same said by several looks, the newest first."""
    latest, earliest = some[0], some[-1]
    return Signal(
        latest.name, latest.value, latest.channel, latest.meaning, earliest.last_at, latest.last_at
    )


def _read(row: AcquisitionRow) -> Iterator[Signal]:
    said = row.rights_signals
    if isinstance(said, dict):
        for name in sorted(said):
            yield _signal(name, said[name], "", row.fetched_at)
    elif isinstance(said, list):
        for each in said[:_MOST]:
            if isinstance(each, dict) and "signal" in each:
                at = each.get("at") if isinstance(each.get("at"), str) else row.fetched_at
                yield _signal(each["signal"], each.get("value"), each.get("channel"), at)
            elif each:
                yield _signal("", each, "", row.fetched_at)
    elif said not in (None, ""):
        yield _signal("", said, "", row.fetched_at)


def _signal(name: Any, value: Any, channel: Any, at: str | None) -> Signal:
    called, said = _text(name).lower().replace("_", "-"), _text(value)
    return Signal(called, said, _text(channel), _meaning(called, said), at, at)


def _meaning(name: str, value: str) -> str:
    plain = value.strip().lower()
    if meaning := _MEANINGS.get((name, plain)):
        return meaning
    if name in ("content-usage", "x-robots-tag", "robots"):
        words = plain.replace(",", " ").replace(";", " ").split()
        return next((_PREFERENCES[word] for word in words if word in _PREFERENCES), "")
    return ""


def _nearness(signal: Signal) -> int:
    return _CHANNELS.index(signal.channel) if signal.channel in _CHANNELS else len(_CHANNELS)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)[:_LONGEST] if value is not None else ""
