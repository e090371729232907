"""Template tags that print a difference: told by words and lines, never by colour alone."""

import json
from collections.abc import Sequence
from typing import Final

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma
from django.template import Context
from django.utils.html import format_html, format_html_join, strip_tags
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from citations.difference_pages import Row, Shown
from citations.differences import Kind
from citations.templatetags.passages import printed, visible_text
from citations.versions import DocumentPlace, Version, newest_that_stays
from lineage.templatetags.product import day, names_day
from lineage.types import JsonValue
from provexplorer.remembered_tags import address_of

register = template.Library()

# Of a version's word for itself, in a list to choose from.
_NAME_LENGTH: Final = 60
_MOST_SAID: Final = 300


@register.simple_tag
def compared(row: Sequence[Shown]) -> SafeString:
    """Words of one row; a screen reader hears where something was removed or added, and its end.

    Here, not in a template: a page has hundreds of them.
    """
    said = {Kind.REMOVED: _("removed:"), Kind.ADDED: _("added:")}
    tags = {Kind.REMOVED: "del", Kind.ADDED: "ins"}
    return format_html_join(
        "",
        "{}{}",
        (
            (
                format_html(
                    '<{tag}><span class="unseen">[{} </span>{}<span class="unseen">]</span></{tag}>',
                    said[each.kind],
                    printed(each.pieces),
                    tag=tags[each.kind],
                )
                if each.kind in said
                else printed(each.pieces),
                each.space,
            )
            for each in row
        ),
    )


@register.filter
def folded_words(row: Row) -> str:
    """How many words are folded, and what has become of them."""
    words = {"words": intcomma(row.folded)}
    if row.kind is Kind.REMOVED:
        return ngettext("%(words)s word removed", "%(words)s words removed", row.folded) % words
    if row.kind is Kind.ADDED:
        return ngettext("%(words)s word added", "%(words)s words added", row.folded) % words
    return ngettext("%(words)s word unchanged", "%(words)s words unchanged", row.folded) % words


@register.simple_tag
def stands_at(documents: Sequence[DocumentPlace], place: int) -> str:
    """The address at which the text of a version is read from a place on; empty where none is known."""
    before = [each for each in documents if each.start <= place]
    if not before:
        return ""
    document = before[-1]
    return f"{address_of('passage', document.uid)}?start={place - document.start}"


@register.filter
def names_version(version: Version) -> str:
    """The word that a version has for itself and the day it states, as plain text."""
    at = strip_tags(day(version.at)) if version.at else ""
    name = Truncator(visible_text(version.name)).chars(_NAME_LENGTH) if version.name else ""
    if name and (not at or names_day(version.name, version.at)):
        return name
    return f"{name}, {at}" if name else at or _("Version without a name")


@register.filter
def signals(said: JsonValue) -> str:
    """What an origin says of rights (TDM reservation, robots and the like), on one line, by name."""
    if isinstance(said, dict):
        pairs = (f"{name}: {_plainly(said[name])}" for name in sorted(said))
        return "; ".join(pairs)[:_MOST_SAID]
    if isinstance(said, list) and all(isinstance(each, dict) and "signal" in each for each in said):
        told = (f"{each['signal']}: {_plainly(each.get('value'))}" for each in said)
        return "; ".join(told)[:_MOST_SAID]
    return _plainly(said)[:_MOST_SAID] if said not in (None, "", []) else ""


def _plainly(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@register.simple_tag(takes_context=True)
def readable_instead(context: Context, uid: str) -> Version | None:
    """What the viewer may read instead of something erased; None where the page has no viewer.

    A tag, since the guard before every page, which shows the tombstone, knows nothing of texts.
    """
    viewer = getattr(context.get("request"), "viewer", None)
    return newest_that_stays(viewer, uid) if viewer is not None else None
