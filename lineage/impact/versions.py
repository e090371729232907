"""The order of versions, whatever scheme a component follows: the *natural order*.

A leading "v" is dropped, and what follows a "+" (build metadata). The rest is read as
numbers and words, whatever parts them; numbers are compared as numbers, so that 3.10 comes
after 3.9. Zeros at the end of the leading numbers say nothing: 3.2 and 3.2.0 are equal. The
words of pre-releases (dev, alpha, beta, rc, …) come before the release, other words after it:

    3.2.dev1 < 3.2-alpha < 3.2-beta2 < 3.2rc1 < 3.2 = v3.2.0 < 3.2.post1 < 3.2.1 < 3.10

Dates order as they should. A version without any digit ("latest") equals itself and is in no
order with others.
"""

import re
from typing import Final

_PARTS: Final = re.compile(r"[0-9]+|[^\W\d_]+")
# Longer ones are no versions; also bounds what one comparison costs.
_LONGEST: Final = 200
# PEP 440 and SemVer name these; in their order.
_BEFORE: Final = {
    word: order
    for order, words in enumerate(
        (("dev", "snapshot", "nightly"), ("a", "alpha"), ("b", "beta"), ("c", "rc", "pre", "preview"))
    )
    for word in words
}  # fmt: skip
_PRE, _END, _WORD, _NUMBER = range(4)

Key = tuple[tuple[int, int, str], ...]


def natural_key(version: str) -> Key:
    """What versions are compared by; see the module. Equal keys: equal versions."""
    text = version.strip().casefold()[:_LONGEST].partition("+")[0]
    if text[:1] == "v" and text[1:2].isdecimal():
        text = text[1:]
    parts: list[str] = _PARTS.findall(text)
    leading = next((at for at, part in enumerate(parts) if not part.isdecimal()), len(parts))
    kept = leading
    while kept and not int(parts[kept - 1]):
        kept -= 1
    key = [_part(part) for part in (*parts[:kept], *parts[leading:])]
    return (*key, (_END, 0, ""))


def within(version: str, least: str, most: str) -> bool:
    """Whether a version lies between two others, both included; an empty bound bounds nothing.

    A version without a digit is within bounds only where one of them is that version.
    """
    if not least and not most:
        return True
    if version and version.strip().casefold() in {least.casefold(), most.casefold()}:
        return True
    if not _has_digit(version):
        return False
    key = natural_key(version)
    # A bound without a digit is met by itself alone, as above.
    if any(bound and not _has_digit(bound) for bound in (least, most)):
        return False
    return not (least and key < natural_key(least)) and not (most and key > natural_key(most))


def reversed_bounds(least: str, most: str) -> bool:
    """Whether `least` comes after `most`; bounds that are empty or in no order do not."""
    return _has_digit(least) and _has_digit(most) and natural_key(least) > natural_key(most)


def _has_digit(version: str) -> bool:
    return any(part.isdecimal() for part in _PARTS.findall(version[:_LONGEST]))


def _part(part: str) -> tuple[int, int, str]:
    if part.isdecimal():
        return _NUMBER, int(part), ""
    if part in _BEFORE:
        return _PRE, _BEFORE[part], ""
    return _WORD, 0, part
