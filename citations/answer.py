"""The answer page: the text with its claims and markers, its state, and the evidence behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from citations.card import NOT_CHECKED, Card, card_of
from citations.circumstances import Candidate
from citations.evidence import Evidence, gather
from citations.machinery import PromptFact, RunFact, SnapshotFact, prompt_of, runs_of, snapshots_of
from citations.marks import Piece, Span, pieces_of
from citations.masking import answer_spans, mask_told, masked, overlaps
from citations.rail import CitedDocument, MarkerLink, Rail, RailPassage, rail_of
from citations.revisions import Revision, revisions_of
from citations.segments import Paragraph, PlacedClaim, PrintedMarker, Segment, paragraphs_of
from citations.stated import stated
from lineage.cases.register import states_of
from lineage.compiled import Compiled
from lineage.content.passages import place_of
from lineage.models import Node
from lineage.nodes.find import find
from lineage.types import JsonValue, NotFound, Viewer, Warned

__all__ = [
    "AnswerPage",
    "Candidate",
    "CitedDocument",
    "ClaimView",
    "MarkerLink",
    "Opened",
    "Paragraph",
    "PromptFact",
    "Rail",
    "RailPassage",
    "ReasonOfState",
    "Revision",
    "Segment",
    "SnapshotFact",
    "answer_page",
]

# Claims and citations of one answer that a page shows.
MOST_CLAIMS: Final = 1_000
MOST_CITATIONS: Final = 2_000
# Cards read at once: a card has some eighty elements, a page at most five thousand.
MOST_OPEN: Final = 25
_CHILDREN: Final = Compiled(
    lambda given: (
        Node.objects.filter(
            workspace_id=given.id("workspace"),
            parent_id__in=given.ids("parents"),
            kind=given.text("kind"),
        )
        .defer("namespace", "key", "anywhere")
        .order_by("pk")[: max(MOST_CLAIMS, MOST_CITATIONS)]
    )
)


@dataclass(frozen=True, slots=True)
class ReasonOfState:
    """Why an answer is not current: which case reaches it, how strongly, since when."""

    case_uid: str
    case_kind: str
    grade: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim, in the order of the text; start and end are None where its place is unknown.

    `because`: why it stands as it does, a code of lineage.cases.standing; empty where no case reaches it.
    """

    uid: str
    text: str | None
    start: int | None
    end: int | None
    verdict: str
    standing: str
    because: str
    masked: bool
    citations: tuple[str, ...]
    flags: tuple[Warned, ...]


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """An answer as this reader may see it. `state` is current, review or stale."""

    uid: str
    question: str | None
    question_pieces: tuple[Piece, ...]
    text: str | None  # with masked stretches replaced by "█"
    paragraphs: tuple[Paragraph, ...]
    state: str
    reasons: tuple[ReasonOfState, ...]
    claims: tuple[ClaimView, ...]
    cards: tuple[Card, ...]  # of every citation, in the order of the markers
    rail: Rail
    occurred_at: datetime | None
    recorded_at: datetime
    resolved: bool
    abstained: bool | None
    model: str | None
    provider: str | None
    parameters: Mapping[str, JsonValue]
    session: str | None
    user: str | None
    unit: str | None
    prompt: PromptFact | None
    snapshots: tuple[SnapshotFact, ...]
    runs: tuple[RunFact, ...]
    context_uid: str | None
    retrieval_uids: tuple[str, ...]
    earlier: tuple[Revision, ...]
    later: tuple[Revision, ...]
    served_from: Revision | None
    flags: tuple[Warned, ...]
    attributes: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Opened:
    """Which cards are read: those named, and all from a place in the order of the markers on.

    Of the latter `most` at once, however many the answer has. `first` counts from 0.
    """

    named: frozenset[str] = frozenset()
    first: int | None = None
    most: int = MOST_OPEN

    def of(self, order: Sequence[str]) -> frozenset[str]:
        """The citations whose cards are read, of all in their order."""
        following = order[self.first : self.first + self.most] if self.first is not None else ()
        return self.named | frozenset(following)


