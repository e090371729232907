"""Template tags for the picture of a lineage: addresses of its next states, marks of states, words of lines."""

from collections.abc import Mapping, Sized
from typing import Final

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import pgettext_lazy

from lineage.pages import icons, signs, words
from lineage.pages.picture_address import Direction, PictureAddress
from lineage.types import NodeView

register = template.Library()

_DERIVED = pgettext_lazy("line", "made from")
# Width and dashes of each kind of line.
_DRAWN: Final[Mapping[str, tuple[str, str]]] = {
    "cited": ("2.4", "none"),
    "in_context": ("1.6", "11 3"),
    "derived": ("0.8", "none"),
    "produced": ("1.4", "8 3 2 3"),
    "retrieved": ("1.2", "4 4"),
    "possible": ("1.7", "1.5 4"),
    "served": ("1.4", "14 3 2 3 2 3"),
}
_LEGEND_WIDTH: Final = 150
# States that a box shows without a mark.
_USUAL = frozenset({"active", "current"})


@register.filter
def opening(address: PictureAddress, kind: str) -> str:
    """The query, with its "?", with a kind's bundle open, or further open."""
    return _asked(address.opening(kind))


@register.filter
def closing(address: PictureAddress, kind: str) -> str:
    """The query, with its "?", with a kind's bundle closed."""
    return _asked(address.closing(kind))


@register.filter
def turned(address: PictureAddress, direction: Direction) -> str:
    """The query, with its "?", of the same in another direction."""
    return _asked(address.turned(direction))


@register.filter
def to_depth(address: PictureAddress, depth: int) -> str:
    """The query, with its "?", of the same with another depth."""
    return _asked(address.to_depth(depth))


@register.filter
def fields_beside(address: PictureAddress, kind: str) -> list[tuple[str, str]]:
    """The hidden fields of the form that looks for words in a kind."""
    return address.fields_beside(kind)


@register.filter
def state_mark(node: NodeView) -> str:
    """The path of the icon that a box shows for its state, on a 16 × 16 grid; empty for the usual states."""
    code = _state(node)
    return "" if code in _USUAL else icons.PATHS[signs.word(signs.NODE_STATES, code).icon]


@register.filter
def state_tone(node: NodeView) -> str:
    """The tone of that mark."""
    return signs.word(signs.NODE_STATES, _state(node)).tone


@register.filter
def state_word(node: NodeView) -> words.Text:
    """The state in words; empty for the usual states."""
    code = _state(node)
    return "" if code in _USUAL else signs.word(signs.NODE_STATES, code).label


@register.filter
def line_word(line: str) -> words.Text:
    """What a kind of line says: a grade, or that one thing was made from another."""
    return _DERIVED if line == "derived" else signs.word(signs.GRADES, line).label


@register.filter
def drawn(line: str) -> SafeString:
    """Width and dashes of a kind of line as attributes, where no style sheet can be: as in lineage.css."""
    width, dashes = _DRAWN[line]
    return format_html('stroke-width="{}" stroke-dasharray="{}"', width, dashes)


@register.filter
def legend_place(at: int) -> int:
    """Where an entry of the legend begins, by its number from 0."""
    return at * _LEGEND_WIDTH


@register.filter
def less(total: int, listed: Sized) -> int:
    """How many of a total are not listed."""
    return total - len(listed)


@register.filter
def in_xml(text: str) -> str:
    """A text as XML may hold it: the two noncharacters that it refuses are left out."""
    return str(text).replace("\ufffe", "").replace("\uffff", "")


def _asked(query: str) -> str:
    """Empty for no query: an address must not end in a bare question mark."""
    return f"?{query}" if query else ""


def _state(node: NodeView) -> str:
    if node.hidden:
        return "hidden"
    return node.state if node.resolved else "unresolved"
