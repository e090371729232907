"""Why an answer and its claims are not as they were: what the banner says, with the markers concerned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from citations.answer import AnswerPage, ClaimView, ReasonOfState
from citations.card import Card
from citations.outside import NO_PLACE, NOT_GIVEN, why_outside
from lineage.cases.standing import REASONS

# Markers that one sentence of the banner names.
MOST_MARKERS: Final = 12


@dataclass(frozen=True, slots=True)
class Cause:
    """A case that reaches the answer, with the titles and markers of what it names among the cited."""

    reason: ReasonOfState
    titles: tuple[str, ...]
    markers: tuple[tuple[str, str], ...]  # marker as printed, citation uid


@dataclass(frozen=True, slots=True)
class Why:
    """Why claims stand as they do: a code of the cases that reach them or of citations.outside, how many, their markers."""

    because: str
    claims: int
    markers: tuple[tuple[str, str], ...]  # marker as printed, citation uid


def whys_of(page: AnswerPage, cards: Mapping[str, Card]) -> tuple[Why, ...]:
    """The claims that cases reach, by the reason of their standing, the gravest first."""
    found: list[Why] = []
    for because in REASONS:
        claims = [claim for claim in page.claims if claim.because == because]
        if not claims:
            continue
        cited = dict.fromkeys(uid for claim in claims for uid in claim.citations if uid in cards)
        markers = [(cards[uid].marker, uid) for uid in cited if cards[uid].marker]
        found.append(Why(because, len(claims), tuple(markers[:MOST_MARKERS])))
    return tuple(found)


def outside_of(claims: Sequence[ClaimView], cards: Mapping[str, Card]) -> tuple[Why, ...]:
    """What these claims cite, by why it lies outside the context."""
    found: list[Why] = []
    for because in (NO_PLACE, NOT_GIVEN):
        cited = {
            claim.uid: [
                uid
                for uid in claim.citations
                if uid in cards and why_outside(cards[uid]) == because
            ]
            for claim in claims
        }
        markers = [(cards[uid].marker, uid) for uids in cited.values() for uid in uids]
        if markers:
            named = tuple(each for each in markers if each[0])
            found.append(Why(because, sum(map(bool, cited.values())), named[:MOST_MARKERS]))
    return tuple(found)


def cause_of(reason: ReasonOfState, page: AnswerPage) -> Cause:
    """What the case names among the cited, so that the banner can say it."""
    titles: list[str] = []
    markers: list[tuple[str, str]] = []
    for card in page.cards:
        if card.hidden or not any(notice.case_uid == reason.case_uid for notice in card.notices):
            continue
        title = card.bibliography.title if card.bibliography else None
        if title and title not in titles:
            titles.append(title)
        markers.append((card.marker, card.uid))
    return Cause(reason, tuple(titles), tuple(markers))
