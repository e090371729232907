"""The cited passage in its place: neighbours, highlights, headings, page."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from citations.anchoring import Grade, Support, anchor_support, grade_of, surroundings
from citations.evidence import Evidence
from citations.marks import Piece, Span, pieces_of
from citations.origins import Origin
from citations.pointing import Pointer, pointer_of
from citations.stated import stated
from citations.upstream import Upstream
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
    `more_before` and `more_after`: the document goes on beyond the neighbours. `grade`: how
    well the place of the support is known; `pointer`: its words and place, for others.
    `as_stated`: an offset alone names the place, and no words were sent to compare with it.
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
    grade: Grade | None
    pointer: Pointer | None
    as_stated: bool = False


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
    parts = _parts(evidence.upstream, chunk)
    pages = _pages(parts)
    found = anchor_support(
        around,
        Support(
            quote=evidence.quotes.get(citation.pk),
            selector=json.loads(evidence.selectors.get(citation.pk, "null")),
            interval=_support(citation.fields.get("support")),
            claim_text=evidence.texts.get(claim.pk) if claim is not None else None,
            pages=pages,
        ),
    )
    start = chunk.start or 0
    if found.highlights and place_of(chunk) is not None:
        start += found.highlights[0].start
    page = _page(parts, start)
    if page is None and found.page_index is not None:
        page = Page(found.page_index, None)
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
        page=page,
        language=stated(document.fields.get("language")) if document is not None else None,
        pieces=pieces_of(around.text, found.highlights),
        before_pieces=pieces_of(around.before, found.before),
        after_pieces=pieces_of(around.after, found.after),
        more_before=around.more_before,
        more_after=around.more_after,
        grade=grade_of(found.anchor, page_known=page is not None),
        pointer=pointer_of(around, found, pages),
        as_stated=found.as_stated,
    )


def _support(sent: JsonValue) -> Interval | None:
    """The support interval as sent."""
    if not isinstance(sent, dict):
        return None
    return Interval(
        sent["start"], sent["end"], sent.get("unit", "codepoint"), sent.get("in", "document")
    )


def _pages(parts: Sequence[Node]) -> dict[int, tuple[int, int]]:
    """Where the pages that the passage touches stand in the document, by index from 0."""
    pages: dict[int, tuple[int, int]] = {}
    for part in parts:
        index, place = part.fields.get("page_index"), place_of(part)
        if part.fields.get("part_kind") == "page" and isinstance(index, int) and place is not None:
            pages[index] = place
    return pages


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
