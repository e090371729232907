"""The evidence beside an answer: cited, in the context but not cited, retrieved and dropped."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from citations.card import Card
from citations.circumstances import Candidate
from citations.evidence import Evidence
from citations.origins import cited_by
from citations.outside import NOT_GIVEN, why_outside
from citations.rights import Licence
from citations.status import HIDDEN, UNKNOWN, Status, status_of
from lineage.models import Node

# Passages listed in each part of the rail; the lineage shows the rest.
MOST_LISTED: Final = 50


@dataclass(frozen=True, slots=True)
class MarkerLink:
    marker: str
    citation_uid: str


@dataclass(frozen=True, slots=True)
class CitedDocument:
    """A document that the answer cites, once, with every marker that leads to it."""

    document_uid: str | None
    source_uid: str | None
    version_uid: str | None
    hidden: bool
    title: str | None
    publisher: str | None
    license: Licence | None
    status: Status
    markers: tuple[MarkerLink, ...]


@dataclass(frozen=True, slots=True)
class RailPassage:
    """A passage that the answer had before it or retrieved, without citing it."""

    chunk_uid: str
    document_uid: str | None
    source_uid: str | None
    version_uid: str | None
    hidden: bool
    title: str | None
    status: Status
    position: int | None
    truncated: bool
    candidate: Candidate | None


@dataclass(frozen=True, slots=True)
class Rail:
    """The evidence: cited, in the context but not cited, retrieved and dropped.

    `outside` are markers that lead to nothing the answer had before it, `left_out` the uids of
    those among them whose passage is known (citations.outside), `unknown` markers of which
    nobody has sent yet what they lead to. Lists are bounded; the totals are not.
    """

    cited: tuple[CitedDocument, ...]
    outside: tuple[MarkerLink, ...]
    in_context: tuple[RailPassage, ...]
    dropped: tuple[RailPassage, ...]
    in_context_total: int
    dropped_total: int
    left_out: frozenset[str] = frozenset()
    unknown: tuple[MarkerLink, ...] = ()

    @property
    def nowhere(self) -> tuple[MarkerLink, ...]:
        """Markers behind which nothing stands at all."""
        return tuple(link for link in self.outside if link.citation_uid not in self.left_out)

    @property
    def not_given(self) -> tuple[MarkerLink, ...]:
        """Markers of passages that are known, but that the model was not given."""
        return tuple(link for link in self.outside if link.citation_uid in self.left_out)


def rail_of(
    evidence: Evidence, answer: Node, citations: Sequence[Node], cards: Sequence[Card]
) -> Rail:
    """The rail of an answer with its cards; a document is named once, whatever cites it."""
    upstream = evidence.upstream
    cited_ids = {node.pk for each in citations if (node := cited_by(upstream, each)) is not None}
    had = evidence.circumstances(answer)
    candidates = {pk: some[0] for pk, some in had.candidates_of.items()}
    included = had.item_of.keys()
    uncited = {item.node_id: item for item in had.items if item.node_id not in cited_ids}
    dropped = [pk for pk in candidates if pk not in included and pk not in cited_ids]
    in_context = [
        _passage(evidence, pk, candidates.get(pk), item.position, truncated=item.truncated)
        for pk, item in list(uncited.items())[:MOST_LISTED]
    ]
    why = {card.uid: why_outside(card) for card in cards}
    return Rail(
        cited=_cited(cards),
        outside=tuple(MarkerLink(card.marker, card.uid) for card in cards if why[card.uid]),
        in_context=tuple(in_context),
        dropped=tuple(_passage(evidence, pk, candidates[pk]) for pk in dropped[:MOST_LISTED]),
        in_context_total=len(uncited),
        dropped_total=len(dropped),
        left_out=frozenset(uid for uid, because in why.items() if because == NOT_GIVEN),
        unknown=tuple(
            MarkerLink(card.marker, card.uid)
            for card in cards
            if card.chunk_uid is None and not why[card.uid]
        ),
    )


def _cited(cards: Sequence[Card]) -> tuple[CitedDocument, ...]:
    """The documents in the order of their first marker."""
    grouped: dict[str, list[Card]] = {}
    for card in cards:
        if card.chunk_uid is not None:
            place = card.document_uid or card.version_uid or card.source_uid or card.chunk_uid
            grouped.setdefault(place, []).append(card)
    documents = []
    for same in grouped.values():
        first = same[0]
        book = first.bibliography
        worst = min(same, key=lambda card: card.status.code in {"not_checked", "current"})
        documents.append(
            CitedDocument(
                document_uid=first.document_uid,
                source_uid=first.source_uid,
                version_uid=first.version_uid,
                hidden=first.hidden,
                title=book.title if book else None,
                publisher=book.publisher.name if book and book.publisher else None,
                license=book.license if book else None,
                status=worst.status,
                markers=tuple(MarkerLink(card.marker, card.uid) for card in same),
            )
        )
    return tuple(documents)


def _passage(
    evidence: Evidence,
    node_id: int,
    candidate: Candidate | None,
    position: int | None = None,
    *,
    truncated: bool = False,
) -> RailPassage:
    node = evidence.upstream.nodes[node_id]
    origin = evidence.origin(node)
    hidden = not evidence.seen.get(node_id, True)
    cases = evidence.cases.get(node_id, ())
    known = origin.version is not None or origin.source is not None
    title = None
    if known and not hidden and not any(case.case_kind == "erasure" for case in cases):
        title = evidence.book(origin).title
    status = HIDDEN if hidden else status_of(cases) if known or cases else UNKNOWN
    if not hidden and origin.source is not None:
        status = evidence.looks.of_passage(status, origin.source.pk, node.pk)
    return RailPassage(
        chunk_uid=node.uid,
        document_uid=origin.document.uid if origin.document else None,
        source_uid=origin.source.uid if origin.source else None,
        version_uid=origin.version.uid if origin.version else None,
        hidden=hidden,
        title=title,
        status=status,
        position=position,
        truncated=truncated,
        candidate=candidate,
    )
