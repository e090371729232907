"""Citation markers and the numbers they name, as answers print them and prompts before passages.

One grammar for both: a passage that a prompt prints as "[doc-0] …" is what an answer's "[doc-0]"
cites. An answer's markers stand in brackets; a prompt also has "Document 4:" on a line, tags
(`<doc id=4>`), and a title between the number and its passage.
"""

import re
from dataclasses import dataclass
from typing import Final

# Ranges like [1-40] in prose are page or year spans more often than citations of them all.
_WIDEST_RANGE: Final = 20

_NUMBER: Final = r"[0-9]{1,3}"
_NAME: Final = (
    r"(?:doc|document|source|src|ref|reference|chunk|passage|context|citation|excerpt|extract"
    r"|snippet|result|documento|fonte|trecho|fuente|quelle)s?"
)
_WORD: Final = rf"(?:{_NAME}[ _:#-]{{0,2}}|(?-i:c))?"
_ONE: Final = rf"\^?{_WORD}{_NUMBER}"
_AND: Final = r"(?:[ \t]{0,3}[,;&–-][ \t]{0,3}|[ \t]{1,3}and[ \t]{1,3})"
_SOME: Final = rf"{_ONE}(?:{_AND}{_ONE})*"
_LINK: Final = r"\((?:https?:|/|\#)[^()\s]*\)"
_TO: Final = r"(?:[–-]|[ \t]–[ \t])(?=[\[【])"
# File search of OpenAI's: message and result, 【4:0†source】. Its prompt asks for the second number
# "from the search results" of the message that bears the first.
_OF_MESSAGE: Final = r"(?P<message>[0-9]{1,4}):"
_DETAIL: Final = r"(?:†[^】\n]{0,200})?"
# [1], [1, 2], [1-3], [1]–[3], [^1] (footnote), [doc-3, doc-4], [c1], [[1]], each perhaps as a
# Markdown link; 【1】, 【1†page】.
MARKER: Final = re.compile(
    rf"(?P<double>\[)?\[(?P<some>{_SOME})\](?(double)\])(?:{_LINK})?"
    rf"(?:{_TO}\[(?P<last>{_SOME})\](?:{_LINK})?)?"
    rf"|【(?:{_OF_MESSAGE})?(?P<broad>{_SOME}){_DETAIL}】"
    rf"(?:{_TO}【(?P<broad_last>{_SOME}){_DETAIL}】)?",
    re.IGNORECASE,
)
_LINKED: Final = re.compile(rf"(?<=\]){_LINK}")
_PART: Final = re.compile(rf"({_NUMBER})(?:[ \t]*[–-][ \t]*\^?{_WORD}({_NUMBER}))?", re.IGNORECASE)

# One passage's number in brackets, perhaps after a word: "[4]", "Document [4]", "【src 4】".
_BRACKETED: Final = rf"(?:{_NAME}[ \t]?)?(?:\[\^?{_WORD}({_NUMBER})\]|【(?:[0-9]{{1,4}}:)?{_WORD}({_NUMBER}){_DETAIL}】)"
# "Document 4", "Source #4", "Passage no. 4 of 9". A colon before the number ("chunk: 4") makes it
# a fact about the passage, as frameworks print its metadata.
_SPELLED: Final = (
    rf"\b{_NAME}[ \t]?(?:(?:no|nr)\.?|number)?[ \t]?[_#-]?({_NUMBER})(?![0-9])"
    r"(?:[ \t]?(?:of|/)[ \t]?[0-9]{1,4})?"
)
_TAG: Final = (
    rf"<{_NAME}(?:[_-]?({_NUMBER})\b[^<>\n]{{0,200}}"
    rf"|[ \t](?:[^<>\n]{{0,200}}[ \t])?(?:id|index|idx|n|no|nr|num|number)=[\"']?"
    rf"{_WORD}({_NUMBER})(?![\w.-])[^<>\n]{{0,200}})>"
)
_DECORATION: Final = r"[ \t>#*_=|–—-]{0,20}"
# What may stand between a number and its passage on one line: "[4]: …", "**Source 4** – …".
_AFTER: Final = r"[ \t]*[:.)|*_=–—-]{0,20}[ \t]*"
# Directly before the passage, on its line, wherever that line began.
_BESIDE: Final = re.compile(
    rf"(?:{_BRACKETED}{_AFTER}|{_SPELLED}[ \t]*[:.)|–—-]{_AFTER}|{_TAG}\s*)\Z", re.IGNORECASE
)
# "4. …" only counts where it begins the line of the passage itself.
_LISTED: Final = re.compile(rf"(?:^|\n){_DECORATION}\(?({_NUMBER})[.:)][ \t]*\Z")
# At the start of a line (or a tag, or after "Context: "), with no more than a title after it.
_HEADING: Final = re.compile(
    rf"(?:(?:^|:[ \t]){_DECORATION}(?:{_BRACKETED}|\({_WORD}({_NUMBER})\)"
    rf"|{_SPELLED}(?=[ \t]*(?:[:.)|*=(–—-]|$)))|{_TAG})",
    re.IGNORECASE | re.MULTILINE,
)
_TITLE_LINES: Final = 3
_TITLE: Final = 300  # code points between a number and its passage
# Code points before a passage in which its number is looked for.
LABEL_REACH: Final = 600


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation marker as printed ("[1, 2]") and the positions in the context that it names.

    `message` is the tool's message whose results, counted from 0, the positions are (【4:0†source】).
    """

    text: str
    positions: tuple[int, ...]
    message: int | None = None


def marker_of(match: re.Match[str]) -> Marker:
    """What a match of `MARKER` says; a match without numbers names no positions."""
    told = match.groupdict()
    some = [told[name] for name in ("some", "last", "broad", "broad_last") if told[name]]
    return Marker(
        text=_LINKED.sub("", match.group()) if some else match.group(),
        positions=_positions("–".join(some)),
        message=int(told["message"]) if told["message"] else None,
    )


def _positions(numbers: str) -> tuple[int, ...]:
    """The positions that "1, 3-5" names, each once, as printed."""
    found: dict[int, None] = {}
    for first, last in _PART.findall(numbers):
        low, high = int(first), int(last or first)
        within = 0 <= high - low <= _WIDEST_RANGE
        found.update(dict.fromkeys(range(low, high + 1) if within else (low, high)))
    return tuple(found)


def number_before(text: str) -> int | None:
    """The number under which a prompt prints the passage that follows `text`; None if unreadable.

    `text` is what stands between the passage before it, or the start of the prompt, and the passage.
    """
    beside = _BESIDE.search(text)
    if beside is not None:
        return _number_in(beside)
    found: int | None = None
    for heading in _HEADING.finditer(text):
        if _is_title(text[heading.end() :]):
            found = _number_in(heading)
    if found is None:
        listed = _LISTED.search(text)
        found = _number_in(listed) if listed is not None else None
    return found


def _number_in(match: re.Match[str]) -> int:
    return int(next(group for group in match.groups() if group))


def _is_title(between: str) -> bool:
    """Whether it is no more than a passage's title, source and the like."""
    lines = between.split("\n")
    blank = sum(not line.strip() for line in lines[1:-1])
    told = sum(any(c.isalnum() for c in line) for line in lines)
    return len(between) <= _TITLE and blank <= 1 and told <= _TITLE_LINES
