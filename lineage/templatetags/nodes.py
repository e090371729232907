"""Template tags for nodes of the lineage: name, state, the lines that fit into a box."""

import textwrap

from django import template

from lineage.pages import words
from lineage.pages.names import name_of
from lineage.types import NodeView

register = template.Library()

_LINE = 18  # characters of the picture's text that fit into a box


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
    """The name cut into at most two lines of a box, at words where that is possible."""
    return textwrap.wrap(name_of(node), _LINE, max_lines=2, placeholder="…", break_long_words=True)


@register.filter
def stage_name(stage: int) -> words.Text:
    """The title of a column, by its number from 1."""
    return words.STAGES[stage - 1]
