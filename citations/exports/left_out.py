"""What an export of an answer does not hold, counted, so that it says so itself."""

from collections import Counter
from dataclasses import dataclass

from citations.answer import AnswerPage
from citations.masking import MASK


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What its reader may not see, or what is not there any more.

    `hidden` counts citations of sources that the reader's groups do not reach, `masked` the
    stretches of question and answer that are hidden with them, `passages` those that are not
    shown by the reason (revocation, erasure, unavailable). `records_hidden` counts nodes of
    the lineage whose shape alone is told, if that; `lineage_cut`: a bound cut the lineage.
    """

    hidden: int
    masked: int
    passages: tuple[tuple[str, int], ...]
    records_hidden: int = 0
    lineage_cut: bool = False

    @property
    def nothing(self) -> bool:
        """Whether all is there."""
        counted = (self.hidden, self.masked, self.passages, self.records_hidden, self.lineage_cut)
        return not any(counted)


def left_out(page: AnswerPage, *, records_hidden: int = 0, lineage_cut: bool = False) -> LeftOut:
    """What the page of this answer, read whole, does not show."""
    segments = [segment for paragraph in page.paragraphs for segment in paragraph.segments]
    reasons = Counter(
        card.passage_hidden
        for card in page.cards
        if card.passage_hidden is not None and not card.hidden
    )
    return LeftOut(
        hidden=sum(card.hidden for card in page.cards),
        masked=sum(segment.masked for segment in segments) + (MASK in (page.question or "")),
        passages=tuple(sorted(reasons.items())),
        records_hidden=records_hidden,
        lineage_cut=lineage_cut,
    )
