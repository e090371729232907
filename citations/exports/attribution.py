"""Attribution as licences ask for it: title, author, source and licence, with version and day of retrieval.

Only what the source states is in it; what is missing is told beside it and never filled in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from citations.bibliography import Bibliography
from citations.exports.dates import day_of, iso, parts_of
from citations.exports.markdown import escaped
from citations.exports.works import Work
from citations.marks import pieces_of
from citations.rights import Licence
from citations.source import SourcePage
from citations.stated import instant
from lineage.templatetags.product import web_address
from lineage.types import JsonValue

Missing = Literal["title", "creator", "licence"]

_DOI: Final = "https://doi.org/"


class _Part(NamedTuple):
    """A piece of the sentence; with an address it is a link."""

    text: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Attribution:
    """One sentence that gives credit, as text, HTML and Markdown; all three say the same.

    `missing`: what the source does not state and an attribution should have.
    """

    parts: tuple[_Part, ...]
    missing: tuple[Missing, ...]

    @property
    def text(self) -> str:
        """Addresses stand in brackets behind what they are the address of."""
        return "".join(
            f"{part.text} ({part.address})"
            if part.address and part.address != part.text
            else part.text
            for part in self.parts
        )

    @property
    def html(self) -> SafeString:
        """Inline HTML, to stand in any element."""
        return format_html_join(
            "",
            "{}",
            (
                (
                    format_html('<a href="{}">{}</a>', part.address, part.text)
                    if part.address
                    else escape(part.text),
                )
                for part in self.parts
            ),
        )

    @property
    def markdown(self) -> str:
        """One line of CommonMark."""
        return "".join(
            f"[{escaped(part.text)}](<{part.address}>)" if part.address else escaped(part.text)
            for part in self.parts
        )


def attribution_of(book: Bibliography, retrieved_at: datetime | None = None) -> Attribution:
    """The attribution of a version of a work; `retrieved_at`: when its text was fetched or retrieved."""
    missing: list[Missing] = []
    parts: list[_Part] = []
    title, address = _shown(book.title), _address(book)
    if title:
        # Translators: a title in quotation marks.
        parts.append(_Part(_("“%(title)s”") % {"title": title}, address))
    else:
        missing.append("title")
        parts.append(_Part(_("Work without a stated title"), address))
    names = [_shown(each.name) for each in book.creators if each.role == "creator" and each.name]
    if names:
        parts.append(_Part(" " + _("by %(names)s") % {"names": _listed(names)}))
    else:
        missing.append("creator")
    if edition := _edition(book):
        parts.append(_Part(f" ({edition})"))
    if origin := _shown(book.container_title or (book.publisher.name if book.publisher else None)):
        parts.append(_Part(f", {origin}"))
    parts.append(_Part(". "))
    if book.license is None:
        missing.append("licence")
        parts.append(_Part(_("Licence not stated.")))
    else:
        parts += _licence(book.license)
    if retrieved_at is not None:
        day = iso(day_of(retrieved_at))
        parts.append(_Part(" " + _("Retrieved %(date)s.") % {"date": day}))
    return Attribution(tuple(_merged(parts)), tuple(missing))


def attributed_works(works: Sequence[Work]) -> list[Attribution]:
    """Of each work that an answer or a citation leads to."""
    return [attribution_of(work.book, work.fetched_at or work.retrieved_at) for work in works]


def attributed_source(page: SourcePage) -> list[Attribution]:
    """Of the newest version of a source; none of one that is hidden."""
    if page.bibliography is None:
        return []
    fetched = (instant(row.fetched_at) for row in page.acquisitions)
    return [attribution_of(page.bibliography, next((at for at in fetched if at), None))]


def attributions_html(some: Sequence[Attribution]) -> SafeString:
    """Several as one list of HTML, with the language that they are in."""
    items = format_html_join("", "<li>{}</li>\n", ((each.html,) for each in some))
    return format_html('<ul lang="{}">\n{}</ul>\n', get_language() or "en", items)


def attributions_markdown(some: Sequence[Attribution]) -> str:
    """Several as one list of CommonMark."""
    return "".join(f"- {each.markdown}\n" for each in some)


def attributions_json(some: Sequence[Attribution]) -> dict[str, JsonValue]:
    """Each in its three forms, with what is missing."""
    return {
        "items": [
            {
                "text": each.text,
                "html": str(each.html),
                "markdown": each.markdown,
                "missing": list(each.missing),
            }
            for each in some
        ]
    }


def attributions_text(some: Sequence[Attribution]) -> str:
    """Several as plain text, one a line."""
    return "".join(f"{each.text}\n" for each in some)


def _licence(licence: Licence) -> list[_Part]:
    named = licence.spdx or licence.as_stated
    if licence.public_domain and licence.spdx is None:
        return [_Part(_("Public domain, as stated: %(words)s.") % {"words": _shown(named)})]
    before, _name, after = _("Licence: %(licence)s.").partition("%(licence)s")
    if not licence.operator:
        return [_Part(before), _Part(_short(named), web_address(licence.url)), _Part(after)]
    joint = (
        pgettext("licence", " or ") if licence.operator == "OR" else pgettext("licence", " and ")
    )
    several: list[_Part] = []
    for part in licence.parts:
        several += [_Part(joint)] if several else []
        several.append(_Part(_short(part.text), part.url or ""))
    return [_Part(before), *several, _Part(after)]


def _short(named: str) -> str:
    """A licence of Creative Commons as these write it: CC BY-SA 4.0."""
    shown = _shown(named)
    if not shown.startswith("CC-BY-") or " " in shown:
        return shown
    terms, _dash, version = shown.removeprefix("CC-").rpartition("-")
    if not version[:1].isdigit():
        terms, _dash, number = terms.rpartition("-")
        version = f"{number} {version}"
    return f"CC {terms} {version}"


def _edition(book: Bibliography) -> str:
    version = _shown(book.version)
    published = iso(parts_of(book.modified_at or book.published_at))
    said = _("version %(version)s") % {"version": version} if version else ""
    # A version that is named by its day says it already.
    return ", ".join(filter(None, (said, published if published not in version else "")))


def _address(book: Bibliography) -> str:
    if book.doi:
        return web_address(f"{_DOI}{book.doi}") or ""
    return web_address(book.uri) or ""


def _listed(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return pgettext("names", "%(names)s and %(last)s") % {
        "names": "; ".join(names[:-1]),
        "last": names[-1],
    }


def _shown(text: str | None) -> str:
    """On one line, with invisible characters as visible marks."""
    return " ".join("".join(piece.text for piece in pieces_of(text or "")).split())


def _merged(parts: Sequence[_Part]) -> list[_Part]:
    """Neighbours without an address as one, so that Markdown sees where a line begins."""
    merged: list[_Part] = []
    for part in parts:
        if merged and not part.address and not merged[-1].address:
            merged[-1] = _Part(merged[-1].text + part.text)
        elif part.text:
            merged.append(part)
    return merged
