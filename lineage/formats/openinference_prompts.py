"""Which of the retrieved documents a prompt holds, where, and under which printed number."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lineage.formats.openinference_documents import FoundDocument

# A cut document is recognised by its start, if that is long enough to be its own.
_SHORTEST_START: Final = 100
# "[4] …", "【4】…", "Source 4: …" before a document.
_PRINTED_NUMBER: Final = re.compile(
    r"(?:\[|【|(?:source|document|passage)[ ]+)([0-9]{1,3})(?:\]|】)?[:.)]?\s*\Z",
    re.IGNORECASE,
)
_BEFORE: Final = 24  # code points before a document in which its number is looked for
_DOCUMENTS: Final = 1_000  # looked for in one prompt


@dataclass(frozen=True, slots=True)
class PromptItem:
    """A document in a prompt: its position from 1, and how much of it if it was cut."""

    document: FoundDocument
    position: int
    cut_at: int | None = None  # code point of the document at which what the prompt holds ends
    start: int = 0  # and at which it starts
    truncated: bool = False  # whether what was cut off was lost, rather than this part chosen


def items_in(documents: Sequence[FoundDocument], prompts: Iterable[str]) -> list[PromptItem]:
    """The documents that the first telling prompt holds, in its order.

    Positions are the numbers that the prompt prints before the documents ("[4] …"), where it
    numbers all of them differently; else 1, 2, 3 in the order of the prompt.
    """
    for prompt in prompts:
        places = _places(documents[:_DOCUMENTS], prompt)
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
        placed = {place.document.key for place in places}
        for document in by_length:
            if document.content is None or document.key in placed:
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
    printed = [
        _PRINTED_NUMBER.search(prompt[max(0, place.start - _BEFORE) : place.start])
        for place in places
    ]
    numbers = [int(match.group(1)) for match in printed if match]
    if len(numbers) != len(places) or len(set(numbers)) != len(places):
        numbers = list(range(1, len(places) + 1))
    return [
        PromptItem(place.document, number, place.cut_at, truncated=place.cut_at is not None)
        for place, number in zip(places, numbers, strict=True)
    ]
