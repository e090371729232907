"""Template tags for nodes of the lineage: name, state, the lines that fit into a box."""

from django import template

from lineage.pages import words
from lineage.pages.names import name_of
from lineage.types import NodeView

register = template.Library()

_LINE = 17  # characters of the picture's text that fit into a box


@register.filter
def name(node: NodeView) -> str:
    """What the page calls the node."""
    return name_of(node)


@register.filter
def state_code(node: NodeView) -> str:
    """The state that a badge shows: hidden and unresolved go before the rest."""
    if node.hidden:
        return "hidden"
    if not node.resolved:
        return "unresolved"
    return node.state


@register.filter
def two_lines(node: NodeView) -> list[str]:
    """The name cut into at most two lines of a box: at a word where one ends late enough."""
    name = name_of(node)
    if len(name) <= _LINE:
        return [name]
    cut = name.rfind(" ", 0, _LINE + 1)
    first, rest = (
        (name[:cut], name[cut + 1 :]) if cut >= _LINE // 3 else (name[:_LINE], name[_LINE:])
    )
    return [first, rest if len(rest) <= _LINE else f"{rest[: _LINE - 1].rstrip()}…"]


@register.filter
def stage_name(stage: int) -> words.Text:
    """The title of a column, by its number from 1."""
    return words.STAGES[stage - 1]
