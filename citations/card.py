"""The citation card: who made the source, under which licence, the exact passage in its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import QuerySet

from citations.bibliography import Bibliography
from citations.circumstances import Candidate
from citations.evidence import Evidence, gather
from citations.machinery import RunFact, runs_of
from citations.marks import Piece, pieces_of
from citations.masking import mask_told
from citations.origins import Origin, cited_by
from citations.passage import Page, Passage, passage_of
from citations.stated import instant, stated
from citations.status import HIDDEN, UNKNOWN, Notice, Status, notices_of, status_of
from citations.text_fragment import deep_link, is_paged, source_address
from citations.upstream import Upstream
from lineage.cases.register import Active, passage_hidden
from lineage.compiled import Compiled, Given, by_their_ids
from lineage.models import Node
from lineage.nodes.find import find
from lineage.types import JsonValue, NotFound, Viewer, Warned
from lineage.vocabulary import Edge
from provexplorer.workspaces.audit.reads import note_hidden

__all__ = ["Candidate", "Card", "Page", "Passage", "RunFact", "card_of", "cards", "citation_card"]

NOT_CHECKED: Final = "not checked"
OUTSIDE: Final = "citation_outside_context"
UNRESOLVED: Final = "unresolved_reference"
# Uids of what an erasure takes with its metadata.
_WORKS: Final = ("src_", "srv_")


def _places(given: Given) -> "QuerySet[Node]":
    """The claims of citations, and the answers of those."""
    cited = Node.objects.filter(pk__in=given.ids("citations"))
    # One subquery: with OR PostgreSQL would read every node.
    places = cited.values("parent_id").union(cited.values("parent__parent_id"))
    return by_their_ids(Node.objects.filter(pk__in=places), given.id("workspace")).order_by("pk")


_PLACES: Final = Compiled(_places)


@dataclass(frozen=True, slots=True)
class Card:
    """A citation with all that a reader may know of what stands behind it.

    `hidden`: the reader's groups do not reach the source; then the source's facts, passage,
    quote, notices and machinery are absent. `passage_hidden` says why the passage is not
    shown: "access", "revocation", "erasure", "unavailable" (its text is not held), or None.
    `in_context`: what is cited was given to the model. With no `context_uid` nobody recorded
    what the model was given, so that False there is no reproach.
    `reason` is a code: the kind of the case behind the status, `unresolved_reference`, None, or
    `citation_outside_context` where nothing at all stands behind the marker (a chunk that is
    cited but was not given to the model has that among its `flags`). `retrieved_at` is when the retrieval took the passage,
    `fetched_at` when the source was fetched, `checked_at` when the source was last checked
    against its origin (None: not checked). Uids are for links; None without such a node.
    `source_address` is the source's own on the web, `deep_link` the same at the words or the
    page that are cited; `paged`: it has pages that can be opened (a PDF).
    """

    uid: str
    hidden: bool
    marker: str
    marker_pieces: tuple[Piece, ...]
    in_context: bool
    position: int | None
    confidence: float | None
    quote: str | None
    verdict: str
    standing: str | None
    status: Status
    reason: str | None
    notices: tuple[Notice, ...]
    flags: tuple[Warned, ...]
    bibliography: Bibliography | None
    retrieved_at: datetime | None
    fetched_at: datetime | None
    checked_at: datetime | None
    passage: Passage | None
    passage_hidden: str | None
    candidates: tuple[Candidate, ...]
    runs: tuple[RunFact, ...]
    claim_uid: str | None
    claim_text: str | None
    claim_pieces: tuple[Piece, ...]
    answer_uid: str | None
    source_uid: str | None
    version_uid: str | None
    document_uid: str | None
    chunk_uid: str | None  # the chunk or fact that is cited
    context_uid: str | None
    source_address: str | None
    deep_link: str | None
    paged: bool
    attributes: Mapping[str, JsonValue]


def citation_card(viewer: Viewer, uid: str) -> Card:
    """The card of one citation.

    Raises lineage.types.NotFound for an unknown or foreign uid, Moved for an alias.
    """
    citation = find(viewer, uid)
    if citation.kind != "citation":
        raise NotFound(uid)
    (card,) = cards(viewer, [citation])
    if card.hidden:
        note_hidden(viewer, citation.uid)
    return card


def cards(viewer: Viewer, citations: Sequence[Node]) -> list[Card]:
    """The cards of these citations, in their order; the queries do not grow with them."""
    if not citations:
        return []
    ids = [citation.pk for citation in citations]
    places = _PLACES.instances(workspace=viewer.workspace_id, citations=ids)
    claims = [place for place in places if place.kind == "claim"]
    answers = [place for place in places if place.kind == "answer"]
    evidence = gather(viewer, citations, claims, answers)
    return [card_of(evidence, citation) for citation in citations]


def card_of(evidence: Evidence, citation: Node, *, closed: bool = False) -> Card:
    """The card of a citation whose evidence was gathered.

    A `closed` one is not read: it stays without passage, candidates and runs.
    """
    upstream = evidence.upstream
    claim = upstream.parent(citation, "claim")
    answer = upstream.parent(claim, "answer")
    cited = cited_by(upstream, citation)
    origin = evidence.origin(cited) if cited is not None else None
    # A citation is seen by the groups of what it quotes; so is what it quotes.
    hidden = not evidence.seen[citation.pk] or (
        cited is not None and not evidence.seen.get(cited.pk, True)
    )
    had = evidence.circumstances(answer)
    item = had.item_of.get(cited.pk) if cited is not None else None
    cases: Sequence[Active] = evidence.cases.get(cited.pk, ()) if cited is not None else ()
    marker = str(citation.fields.get("marker") or "")
    claim_text = evidence.texts.get(claim.pk) if claim is not None else None
    told = _Told(evidence, citation, answer, origin, cases, hidden=hidden, closed=closed)
    position = citation.fields.get("position") if item is None else item.position
    confidence = citation.fields.get("confidence")
    recorded = [context.uid for context in had.contexts if context.resolved]
    return Card(
        uid=citation.uid,
        hidden=hidden,
        marker=marker,
        marker_pieces=pieces_of(marker),
        in_context=item is not None,
        position=position if isinstance(position, int) else None,
        confidence=float(confidence) if isinstance(confidence, int | float) else None,
        quote=told.quote,
        verdict=NOT_CHECKED,
        standing=evidence.standings.get(claim.pk) if claim is not None else None,
        status=told.status,
        reason=told.reason,
        notices=() if hidden else notices_of(cases),
        flags=() if hidden else tuple(Warned(**flag) for flag in citation.flags),
        bibliography=told.bibliography,
        retrieved_at=citation.event_at,
        fetched_at=told.fetched_at,
        checked_at=told.checked_at,
        passage=told.passage,
        passage_hidden=told.passage_hidden,
        candidates=told.candidates,
        runs=told.runs,
        claim_uid=_uid(claim),
        claim_text=claim_text,
        claim_pieces=pieces_of(claim_text or ""),
        answer_uid=_uid(answer),
        source_uid=_uid(origin.source) if origin else None,
        version_uid=_uid(origin.version) if origin else None,
        document_uid=_uid(origin.document) if origin else None,
        chunk_uid=_uid(cited),
        context_uid=recorded[0] if recorded else None,
        source_address=told.address,
        deep_link=told.deep_link,
        paged=told.paged,
        attributes=_attributes(
            evidence, citation, hidden=hidden or passage_hidden(cases) is not None
        ),
    )


def _attributes(evidence: Evidence, citation: Node, *, hidden: bool) -> Mapping[str, JsonValue]:
    """What else the citation says, with what it repeats masked; nothing where what it quotes is hidden."""
    return {} if hidden else mask_told(citation.attributes, evidence.withheld)


class _Told:
    """What a card may tell of the source; less where a case or the reader's groups forbid."""

    def __init__(
        self,
        evidence: Evidence,
        citation: Node,
        answer: Node | None,
        origin: Origin | None,
        cases: Sequence[Active],
        *,
        hidden: bool,
        closed: bool,
    ) -> None:
        self.quote: str | None = None
        self.bibliography: Bibliography | None = None
        self.fetched_at: datetime | None = None
        self.checked_at: datetime | None = None
        self.passage: Passage | None = None
        self.passage_hidden: str | None = None
        self.candidates: tuple[Candidate, ...] = ()
        self.runs: tuple[RunFact, ...] = ()
        self.address: str | None = None
        self.deep_link: str | None = None
        self.paged = False
        self.status = HIDDEN if hidden else UNKNOWN
        self.reason: str | None = None
        if hidden:
            self.passage_hidden = "access"
            return
        if origin is None:
            flagged = any(flag["code"] == OUTSIDE for flag in citation.flags)
            self.reason = OUTSIDE if flagged else UNRESOLVED
            self.quote = evidence.quotes.get(citation.pk)
            return
        known = origin.source is not None or origin.version is not None
        self.status = status_of(cases) if known or cases else UNKNOWN
        source = origin.source
        if source is not None:
            looks, cited = evidence.looks, origin.cited.pk
            self.status = looks.of_passage(self.status, source.pk, cited)
            self.checked_at = looks.compared_at(source.pk, cited)
        self.reason = (
            self.status.case_kind
            or self.status.because
            or (None if origin.cited.resolved else UNRESOLVED)
        )
        self._facts(evidence, origin, cases)
        self._passage(evidence, citation, origin, cases, closed=closed)
        self._addresses(evidence, origin)
        if not closed:
            self._machinery(evidence, answer, origin)

    def _facts(self, evidence: Evidence, origin: Origin, cases: Sequence[Active]) -> None:
        erased = any(
            case.case_kind == "erasure" and case.node_uid.startswith(_WORKS) for case in cases
        )
        if erased or (origin.version is None and origin.source is None):
            return
        self.bibliography = evidence.book(origin)
        self.fetched_at = _fetched_at(evidence.upstream, origin)

    def _passage(
        self,
        evidence: Evidence,
        citation: Node,
        origin: Origin,
        cases: Sequence[Active],
        *,
        closed: bool,
    ) -> None:
        hiding = passage_hidden(cases)
        if hiding is not None:
            self.passage_hidden = hiding.case_kind
            return
        self.quote = evidence.quotes.get(citation.pk)
        if closed:
            return
        self.passage = passage_of(evidence, citation, origin)
        if self.passage is None:
            self.passage_hidden = "unavailable"

    def _addresses(self, evidence: Evidence, origin: Origin) -> None:
        """Where the source is on the web; at the words only where the reader may read them."""
        if self.bibliography is None:
            return
        media_type = _media_type(evidence.upstream, origin)
        self.address = source_address(self.bibliography.uri, self.bibliography.doi)
        page = self.passage.page if self.passage is not None else None
        index = page.index if page is not None else None
        pointer = self.passage.pointer if self.passage is not None else None
        self.paged = is_paged(self.address, media_type, page_known=index is not None)
        self.deep_link = deep_link(
            self.address,
            pointer.words if pointer is not None else None,
            media_type=media_type,
            page_index=index,
        )

    def _machinery(self, evidence: Evidence, answer: Node | None, origin: Origin) -> None:
        had = evidence.circumstances(answer)
        made = [n for n in (origin.version, origin.document, origin.chunk, answer) if n is not None]
        self.candidates = tuple(had.candidates_of.get(origin.cited.pk, ()))
        self.runs = runs_of(evidence.upstream, [*made, *had.contexts, *had.retrievals])


def _fetched_at(upstream: Upstream, origin: Origin) -> datetime | None:
    """When the response that the document was read from was fetched; the last of several."""
    if origin.document is None:
        return None
    responses = upstream.causes(origin.document.pk, Edge.WAS_DERIVED_FROM, "acquisition")
    times = [instant(response.fields.get("fetched_at")) for response in responses]
    return max((at for at in times if at is not None), default=None)


def _media_type(upstream: Upstream, origin: Origin) -> str | None:
    """What the source is, as the version states it, else the response that was parsed."""
    if origin.version is not None and (own := stated(origin.version.fields.get("media_type"))):
        return own
    if origin.document is None:
        return None
    responses = upstream.causes(origin.document.pk, Edge.WAS_DERIVED_FROM, "acquisition")
    kinds = [stated(response.fields.get("media_type")) for response in responses]
    return next((kind for kind in kinds if kind), None)


def _uid(node: Node | None) -> str | None:
    return node.uid if node is not None else None