def answer_page(viewer: Viewer, uid: str, opened: Opened | None = None) -> AnswerPage:
    """The page of one answer; cards that are not `opened` (None: all are) stay closed (card_of).

    Raises lineage.types.NotFound for an unknown or foreign uid, Moved for an alias.
    """
    answer = find(viewer, uid)
    if answer.kind != "answer":
        raise NotFound(uid)
    claims = _children(viewer, [answer.pk], "claim", MOST_CLAIMS)
    citations = _children(viewer, [claim.pk for claim in claims], "citation", MOST_CITATIONS)
    # Which ones follow one another is known only when the text is; till then, all may be read.
    named = opened.named if opened is not None and opened.first is None else None
    evidence = gather(viewer, citations, claims, [answer], whole=True, read=named)
    text, question = evidence.texts.get(answer.pk), evidence.questions.get(answer.pk)
    claims.sort(key=lambda each: (each.start is None, each.start or 0, each.pk))
    masks = _masks(evidence, claims, text or "", question or "")
    paragraphs = _paragraphs(text or "", claims, citations, masks.text)
    in_order = _in_order_of_markers(paragraphs, claims, citations)
    order = [each.uid for each in in_order]
    read = frozenset(order) if opened is None else opened.of(order)
    cards = [card_of(evidence, each, closed=each.uid not in read) for each in in_order]
    return _page(
        viewer,
        _Parts(answer, evidence, claims, citations, cards, paragraphs),
        text=masked(text, masks.text) if text is not None else None,
        question=masked(question, masks.question) if question is not None else None,
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    answer: Node
    evidence: Evidence
    claims: Sequence[Node]
    citations: Sequence[Node]
    cards: Sequence[Card]
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class _Masks:
    text: Sequence[Span]
    question: Sequence[Span]


def _page(viewer: Viewer, parts: _Parts, *, text: str | None, question: str | None) -> AnswerPage:
    answer, evidence = parts.answer, parts.evidence
    fields, untold = answer.fields, answer.pk in evidence.untold
    standing = states_of(viewer.workspace_id, [answer.pk], any_active=evidence.any_active)[
        answer.pk
    ]
    upstream = evidence.upstream
    had = evidence.circumstances(answer)
    contexts, retrievals = had.contexts, had.retrievals
    revisions = revisions_of(viewer.workspace_id, answer, upstream, any_active=evidence.any_active)
    return AnswerPage(
        uid=answer.uid,
        question=question,
        question_pieces=pieces_of(question or ""),
        text=text,
        paragraphs=parts.paragraphs,
        state=standing.state.word,
        reasons=tuple(
            ReasonOfState(reason.case_uid, reason.case_kind, reason.grade, reason.at)
            for reason in standing.reasons
        ),
        claims=_claim_views(parts),
        cards=tuple(parts.cards),
        rail=rail_of(evidence, answer, parts.citations, parts.cards),
        occurred_at=answer.occurred_at,
        recorded_at=answer.recorded_at,
        resolved=answer.resolved,
        abstained=fields.get("abstained") if isinstance(fields.get("abstained"), bool) else None,
        model=stated(fields.get("model")),
        provider=stated(fields.get("provider")),
        parameters=mask_told(None if untold else fields.get("parameters"), evidence.withheld),
        session=stated(fields.get("session")),
        user=stated(fields.get("user")),
        unit=stated(fields.get("unit")),
        prompt=prompt_of(upstream, contexts),
        snapshots=snapshots_of(upstream, retrievals),
        runs=runs_of(upstream, [answer, *contexts, *retrievals]),
        context_uid=contexts[0].uid if contexts else None,
        retrieval_uids=tuple(retrieval.uid for retrieval in retrievals),
        earlier=revisions.earlier,
        later=revisions.later,
        served_from=revisions.served_from,
        flags=tuple(Warned(**flag) for flag in answer.flags),
        attributes=mask_told(None if untold else answer.attributes, evidence.withheld),
    )


def _children(viewer: Viewer, parent_ids: Sequence[int], kind: str, most: int) -> list[Node]:
    """What has its place in these nodes, in the order in which it came."""
    if not parent_ids:
        return []
    return _CHILDREN.instances(workspace=viewer.workspace_id, parents=parent_ids, kind=kind)[:most]


def _by_claim(claims: Sequence[Node], citations: Sequence[Node]) -> list[tuple[int, Node]]:
    """The citations in the order of their claims; of one claim by the position that they name."""
    rank = {claim.pk: at for at, claim in enumerate(claims)}
    named = {each.pk: each.fields.get("position") for each in citations}
    ordered = sorted(
        citations,
        key=lambda each: (
            rank.get(each.parent_id or 0, 0),
            at if isinstance(at := named[each.pk], int) else 0,
            each.pk,
        ),
    )
    return [(each.pk, each) for each in ordered]


def _in_order_of_markers(
    paragraphs: Sequence[Paragraph], claims: Sequence[Node], citations: Sequence[Node]
) -> list[Node]:
    """The citations as their markers stand in the text; those without a place by claim, last."""
    order = dict.fromkeys(uid for paragraph in paragraphs for uid in paragraph.citations)
    rank = {uid: at for at, uid in enumerate(order)}
    by_claim = [each for _, each in _by_claim(claims, citations)]
    return sorted(by_claim, key=lambda each: rank.get(each.uid, len(rank)))


def _masks(evidence: Evidence, claims: Sequence[Node], text: str, question: str) -> _Masks:
    """What this reader may not read of an answer that others may."""
    return _Masks(
        answer_spans(text, claims, evidence.seen, evidence.withheld),
        overlaps(question, evidence.withheld),
    )


def _paragraphs(
    text: str, claims: Sequence[Node], citations: Sequence[Node], masks: Sequence[Span]
) -> tuple[Paragraph, ...]:
    placed = {
        claim.pk: PlacedClaim(claim.uid, *place)
        for claim in claims
        if (place := place_of(claim)) is not None and place[1] <= len(text)
    }
    markers = [
        PrintedMarker(
            each.uid,
            placed[each.parent_id].uid if each.parent_id in placed else None,
            str(each.fields.get("marker") or ""),
        )
        for _, each in _by_claim(claims, citations)
    ]
    return paragraphs_of(text, list(placed.values()), markers, masks)


def _claim_views(parts: _Parts) -> tuple[ClaimView, ...]:
    evidence = parts.evidence
    cited: dict[int, list[Node]] = {}
    for citation in parts.citations:
        cited.setdefault(citation.parent_id or 0, []).append(citation)
    order = {card.uid: at for at, card in enumerate(parts.cards)}
    views = []
    for claim in parts.claims:
        place = place_of(claim) or (None, None)
        mine = sorted(cited.get(claim.pk, ()), key=lambda each: order[each.uid])
        hidden = not evidence.seen[claim.pk]
        views.append(
            ClaimView(
                uid=claim.uid,
                text=None if hidden else evidence.texts.get(claim.pk),
                start=place[0],
                end=place[1],
                verdict=NOT_CHECKED,
                standing=evidence.standings.get(claim.pk, "stands"),
                because=evidence.because.get(claim.pk, ""),
                masked=hidden,
                citations=tuple(each.uid for each in mine),
                flags=() if hidden else tuple(Warned(**flag) for flag in claim.flags),
            )
        )
    return tuple(views)
