"""Verbatim text of sources that a reader may not see, found in an answer and masked."""

from collections.abc import Iterable, Sequence
from typing import Final

from citations.marks import Span

# From this many equal code points on, an answer repeats its source (design §9).
LEAST_OVERLAP: Final = 40
MASK: Final = "█"


def overlaps(text: str, hidden_texts: Iterable[str], least: int = LEAST_OVERLAP) -> list[Span]:
    """The stretches of the text that stand word for word in one of the hidden texts."""
    starts: dict[str, list[int]] = {}
    for at in range(len(text) - least + 1):
        starts.setdefault(text[at : at + least], []).append(at)
    if not starts:
        return []
    found: set[int] = set()
    for hidden in hidden_texts:
        for at in range(len(hidden) - least + 1):
            found.update(starts.get(hidden[at : at + least], ()))
    return merged(Span(at, at + least) for at in found)


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that touch or overlap as one."""
    result: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, one.end)):
        if result and span.start <= result[-1].end:
            result[-1] = Span(result[-1].start, max(result[-1].end, span.end))
        else:
            result.append(span)
    return result


def masked(text: str, spans: Sequence[Span]) -> str:
    """The text with each code point of the spans replaced; its length and offsets stay."""
    characters = list(text)
    for span in spans:
        for at in range(max(0, span.start), min(len(text), span.end)):
            if not characters[at].isspace():
                characters[at] = MASK
    return "".join(characters)
