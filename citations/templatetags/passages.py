"""Template tags that print what people wrote: escaped, with invisible characters as visible marks."""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from django import template
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from citations.marks import Piece, needs_mark, pieces_of, runs_from_right
from citations.pages.reading import Marker, Stretch
from citations.rail import MarkerLink, RailPassage
from citations.shared_markers import all_printed, parts_of
from lineage.formats.scholarly import normal_orcid, normal_ror
from lineage.templatetags.product import bare_marker, figure, tone, word
from provexplorer.remembered_tags import address_of

register = template.Library()

_EMPTY = mark_safe("")
# Of a title in the name of a link.
_TITLE_LENGTH: Final = 80
_NO_LABELS: Final[Mapping[str, str]] = MappingProxyType({})


def _plain(pieces: Sequence[Piece]) -> SafeString:
    return format_html_join(
        "",
        "{}",
        (
            (
                format_html('<span class="control" title="{}">{}</span>', piece.mark, piece.text)
                if piece.mark
                else piece.text,
            )
            for piece in pieces
        ),
    )


@register.filter
def printed(pieces: Sequence[Piece]) -> SafeString:
    """Pieces as HTML; a highlighted stretch is one `<mark>`, even across visible marks."""
    if len(pieces) == 1 and not pieces[0].mark and not pieces[0].highlighted:
        return escape(pieces[0].text)
    parts: list[SafeString] = []
    at = 0
    while at < len(pieces):
        end = at + 1
        while end < len(pieces) and pieces[end].highlighted == pieces[at].highlighted:
            end += 1
        text = _plain(pieces[at:end])
        parts.append(format_html("<mark>{}</mark>", text) if pieces[at].highlighted else text)
        at = end
    return mark_safe("".join(parts))  # noqa: S308 - each part was escaped above


@register.filter
def orcid_address(stated: str | None) -> str:
    """Where an ORCID leads; empty for what is none, which may stand in no link."""
    orcid = normal_orcid(stated or "")
    return f"https://orcid.org/{orcid}" if orcid else ""


@register.filter
def ror_address(stated: str | None) -> str:
    """Where a ROR leads, as `orcid_address`."""
    return normal_ror(stated or "")


@register.filter
def visible(text: str | None) -> SafeString:
    """A title, name or other single string of a client, as `printed` does with pieces.

    What is written from right to left stands by itself (`<bdi>`): a full stop after it, a marker
    before it and the words of the page around it keep their places.
    """
    return apart(str(text), printed(pieces_of(str(text)))) if text else _EMPTY


def apart(text: str, html: SafeString) -> SafeString:
    """The text as it is printed, in an element of its own where it runs from right to left."""
    return format_html("<bdi>{}</bdi>", html) if runs_from_right(text) else html


@register.simple_tag
def opens(stretch: Stretch, paragraph: int) -> SafeString:
    """The markers of a stretch, each of which opens its card below the paragraph with this number.

    Here, not in a template: an answer has hundreds of them.
    """
    return _in_print(stretch, lambda marker: _opener(marker, paragraph, stretch.segment.printed))


@register.simple_tag
def leads(stretch: Stretch, here: Collection[str], base: str = "") -> SafeString:
    """The markers of a stretch on paper: each leads to its card if that is `here`, else to the site at `base`."""
    return _in_print(stretch, lambda marker: _leader(marker, here, base))


def _in_print(stretch: Stretch, written: Callable[[Marker], SafeString]) -> SafeString:
    """Markers one after another; what several share is printed once, with each one's label in it or behind it."""
    if len(stretch.markers) == 1:
        return written(stretch.markers[0])
    of = {marker.card.uid: marker for marker in stretch.markers}
    labels = {uid: marker.label for uid, marker in of.items()}
    marker = stretch.markers[0].card.marker
    parts = parts_of(marker, labels)
    if not all_printed(parts, labels):
        chips = format_html_join("", "{}", ((written(each),) for each in stretch.markers))
        return format_html('<span class="printed-marker">{}</span>{}', visible(marker), chips)
    return format_html_join(
        "",
        "{}",
        (
            (
                written(of[part.citation_uid])
                if part.citation_uid is not None
                else format_html('<span class="printed-marker">{}</span>', visible(part.text)),
            )
            for part in parts
        ),
    )


