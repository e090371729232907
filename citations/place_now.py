"""Where a cited passage stands in another text of its source."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from citations.differences import Comparison, Verdict, verdict_on
from citations.marks import Span
from citations.nearby import nearby
from lineage.content.locate import locate, locate_same
from lineage.vocabulary import Anchor

# Words around a passage by which equal places are told apart (code points).
AROUND: Final = 60
# The words stand at several places, of which none can be told to be it.
SEVERAL: Final = Span(0, -1)
Compare = Callable[[str, str], Comparison]
_SURE: Final = frozenset({Anchor.EXACT, Anchor.NORMALISED})


@dataclass(frozen=True, slots=True)
class Cited:
    """A passage as it was cited: its words, those before and after it, and where it stood in which text.

    `text` and `place` are None where the text that it was cited from is not held.
    """

    words: str
    before: str
    after: str
    text: str | None
    place: Span | None


def place_now(cited: Cited, text: str, compare: Compare = Comparison) -> Span | None:
    """Where the passage stands in a text; SEVERAL where that may be here or there, None where nowhere.

    `compare`: how two whole texts are compared, for one who asks for many passages of them.

    The anchoring engine finds words that stayed, wherever they went. Words that changed are
    found by what stayed around them, which needs the text that they were cited from.
    """
    old, place = cited.text, cited.place
    if old is not None and place is not None and cited.words not in text:
        continued = near_by(old, text, place)
        if continued is not None and _same(cited, text[continued.start : continued.end]):
            return continued
        same = locate_same(text, cited.words, prefix=cited.before, suffix=cited.after)
        if same.start is not None and same.end is not None:
            return Span(same.start, same.end)
        if continued is not None:
            return continued
    found = locate(text, cited.words, prefix=cited.before, suffix=cited.after)
    if found.start is not None and found.end is not None and found.anchor in _SURE:
        return Span(found.start, found.end)
    if old is not None and place is not None:
        continued = compare(old, text).continued(place)
        if continued is not None:
            return continued
    if found.start is not None and found.end is not None:
        return Span(found.start, found.end)
    return SEVERAL if found.anchor is Anchor.AMBIGUOUS else None


def _same(cited: Cited, now: str) -> bool:
    return verdict_on(cited.words, now.strip()) is not Verdict.CHANGED


def near_by(old: str, new: str, passage: Span) -> Span | None:
    """Where the new text goes on with the passage between words that stayed around it; None if it does not."""
    found = nearby(old, new, passage)
    if found is None:
        return None
    here, there = found
    compared = Comparison(old[here.start : here.end], new[there.start : there.end])
    inside = Span(passage.start - here.start, passage.end - here.start)
    continued = compared.continued(inside)
    if continued is None:
        return None
    return Span(there.start + continued.start, there.start + continued.end)
