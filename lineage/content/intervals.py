"""Intervals as sent, turned into code points and verified against the text that they are of.

Nothing is ever sliced by an interval that was not verified: a negative start would count
from the end, an offset in other units would cut characters in two.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from lineage.content.locate import locate
from lineage.content.normalise import normalised, same_words
from lineage.identifiers import text_digest
from lineage.types import Interval, Warned
from lineage.vocabulary import Anchor

_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")
# What the store can hold as an offset.
_MOST_OFFSET: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Verified:
    """What an interval is worth. Start and end are code points, None where the place is unknown.

    `anchor` is None where the record gives neither an interval nor a text to look for. With
    `unverifiable` and a place, the text is not known yet: the place is what the record says.
    """

    start: int | None
    end: int | None
    anchor: Anchor | None
    warnings: tuple[Warned, ...] = ()


def verify(text: str | None, interval: Interval | None, quote: str | None) -> Verified:
    """The interval in code points, proved by the quote that it should hold.

    With an interval: equal to the quote (or no quote to compare) is exact, equal but for
    invisible differences normalised (white space at the ends as the quote has it); else the quote is
    relocated to its only place in the text, with a warning. Outside the text, inverted or negative: unverifiable. Without an
    interval the quote is located, and must be unique.

    While the text is unknown (None) an interval in code points is kept as it was sent,
    unverifiable but without a warning, unless the quote is longer or shorter than it; others
    wait for the text without a place.
    """
    if interval is None:
        return _searched(text, quote)
    fault = _impossible(interval)
    if fault:
        return _unverifiable(fault)
    if text is None:
        return _awaiting(interval, quote)
    warnings: tuple[Warned, ...] = ()
    start, end = interval.start, interval.end
    if interval.unit != "codepoint":
        points = code_points(text, start, interval.unit), code_points(text, end, interval.unit)
        if points[0] is None or points[1] is None:
            return _unverifiable(_why_not(text, interval))
        start, end = points[0], points[1]
        detail = f"{interval.unit} {interval.start}–{interval.end} is code points {start}–{end}"
        warnings = (Warned("interval_converted", "/interval", detail),)
    if end > len(text):
        return _unverifiable(f"{start}–{end} reaches beyond the text, which ends at {len(text)}")
    return _compared(text, start, end, quote, warnings)


def _awaiting(interval: Interval, quote: str | None) -> Verified:
    """What can be said of an interval before the text is known that it lies in."""
    if interval.unit != "codepoint":
        return Verified(None, None, Anchor.UNVERIFIABLE)
    start, end = interval.start, interval.end
    warnings: tuple[Warned, ...] = ()
    if quote is not None and len(quote) != end - start:
        detail = (
            f"{start}–{end} is {end - start} characters long, the text {len(quote)}; "
            "what it lies in is not known"
        )
        warnings = (Warned("interval_unverifiable", "/interval", detail),)
    return Verified(start, end, Anchor.UNVERIFIABLE, warnings)


def _compared(
    text: str, start: int, end: int, quote: str | None, warnings: tuple[Warned, ...]
) -> Verified:
    """The interval held against the quote, which is looked for elsewhere if it is not there."""
    if quote is None or text[start:end] == quote:
        return Verified(start, end, Anchor.EXACT, warnings)
    if quote.strip() and same_words(text[start:end], quote):
        return Verified(*_words_at(text, start, end, quote), Anchor.NORMALISED, warnings)
    found = locate(text, quote)
    if found.start is not None and found.end is not None:
        detail = (
            f"the text at {start}–{end} is another; it was found once, at {found.start}–{found.end}"
        )
        moved = Warned("interval_relocated", "/interval", detail)
        return Verified(found.start, found.end, Anchor.RELOCATED, (*warnings, moved))
    if found.anchor is Anchor.AMBIGUOUS:
        detail = f"the text at {start}–{end} is another, and it stands at several places"
        return Verified(
            None,
            None,
            Anchor.AMBIGUOUS,
            (*warnings, Warned("interval_ambiguous", "/interval", detail)),
        )
    detail = f"the text at {start}–{end} is another, and it was found nowhere else"
    return Verified(
        None,
        None,
        Anchor.UNVERIFIABLE,
        (*warnings, Warned("interval_unverifiable", "/interval", detail)),
    )


def _words_at(text: str, start: int, end: int, quote: str) -> tuple[int, int]:
    """Where the words begin and end that an interval holds with white space, or less of it.

    With the quote's own white space, if it has some; else without any around.
    """
    plain = normalised(text[start:end])
    words = plain.text.strip()
    at = plain.text.index(words)
    first, last = plain.origin(at, at + len(words))
    begin = start + first - (len(quote) - len(quote.lstrip()))
    if begin >= 0 and text.startswith(quote, begin):
        return begin, begin + len(quote)
    return start + first, start + last


def _searched(text: str | None, quote: str | None) -> Verified:
    """The place of a text that came without an interval."""
    if quote is None or not quote.strip():
        return Verified(None, None, None)
    if text is None:
        return Verified(None, None, Anchor.UNVERIFIABLE)
    found = locate(text, quote)
    if found.start is not None:
        return Verified(found.start, found.end, found.anchor)
    if found.anchor is Anchor.AMBIGUOUS:
        warning = Warned("interval_ambiguous", "/text", "the text stands at several places")
    else:
        warning = Warned("interval_unverifiable", "/text", "the text was not found")
    return Verified(None, None, found.anchor, (warning,))


def _unverifiable(detail: str) -> Verified:
    warning = Warned("interval_unverifiable", "/interval", detail)
    return Verified(None, None, Anchor.UNVERIFIABLE, (warning,))


def _impossible(interval: Interval) -> str:
    """Why no text could have this interval; empty if one could."""
    if interval.start < 0 or interval.end < 0:
        return f"{interval.start}–{interval.end} is negative"
    if interval.end < interval.start:
        return f"{interval.start}–{interval.end} ends before it begins"
    if interval.end > _MOST_OFFSET:
        return f"{interval.start}–{interval.end} is beyond any text"
    if interval.unit == "token":
        return "token offsets say nothing without the tokenizer that made them"
    if interval.unit not in {"codepoint", "utf16", "utf8"}:
        return "the unit is unknown"
    return ""


def _why_not(text: str, interval: Interval) -> str:
    size = len(text.encode("utf-8", "surrogatepass"))
    if interval.unit == "utf16":
        size = len(text) + len(_ASTRAL.findall(text))
    place = f"{interval.unit} {interval.start}–{interval.end}"
    if max(interval.start, interval.end) > size:
        return f"{place} reaches beyond the text, which ends at {size}"
    return f"{place} begins or ends inside a character"


def code_points(text: str, position: int, unit: str) -> int | None:
    """The position as a number of code points; None beyond the text or inside a character."""
    if unit == "utf16":
        # Where each character of two units ends, in units.
        ends = [match.start() + at + 2 for at, match in enumerate(_ASTRAL.finditer(text))]
        if position > len(text) + len(ends):
            return None
        passed = bisect_right(ends, position)
        inside = passed < len(ends) and ends[passed] - 1 == position
        return None if inside else position - passed
    data = text.encode("utf-8", "surrogatepass")
    if position > len(data):
        return None
    if position < len(data) and data[position] & 0xC0 == 0x80:
        return None
    return len(data[:position].decode("utf-8", "surrogatepass"))


def slice_digest(text: str, start: int, end: int) -> str:
    """`sha256:HEX` of a verified interval of the text (code points)."""
    return text_digest(text[start:end])
