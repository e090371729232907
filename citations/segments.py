"""The answer's text cut where claims, markers and masks begin and end: a pure function.

Claims may overlap or nest, and markers are found, not trusted: by the text between a claim
and the next one, and by the citation's marker as printed. Nothing is renumbered.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from citations.marks import Piece, Span, pieces_of
from lineage.content.graphemes import is_cut

_PARAGRAPH_BREAK: Final = re.compile(r"\n[^\S\n]*\n\s*")


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the answer's text printed alike.

    `claims` are the uids of the claims that cover it, the outermost first (claims may
    overlap or nest). `citations` are uids where the segment is a marker as printed, several
    where they share it; with `printed` False the answer does not print the marker and the
    page adds it here.
    `masked`: the text is hidden from this reader; the single piece then has an empty text.
    """

    pieces: tuple[Piece, ...]
    claims: tuple[str, ...]
    citations: tuple[str, ...]
    printed: bool = True
    masked: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of the answer; `citations` are those whose markers stand in it, in order."""

    segments: tuple[Segment, ...]
    citations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlacedClaim:
    """A claim with its verified interval in the answer (code points)."""

    uid: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PrintedMarker:
    """A citation and its marker; `claim_uid` None where its claim has no place."""

    citation_uid: str
    claim_uid: str | None
    marker: str


def paragraphs_of(
    text: str,
    claims: Sequence[PlacedClaim],
    markers: Sequence[PrintedMarker],
    masks: Sequence[Span] = (),
) -> tuple[Paragraph, ...]:
    """The paragraphs; every character outside of their breaks is in exactly one segment."""
    breaks = [Span(*match.span()) for match in _PARAGRAPH_BREAK.finditer(text)]
    claims = [_in_whole_characters(text, claim) for claim in claims]
    placed, loose = place_markers(text, claims, markers, [each.start for each in breaks])
    cuts = {0, len(text)}
    for span in (*breaks, *masks, *placed):
        cuts |= {span.start, span.end}
    for claim in claims:
        cuts |= {claim.start, claim.end}
    edges = sorted(cut for cut in cuts if 0 <= cut <= len(text))
    added = _added(claims, loose, len(text))
    ending = {each.start for each in breaks} | {len(text)}
    skipped = _Cover((each.start, each.end) for each in breaks)
    hidden = _Cover((each.start, each.end) for each in masks)
    covering = _Claims(claims)
    paragraphs: list[Paragraph] = []
    segments: list[Segment] = []
    for start, end in pairwise(edges):
        if not skipped.covers(start):
            masked = hidden.covers(start)
            segments.append(
                Segment(
                    pieces=(Piece(""),) if masked else pieces_of(text[start:end]),
                    claims=covering.at(start),
                    citations=placed.get(Span(start, end), ()),
                    masked=masked,
                )
            )
        segments += (Segment((), (), uids, printed=False) for uids in added.pop(end, ()))
        if end in ending and segments:
            paragraphs.append(_paragraph(segments))
            segments = []
    if left := [uids for groups in added.values() for uids in groups]:
        extra = tuple(Segment((), (), uids, printed=False) for uids in left)
        paragraphs.append(_paragraph(extra))
    return tuple(paragraphs)


def _in_whole_characters(text: str, claim: PlacedClaim) -> PlacedClaim:
    """The claim with all of what a reader sees as one character: half an emoji is another one."""
    start, end = claim.start, claim.end
    while is_cut(text, start):
        start -= 1
    while is_cut(text, end):
        end += 1
    return PlacedClaim(claim.uid, start, end)


def place_markers(
    text: str,
    claims: Sequence[PlacedClaim],
    markers: Sequence[PrintedMarker],
    breaks: Sequence[int] = (),
) -> tuple[dict[Span, tuple[str, ...]], list[PrintedMarker]]:
    """Where each marker is printed, with the citations that it stands for; and those that are not.

    A marker is looked for between its claim and the next, then inside the claim, then in
    the rest of the paragraph.
    """
    where = {claim.uid: claim for claim in claims}
    starts = sorted(claim.start for claim in claims)
    placed: dict[Span, list[str]] = defaultdict(list)
    taken: list[Span] = []  # those placed, in the order of the text; none overlaps another
    loose: list[PrintedMarker] = []
    for each in markers:
        claim = where.get(each.claim_uid or "")
        at = -1
        if claim is not None and each.marker:
            gap = _first_from(starts, claim.end, len(text))
            rest = _first_from(breaks, claim.end, len(text))
            for low, high in ((claim.end, gap), (claim.start, claim.end), (claim.end, rest)):
                at = _find(text, each.marker, low, max(low, high))
                if at >= 0:
                    break
        span = Span(at, at + len(each.marker))
        # Two markers may not overlap in part: "[1]" inside "[[1]]" is another marker's.
        near = bisect_left(taken, span.start, key=_start)
        if at < 0 or any(_clash(span, other) for other in taken[max(0, near - 1) : near + 1]):
            loose.append(each)
        else:
            if span not in placed:
                taken.insert(near, span)
            placed[span].append(each.citation_uid)
    return {span: tuple(uids) for span, uids in placed.items()}, loose


def _find(text: str, marker: str, low: int, high: int) -> int:
    """The first place of the marker that is no part of a longer word or number; -1 without one."""
    at = text.find(marker, low, high)
    while at >= 0:
        end = at + len(marker)
        glued = at > 0 and marker[0].isalnum() and text[at - 1].isalnum()
        if not glued and not (marker[-1].isalnum() and text[end : end + 1].isalnum()):
            return at
        at = text.find(marker, at + 1, high)
    return -1


def _first_from(positions: Sequence[int], least: int, otherwise: int) -> int:
    """The first of the ascending positions that is at least so far on."""
    at = bisect_left(positions, least)
    return positions[at] if at < len(positions) else otherwise


def _start(span: Span) -> int:
    return span.start


def _clash(one: Span, other: Span) -> bool:
    return one != other and one.start < other.end and other.start < one.end


def _added(
    claims: Sequence[PlacedClaim], loose: Iterable[PrintedMarker], end: int
) -> dict[int, list[tuple[str, ...]]]:
    """Where the page adds markers that the answer does not print: behind their claims.

    Citations of a claim under one marker belong together, as those do where it is printed.
    """
    ends = {claim.uid: claim.end for claim in claims}
    groups: dict[tuple[str | None, str], list[str]] = defaultdict(list)
    for each in loose:
        # Without a marker there is nothing that they could share.
        groups[each.claim_uid, each.marker or f"\0{each.citation_uid}"].append(each.citation_uid)
    added: dict[int, list[tuple[str, ...]]] = defaultdict(list)
    for (claim_uid, _marker), uids in groups.items():
        added[ends.get(claim_uid or "", end)].append(tuple(uids))
    return added


def _paragraph(segments: Sequence[Segment]) -> Paragraph:
    citations = dict.fromkeys(uid for segment in segments for uid in segment.citations)
    return Paragraph(tuple(segments), tuple(citations))


class _Cover:
    """Whether positions, asked in ascending order, lie in one of some intervals."""

    def __init__(self, intervals: Iterable[tuple[int, int]]) -> None:
        self._waiting = sorted(intervals, reverse=True)
        self._until = 0

    def covers(self, position: int) -> bool:
        while self._waiting and self._waiting[-1][0] <= position:
            self._until = max(self._until, self._waiting.pop()[1])
        return position < self._until


class _Claims:
    """The claims at positions asked in ascending order, the outermost first."""

    def __init__(self, claims: Sequence[PlacedClaim]) -> None:
        self._waiting = sorted(claims, key=lambda one: (-one.start, one.end, one.uid))
        self._open: list[PlacedClaim] = []

    def at(self, position: int) -> tuple[str, ...]:
        while self._waiting and self._waiting[-1].start <= position:
            self._open.append(self._waiting.pop())
        self._open = [claim for claim in self._open if claim.end > position]
        return tuple(claim.uid for claim in self._open)
