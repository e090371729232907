"""Which of the retrieved documents a prompt holds, where, and under which printed number."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lineage.formats.markers import LABEL_REACH, number_before
from lineage.formats.openinference_documents import FoundDocument

# A cut document is recognised by its start, if that is long enough to be its own.
_SHORTEST_START: Final = 100
_DOCUMENTS: Final = 1_000  # looked for in one prompt


@dataclass(frozen=True, slots=True)
class PromptItem:
    """A document in a prompt: its position, and how much of it if it was cut.

    `counted` positions are the order of the prompt, from 1, since it prints no numbers that
    could be read.
    """

    document: FoundDocument
    position: int
    cut_at: int | None = None  # code point of the document at which what the prompt holds ends
    start: int = 0  # and at which it starts
    truncated: bool = False  # whether what was cut off was lost, rather than this part chosen
    counted: bool = False
    of: FoundDocument | None = None  # as it was found, where its sender says it otherwise

    @property
    def found(self) -> FoundDocument:
        """The document as it was found."""
        return self.of or self.document


def items_in(documents: Sequence[FoundDocument], prompts: Iterable[str]) -> list[PromptItem]:
    """The documents that the first telling prompt holds, in its order.

    Positions are the numbers that the prompt prints before the documents ("[4] …", "Document 4:"),
    where it numbers all of them differently, from whatever number on; else they are counted.
    """
    repeated = [document for document in documents for _ in (0, *document.again)]
    for prompt in prompts:
        places = _places(repeated[:_DOCUMENTS], prompt)
        if places:
            return _numbered(prompt, sorted(places, key=lambda place: place.start))
    return []


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int
    document: FoundDocument
    cut_at: int | None


def _places(documents: Sequence[FoundDocument], prompt: str) -> list[_Place]:
    """Where the documents stand; the longest first, so that none is found inside another."""
    places: list[_Place] = []
    by_length = sorted(documents, key=lambda document: -len(document.content or ""))
    for whole in (True, False):
        placed = {place.document.identity for place in places}
        for document in by_length:
            if document.content is None or document.identity in placed:
                continue
            place = _place(document, prompt, places, whole=whole)
            if place is not None:
                places.append(place)
    return places


def _place(
    document: FoundDocument, prompt: str, taken: Sequence[_Place], *, whole: bool
) -> _Place | None:
    content = (document.content or "").strip()
    wanted = content if whole else content[:_SHORTEST_START]
    if not wanted or (not whole and len(content) < _SHORTEST_START):
        return None
    start = prompt.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        inside = next((place for place in taken if place.start < end and start < place.end), None)
        if inside is None:
            break
        start = prompt.find(wanted, inside.end)
    if start < 0:
        return None
    if whole:
        return _Place(start, end, document, None)
    length = _common_length(content, prompt, start)
    leading = len(document.content or "") - len((document.content or "").lstrip())
    return _Place(start, start + length, document, leading + length)


def _common_length(content: str, prompt: str, start: int) -> int:
    """How many code points of the content stand in the prompt from `start` on."""
    length = 0
    for length, (mine, theirs) in enumerate(
        zip(content, prompt[start : start + len(content)], strict=False)
    ):
        if mine != theirs:
            return length
    return length + 1


def _numbered(prompt: str, places: Sequence[_Place]) -> list[PromptItem]:
    ends = [0, *(place.end for place in places)]
    printed = [
        number_before(prompt[max(end, place.start - LABEL_REACH) : place.start])
        for end, place in zip(ends, places, strict=False)
    ]
    counted = None in printed or len(set(printed)) != len(places)
    return [
        PromptItem(
            place.document,
            nth if counted or number is None else number,
            place.cut_at,
            truncated=place.cut_at is not None,
            counted=counted,
        )
        for nth, (place, number) in enumerate(zip(places, printed, strict=True), start=1)
    ]
