"""The cited passage in its place: neighbours, highlights, headings, page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from citations.anchoring import Support, anchor_support, surroundings
from citations.evidence import Evidence
from citations.marks import Piece, Span, pieces_of
from citations.origins import Origin
from citations.stated import stated
from citations.upstream import Upstream
from lineage.content.intervals import verify
from lineage.content.passages import place_of
from lineage.models import Node
from lineage.types import Interval, JsonValue
from lineage.vocabulary import Anchor, Edge

_MOST_HEADINGS: Final = 12


@dataclass(frozen=True, slots=True)
class Page:
    """A page: `index` from 0, `label` as printed ("411", "xii"); either may be unknown."""

    index: int | None
    label: str | None


@dataclass(frozen=True, slots=True)
class Passage:
    """The chunk's text with its neighbours in the document (at most 300 code points each).

    Highlights are relative to the text that they belong to; with an `anchor` that is not
    one of exact, normalised or relocated there are none. `cut` says that the support goes
    on beyond the passage: the highlights of the neighbours show the rest. The pieces are
    the same texts, ready to print: invisible characters as marks, highlights set.
    `more_before` and `more_after`: the document goes on beyond the neighbours.
    """

    text: str
    before: str
    after: str
    highlights: tuple[Span, ...]
    before_highlights: tuple[Span, ...]
    after_highlights: tuple[Span, ...]
    anchor: Anchor | None
    cut: bool
    heading_path: tuple[str, ...]
    page: Page | None
    language: str | None
    pieces: tuple[Piece, ...]
    before_pieces: tuple[Piece, ...]
    after_pieces: tuple[Piece, ...]
    more_before: bool
    more_after: bool


def passage_of(evidence: Evidence, citation: Node, origin: Origin) -> Passage | None:
    """The passage that a citation quotes; None where its text is not held or may not be read."""
    chunk = origin.chunk
    text = evidence.texts.get(chunk.pk) if chunk is not None else None
    if chunk is None or text is None:
        return None
    document = origin.document
    document_text = evidence.texts.get(document.pk) if document is not None else None
    around = surroundings(text, document_text, place_of(chunk))
    claim = evidence.upstream.parent(citation, "claim")
    found = anchor_support(
        around,
        Support(
            quote=evidence.quotes.get(citation.pk),
            selector=citation.fields.get("selector"),
            interval=_support(citation.fields.get("support"), document_text),
            claim_text=evidence.texts.get(claim.pk) if claim is not None else None,
        ),
    )
    parts = _parts(evidence.upstream, chunk)
    start = chunk.start or 0
    if found.highlights and place_of(chunk) is not None:
        start += found.highlights[0].start
    return Passage(
        text=around.text,
        before=around.before,
        after=around.after,
        highlights=found.highlights,
        before_highlights=found.before,
        after_highlights=found.after,
        anchor=found.anchor,
        cut=found.cut,
        heading_path=_headings(chunk, parts, start),
        page=_page(parts, start),
        language=stated(document.fields.get("language")) if document is not None else None,
        pieces=pieces_of(around.text, found.highlights),
        before_pieces=pieces_of(around.before, found.before),
        after_pieces=pieces_of(around.after, found.after),
        more_before=around.more_before,
        more_after=around.more_after,
    )


def _support(sent: JsonValue, document_text: str | None) -> Interval | None:
    """The support interval as sent; in the document, converted to code points."""
    if not isinstance(sent, dict):
        return None
    interval = Interval(
        sent["start"], sent["end"], sent.get("unit", "codepoint"), sent.get("in", "document")
    )
    if interval.within == "chunk" or document_text is None:
        return interval
    verified = verify(document_text, interval, None)
    if verified.start is None or verified.end is None:
        return None
    return Interval(verified.start, verified.end)


def _parts(upstream: Upstream, chunk: Node) -> list[Node]:
    """The parts that hold the chunk, by its interval or as its parents; the nearest last."""
    found: dict[int, Node] = {}
    frontier = [chunk]
    while frontier:
        reached = [
            node
            for inner in frontier
            for node in upstream.causes(inner.pk, Edge.WAS_DERIVED_FROM)
            if node.kind in {"part", "chunk"} and node.pk not in found
        ]
        found |= {node.pk: node for node in reached}
        frontier = reached
    return [node for node in reversed(found.values()) if node.kind == "part"]


def _headings(chunk: Node, parts: Sequence[Node], start: int) -> tuple[str, ...]:
    """The chunk's own heading path; else the headings of the parts around it, the widest first."""
    own = chunk.fields.get("heading_path")
    if isinstance(own, list):
        return tuple(str(heading) for heading in own[:_MOST_HEADINGS])
    headed = [part for part in _around(parts, start) if stated(part.fields.get("heading"))]
    return tuple(str(part.fields["heading"]) for part in headed[:_MOST_HEADINGS])


def _page(parts: Sequence[Node], start: int) -> Page | None:
    """The page on which the highlighted words begin, by the innermost part that tells one."""
    telling = [
        part
        for part in _around(parts, start) or parts
        if part.fields.get("page_index") is not None or stated(part.fields.get("page_label"))
    ]
    if not telling:
        return None
    pages = [part for part in telling if part.fields.get("part_kind") == "page"]
    part = (pages or telling)[-1]
    index = part.fields.get("page_index")
    return Page(index if isinstance(index, int) else None, stated(part.fields.get("page_label")))


def _around(parts: Sequence[Node], position: int) -> list[Node]:
    """The parts in which the position lies, the widest first; before them those without a place."""
    placed = [(place, part) for part in parts if (place := place_of(part)) is not None]
    within = [(place, part) for place, part in placed if place[0] <= position < place[1]]
    within.sort(key=lambda pair: (pair[0][0] - pair[0][1], pair[1].pk))
    unplaced = [part for part in parts if place_of(part) is None]
    return [*unplaced, *(part for _, part in within)]
