"""What an answer cites, work by work, as far as its reader may know of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from citations.bibliography import Bibliography
from citations.card import Card
from citations.exports.dates import day_of
from citations.rail import MarkerLink
from citations.status import Status


@dataclass(frozen=True, slots=True)
class Work:
    """A version of a work with the citations that lead to it.

    `uid` is the version's, else the work's. `retrieved_at` is the latest retrieval of a passage,
    `fetched_at` the latest fetch of the source; either may be unknown. `pages` are the printed
    labels of the pages that the passages stand on.
    """

    uid: str
    book: Bibliography
    citations: tuple[MarkerLink, ...]
    status: Status
    retrieved_at: datetime | None
    fetched_at: datetime | None
    pages: tuple[str, ...]

    @property
    def accessed(self) -> tuple[int, ...]:
        """The day on which the source was read: fetched, else its passage retrieved; () if unknown."""
        at = self.fetched_at or self.retrieved_at
        return day_of(at) if at is not None else ()


@dataclass(frozen=True, slots=True)
class Unnamed:
    """Citations of which no work can be told: `why` is hidden, erased, outside or unknown."""

    why: str
    citations: tuple[MarkerLink, ...]


@dataclass(frozen=True, slots=True)
class Cited:
    """All that the cards of an answer lead to, in the order of the first marker."""

    works: tuple[Work, ...]
    unnamed: tuple[Unnamed, ...]


def cited_works(cards: Iterable[Card]) -> Cited:
    """The works behind these cards, each once; pages are known of cards that were read."""
    works: dict[str, list[Card]] = {}
    unnamed: dict[str, list[MarkerLink]] = {}
    for card in cards:
        uid = card.version_uid or card.source_uid
        if uid is None or card.hidden or card.bibliography is None:
            unnamed.setdefault(_why(card), []).append(MarkerLink(card.marker, card.uid))
        else:
            works.setdefault(uid, []).append(card)
    return Cited(
        tuple(_work(uid, same) for uid, same in works.items()),
        tuple(Unnamed(why, tuple(links)) for why, links in unnamed.items()),
    )


def _why(card: Card) -> str:
    if card.hidden:
        return "hidden"
    if card.status.code == "erased":
        return "erased"
    return "outside" if card.reason == "citation_outside_context" else "unknown"


def _work(uid: str, same: list[Card]) -> Work:
    book = same[0].bibliography
    assert book is not None  # of cards that name a work
    worst = min(same, key=lambda card: card.status.code in {"not_checked", "current"})
    labels = [
        card.passage.page.label
        for card in same
        if card.passage is not None and card.passage.page is not None and card.passage.page.label
    ]
    return Work(
        uid=uid,
        book=book,
        citations=tuple(MarkerLink(card.marker, card.uid) for card in same),
        status=worst.status,
        retrieved_at=_latest(card.retrieved_at for card in same),
        fetched_at=_latest(card.fetched_at for card in same),
        pages=tuple(dict.fromkeys(labels)),
    )


def _latest(times: Iterable[datetime | None]) -> datetime | None:
    return max((at for at in times if at is not None), default=None)
