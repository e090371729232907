"""The ledger of an erasure in templates."""

from typing import Any

from django import template
from django.http import HttpRequest

from lineage.erasure.ledger import ErasureView, erasure_view
from lineage.pages.erasure_words import ERRORS, PLACES, PROBES, REMAINS, STATES, TARGET_KINDS
from lineage.pages.signs import Word
from lineage.pages.words import Text, text
from lineage.types import NotFound

register = template.Library()
_TABLES = {
    "place": PLACES,
    "error": ERRORS,
    "probe": PROBES,
    "remains": REMAINS,
    "target_kind": TARGET_KINDS,
}


@register.simple_tag(takes_context=True)
def erasure_of(context: dict[str, Any], case_uid: str) -> ErasureView | None:
    """The erasure of the case; None for another kind of case, and where nobody is signed in."""
    request: HttpRequest = context["request"]
    viewer = getattr(request, "viewer", None)
    if viewer is None:
        return None
    try:
        return erasure_view(viewer, case_uid)
    except NotFound:
        return None


@register.filter
def erasure_word(code: str, table: str) -> Text:
    """What a code of the ledger is called."""
    return text(_TABLES[table], code)


@register.filter
def place_state(state: str) -> Word:
    """The sign of a place's state."""
    return STATES[state]
