"""An answer with its cards for paper, so many at once as one page can bear."""

from dataclasses import dataclass
from typing import Final

from citations.answer import AnswerPage, Opened, answer_page
from citations.card import Card
from citations.exports.left_out import LeftOut, left_out
from citations.exports.on_record import on_record
from lineage.pages.notices import TouchingNotice
from lineage.types import Viewer

# Citations whose cards one page prints: each has some sixty elements.
MOST_PRINTED: Final = 60


@dataclass(frozen=True, slots=True)
class Printed:
    """The cards from `first` to `last`, counted from 1, of all; where others begin, if there are any.

    `left_out` is None where not all cards are here: it would count a part of them.
    """

    page: AnswerPage
    cards: tuple[Card, ...]
    first: int
    last: int
    earlier: int | None
    later: int | None
    on_record: tuple[TouchingNotice, ...]
    left_out: LeftOut | None

    @property
    def here(self) -> frozenset[str]:
        """The citations whose cards are here."""
        return frozenset(card.uid for card in self.cards)


def printed_answer(viewer: Viewer, uid: str, first: int) -> Printed:
    """The answer with its cards from that one on (from 0; beyond the last: from the first on).

    Raises what the answer's page raises.
    """
    begin = max(0, first)
    page = answer_page(viewer, uid, Opened(first=begin, most=MOST_PRINTED))
    total = len(page.cards)
    if begin and total <= max(begin, MOST_PRINTED):
        # From beyond the last one on there are none; what fits on one page is one page.
        begin, page = 0, answer_page(viewer, uid, Opened(first=0, most=MOST_PRINTED))
    cards = page.cards[begin : begin + MOST_PRINTED]
    beyond = begin + len(cards)
    return Printed(
        page=page,
        cards=cards,
        first=begin + 1,
        last=beyond,
        earlier=max(1, begin + 1 - MOST_PRINTED) if begin else None,
        later=beyond + 1 if beyond < total else None,
        on_record=tuple(on_record(viewer, cards)),
        left_out=left_out(page) if len(cards) == total else None,
    )
