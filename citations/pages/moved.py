"""Which citations of an answer lead to words that are no longer there, as looks at the sources have found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from citations.card import Card
from citations.pages.reasons import MOST_MARKERS
from citations.rail import MarkerLink
from citations.status import Status


@dataclass(frozen=True, slots=True)
class Moved:
    """Of each kind the first twelve in the order of the answer."""

    changed: tuple[MarkerLink, ...]  # the words are others at the source now, or have gone from it
    away: tuple[MarkerLink, ...]  # the source is no longer at its address


def moved(cards: Sequence[Card]) -> Moved:
    """What the reader is told above the answer. No case is needed for it, and no claim falls by it."""
    return Moved(
        changed=_among(cards, lambda status: status.code == "drifted"),
        away=_among(cards, lambda status: (status.code, status.because) == ("unreachable", "gone")),
    )


def _among(cards: Sequence[Card], has: Callable[[Status], bool]) -> tuple[MarkerLink, ...]:
    links = (MarkerLink(card.marker, card.uid) for card in cards if has(card.status))
    return tuple(islice(links, MOST_MARKERS))
