"""Template tags for hits: what was found of a title or an excerpt is marked, all of it escaped."""

from collections.abc import Mapping
from typing import Final

from django import template
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from citations.marks import Span, pieces_of
from citations.templatetags.passages import apart, printed
from lineage.nodes.search_marks import Meanings, found_in

register = template.Library()

_PLURALS: Final[Mapping[str, Promise]] = {
    "answer": _("Answers"),
    "source": _("Sources"),
    "agent": _("Creators"),
    "component": _("Components"),
    "index_snapshot": _("Index snapshots"),
    "source_version": _("Versions of sources"),
}


@register.filter
def found(text: str | None, words: Meanings) -> SafeString:
    """A title or an excerpt with `<mark>` around what was asked for (`Found.words`)."""
    if not text:
        return SafeString("")
    spans = [Span(start, end) for start, end in found_in(text, words)]
    return apart(text, printed(pieces_of(text, spans)))


@register.filter
def of_kind(numbers: Mapping[str, int], kind: str) -> int:
    """How many of a kind, or in a state; 0 where none were found."""
    return numbers.get(kind, 0)


@register.filter
def plural(kind: str) -> str:
    """The heading of hits of a kind."""
    return str(_PLURALS.get(kind, kind))