def _opener(marker: Marker, paragraph: int, printed_there: bool) -> SafeString:  # noqa: FBT001 - one of two looks
    card = marker.card
    title = card.bibliography.title if card.bibliography is not None else None
    status = word(card.status.code, "source")
    named = _named(card.marker, marker.label)
    if title:
        short = title if len(title) <= _TITLE_LENGTH else Truncator(title).chars(_TITLE_LENGTH)
        said = _("Citation %(marker)s: %(title)s. %(status)s") % {
            "marker": named, "title": visible_text(short), "status": status,
        }  # fmt: skip
    else:
        said = _("Citation %(marker)s. %(status)s") % {"marker": named, "status": status}
    return format_html(
        '<a class="marker marker-{}{}" href="{address}" hx-get="{address}" hx-target="#{slot}"'
        ' aria-expanded="{}" aria-controls="{slot}" data-lights="{uid}" data-citations="{uid}"'
        ' aria-label="{}">{}</a>',
        tone(card.status.code, "source"),
        "" if printed_there else " added",
        "true" if marker.opened else "false",
        said,
        visible(marker.label or bare_marker(card.marker)),
        address=address_of("citation", card.uid),
        slot=f"card-{paragraph}",
        uid=card.uid,
    )


def _leader(marker: Marker, here: Collection[str], base: str) -> SafeString:
    card = marker.card
    address = f"#{card.uid}" if card.uid in here else base + address_of("citation", card.uid)
    return format_html(
        '<a class="marker marker-{}" href="{}" aria-label="{}">{}</a>',
        tone(card.status.code, "source"),
        address,
        _("Citation %(marker)s") % {"marker": _named(card.marker, marker.label)},
        visible(marker.label or card.marker),
    )


def _named(marker: str, label: str) -> str:
    """A marker in the name of a link; of several that share it, with what tells them apart."""
    return visible_text(f"{marker} ({label})" if label else marker)


@register.simple_tag
def cites(
    link: MarkerLink, tone_class: str = "", labels: Mapping[str, str] = _NO_LABELS
) -> SafeString:
    """A marker beside the answer, which leads to its citation; `labels` of those that share one."""
    label = labels.get(link.citation_uid, "")
    return format_html(
        '<a class="marker{}" href="{}" aria-label="{}">{}</a>',
        f" {tone_class}" if tone_class else "",
        address_of("citation", link.citation_uid),
        _("Citation %(marker)s") % {"marker": _named(link.marker, label)},
        visible(label or bare_marker(link.marker)),
    )


@register.filter
def labelled(labels: Mapping[str, str], citation_uid: str) -> str:
    """What tells a citation from others under its marker, to stand behind the marker; else nothing."""
    label = labels.get(citation_uid)
    return f" ({label})" if label else ""


@register.simple_tag
def retrieved(passage: RailPassage, base: str = "") -> SafeString:
    """A passage that is not cited in one line: place, rank, score, why it was dropped.

    `base`: the site's address, where the line is read elsewhere. Here, not in a template: an answer lists dozens of them.
    """
    candidate = passage.candidate
    ranked = (
        _("rank %(rank)s") % {"rank": candidate.rank}
        if candidate is not None and candidate.rank is not None
        else ""
    )
    if passage.position:
        name = _("position %(position)s") % {"position": passage.position}
    else:
        name = ranked or _("passage")
    said = f" ({_('truncated')})" if passage.truncated else ""
    if candidate is not None:
        if passage.position and ranked:
            said += f" · {ranked}"
        if candidate.rerank_rank is not None:
            said += f" → {_('reranked %(rank)s') % {'rank': candidate.rerank_rank}}"
        if candidate.score is not None:
            said += f" · {word(candidate.score_kind, 'score_name')} {figure(candidate.score)}"
        if not passage.position:
            said += f" · {word(candidate.drop_reason or 'not_in_context', 'drop')}"
    address = base + address_of("passage", passage.chunk_uid)
    return format_html('<a href="{}">{}</a>{}', address, name, said)


@register.filter
def visible_text(text: str | None) -> str:
    """Invisible characters as their code where no markup can stand: in attributes, titles, options, SVG."""
    said = str(text) if text else ""
    return "".join(f"U+{ord(each):04X}" if needs_mark(each) else each for each in said)
