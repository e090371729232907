"""An answer as it is read: which sign each claim carries, and the one sentence on top when something is wrong."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from citations.answer import MOST_OPEN, AnswerPage, ClaimView, Opened, Segment
from citations.card import Card
from citations.outside import why_outside
from citations.pages.reasons import Cause, Why, cause_of, outside_of, whys_of
from citations.shared_markers import labels_of, place_of

# Signs of claims, the gravest first; a stretch that several claims cover shows the gravest.
SIGNS = (
    "fallen", "contradicted", "unsupported", "check", "weakened", "outside", "partly", "rights",
    "uncited", "stands", "supported",
)  # fmt: skip
_CLOSED = Opened()
# Of these the reader must know before the rest.
TROUBLE = frozenset(
    {"fallen", "contradicted", "unsupported", "check", "weakened", "outside", "partly"}
)
# These stand in words behind the claim; the others are told by the legend alone.
SAID = TROUBLE | {"rights"}


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker in the text and the card it opens; `label` where others share what is printed."""

    card: Card
    opened: bool
    label: str = ""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A segment with its sign ("" outside all claims).

    `begins` are the claims whose text starts here, `citations` those of all claims that
    cover it; `says` is the gravest sign of the claims in trouble that end here, which is put
    into words ("" where none ends): of nested claims each is told at its own end.
    """

    segment: Segment
    sign: str
    begins: tuple[str, ...]
    citations: tuple[str, ...]
    says: str
    markers: tuple[Marker, ...]


@dataclass(frozen=True, slots=True)
class ReadParagraph:
    """A paragraph with the cards that stand open under it; `number` counts from 1."""

    number: int
    stretches: tuple[Stretch, ...]
    opened: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class OpenPages:
    """The cards that stand open of all, counted from 1, and where those before and after begin."""

    first: int
    last: int
    total: int
    earlier: int | None
    later: int | None


@dataclass(frozen=True, slots=True)
class Reading:
    """What the template prints. `signs` counts claims by sign, the gravest first."""

    page: AnswerPage
    paragraphs: tuple[ReadParagraph, ...]
    signs: tuple[tuple[str, int], ...]
    count_of: Mapping[str, int]
    claims_total: int
    troubled: int
    causes: tuple[Cause, ...]
    causes_beyond: int
    whys: tuple[Why, ...]
    outside: tuple[Why, ...]  # why claims that cite nothing the model was given do so
    loose: tuple[Card, ...]  # citations whose marker stands nowhere in the text
    labels: Mapping[str, str]  # by uid, of citations that share a marker
    all_open: bool
    open_pages: OpenPages | None  # where all cards are open, but not all at once

    @property
    def outside_alone(self) -> bool:
        """Nothing graver is wrong than markers that lead to nothing the model was given."""
        graver = any(self.count_of.get(sign) for sign in ("fallen", "check", "weakened"))
        return bool(self.count_of.get("outside")) and self.page.state == "current" and not graver

    @property
    def outside_besides(self) -> bool:
        """There are such markers besides what is graver; both are told."""
        return bool(self.count_of.get("outside")) and not self.outside_alone


def sign_of(claim: ClaimView, cards: Mapping[str, Card]) -> str:
    """The sign of one claim: what cases say goes before what checks say.

    `outside` only where all that it cites lies outside a recorded context.
    """
    cited = [cards[uid] for uid in claim.citations if uid in cards]
    if not cited:
        return "uncited"
    if claim.standing != "stands":
        return claim.standing
    if claim.verdict in {"unsupported", "contradicted"}:
        return claim.verdict
    if all(why_outside(card) for card in cited):
        return "outside"
    if claim.verdict in {"supported", "partly"}:
        return claim.verdict
    return (
        "rights"
        if any(card.status.code in {"expired", "rights_changed"} for card in cited)
        else "stands"
    )


def gravest(signs: Collection[str]) -> str:
    """The gravest of several signs; "" of none."""
    return min(signs, key=SIGNS.index, default="")


def reading(page: AnswerPage, opened: Opened = _CLOSED, *, most_causes: int = 3) -> Reading:
    """Lay the page out for reading, with the cards open that were read.

    One card a paragraph where they are named, each once where they follow one another.
    """
    all_open = opened.first is not None
    order = [card.uid for card in page.cards]
    standing = opened.of(order)
    cards = {card.uid: card for card in page.cards}
    claims = {claim.uid: claim for claim in page.claims}
    sign = {uid: sign_of(claim, cards) for uid, claim in claims.items()}
    last = _last_segments(page)
    labels = labels_of(page.paragraphs, page.cards)
    begun: set[str] = set()
    shown: set[str] = set()
    paragraphs = []
    for number, paragraph in enumerate(page.paragraphs, start=1):
        stretches = []
        standing_open: list[Card] = []
        for segment in paragraph.segments:
            begins = tuple(uid for uid in segment.claims if uid not in begun)
            begun.update(begins)
            markers = []
            for uid in sorted(segment.citations, key=lambda uid: place_of(labels.get(uid, ""))):
                if (card := cards.get(uid)) is None:
                    continue
                shown.add(uid)
                is_open = uid in standing and card not in standing_open
                is_open = is_open and (all_open or not standing_open)
                if is_open:
                    standing_open.append(card)
                markers.append(Marker(card, is_open, labels.get(uid, "")))
            covering = [claims[uid] for uid in segment.claims if uid in claims]
            carried = "" if segment.citations else gravest([sign[claim.uid] for claim in covering])
            stretches.append(
                Stretch(
                    segment=segment,
                    sign=carried,
                    begins=begins,
                    citations=tuple(
                        dict.fromkeys(uid for claim in covering for uid in claim.citations)
                    ),
                    says=gravest(
                        [
                            sign[claim.uid]
                            for claim in covering
                            if last.get(claim.uid) is segment and sign[claim.uid] in SAID
                        ]
                    ),
                    markers=tuple(markers),
                )
            )
        paragraphs.append(ReadParagraph(number, tuple(stretches), tuple(standing_open)))
    counts = Counter(sign.values())
    causes = [cause_of(reason, page) for reason in page.reasons]
    return Reading(
        page=page,
        paragraphs=tuple(paragraphs),
        signs=tuple((each, counts[each]) for each in SIGNS if counts[each]),
        count_of=dict(counts),
        claims_total=len(page.claims),
        troubled=sum(count for each, count in counts.items() if each in TROUBLE),
        causes=tuple(causes[:most_causes]),
        causes_beyond=max(0, len(causes) - most_causes),
        whys=whys_of(page, cards),
        outside=outside_of([each for each in page.claims if sign[each.uid] == "outside"], cards),
        loose=tuple(card for card in page.cards if card.uid not in shown),
        labels=labels,
        all_open=all_open,
        open_pages=_pages(opened.first, len(order)) if opened.first is not None else None,
    )


def _pages(first: int, total: int) -> OpenPages | None:
    """None where all fit on one page."""
    if first == 0 and total <= MOST_OPEN:
        return None
    last = min(total, first + MOST_OPEN)
    return OpenPages(
        first=min(first + 1, total),
        last=last,
        total=total,
        earlier=max(1, min(first, total) - MOST_OPEN + 1) if first > 0 else None,
        later=last + 1 if last < total else None,
    )


def _last_segments(page: AnswerPage) -> dict[str, Segment]:
    """The segment at which the text of each claim ends."""
    return {
        uid: segment
        for paragraph in page.paragraphs
        for segment in paragraph.segments
        if not segment.citations
        for uid in segment.claims
    }
