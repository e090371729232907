"""Template tags for hits: what was found of a title or an excerpt is marked, all of it escaped."""

from django import template
from django.utils.safestring import SafeString

from citations.marks import Span, pieces_of
from citations.templatetags.passages import printed
from lineage.nodes.search_marks import Meanings, found_in

register = template.Library()


@register.filter
def found(text: str | None, words: Meanings) -> SafeString:
    """A title or an excerpt with `<mark>` around what was asked for (`Found.words`)."""
    if not text:
        return SafeString("")
    return printed(pieces_of(text, [Span(start, end) for start, end in found_in(text, words)]))


@register.filter
def of_kind(numbers: dict[str, int], kind: str) -> int:
    """How many of a kind, or in a state; 0 where none were found."""
    return numbers.get(kind, 0)
