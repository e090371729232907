"""What a Web Annotation selector selects in the text of a document."""

from collections.abc import Mapping
from dataclasses import dataclass

from lineage.content.graphemes import whole
from lineage.content.locate import AMBIGUOUS, NOWHERE, Located, locate
from lineage.formats.selectors import PageStep, PositionStep, QuoteStep, Selected, Step, UnknownStep
from lineage.vocabulary import Anchor

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Quoted:
    """Words to be found within a part of the text."""

    within: Place
    words: QuoteStep


def resolve(text: str, selected: Selected, pages: Mapping[int, Place]) -> Located:
    """The only place that the alternatives select (code points); ambiguous or nowhere without one.

    `pages`: where pages (by index, from 0) stand in the text. Words count for more than
    positions: a position tells equal words apart, and counts alone only where nothing is
    quoted. Alternatives that select different places select none.
    """
    quoted: list[_Quoted] = []
    positions: list[Place] = []
    for path in selected.paths:
        found = _narrowed(text, path, pages)
        if isinstance(found, _Quoted):
            quoted.append(found)
        elif found is not None:
            positions.append(found)
    if quoted:
        return _agreed([_find(text, one, positions) for one in quoted], positions)
    if not positions:
        return NOWHERE
    (start, end), *others = positions
    if any(other != (start, end) for other in others):
        return AMBIGUOUS
    if not (start < end and whole(text, start, end)):
        return NOWHERE
    return Located(start, end, Anchor.EXACT)


def _narrowed(
    text: str, path: tuple[Step, ...], pages: Mapping[int, Place]
) -> _Quoted | Place | None:
    """The part that a path selects, its last words not yet looked for; None where it is not known."""
    within: Place | None = (0, len(text))
    for at, step in enumerate(path):
        last = at == len(path) - 1
        match step:
            case QuoteStep():
                if last:
                    # Where the part around is unknown, the words have to be unique in all of it.
                    return _Quoted(within or (0, len(text)), step)
                found = _find(text, _Quoted(within or (0, len(text)), step), ())
                if found.start is None or found.end is None:
                    return None
                within = found.start, found.end
            case PositionStep(start, end):
                if within is None or within[0] + end > within[1]:
                    return None
                within = within[0] + start, within[0] + end
                if last:
                    return within
            case PageStep(index):
                within = pages.get(index)
            case UnknownStep():
                within = None
    return None


def _find(text: str, quoted: _Quoted, positions: list[Place] | tuple[()]) -> Located:
    """The only place of the words; of several the one that a position names.

    None where a position names these very words elsewhere: within one visible character.
    """
    start, end = quoted.within
    words = quoted.words
    found = locate(text[start:end], words.exact, prefix=words.prefix, suffix=words.suffix)
    named = {place for place in positions if text[place[0] : place[1]] == words.exact}
    if found.anchor is not Anchor.AMBIGUOUS:
        found = found.moved(start)
        return (
            AMBIGUOUS if named - {(found.start, found.end)} and found.start is not None else found
        )
    return Located(*named.pop(), Anchor.EXACT) if len(named) == 1 else AMBIGUOUS


def _agreed(found: list[Located], positions: list[Place]) -> Located:
    """One place of all alternatives that have one; relocated where a position says otherwise."""
    placed = [one for one in found if one.start is not None and one.end is not None]
    if not placed:
        return AMBIGUOUS if AMBIGUOUS in found else NOWHERE
    first = placed[0]
    if any((one.start, one.end) != (first.start, first.end) for one in placed):
        return AMBIGUOUS
    if positions and (first.start, first.end) not in positions:
        return Located(first.start, first.end, Anchor.RELOCATED, first.similarity)
    return first
