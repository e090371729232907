"""References in the styles of the CSL project, rendered by citeproc-py."""

import copy
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle
from citeproc.source.json import CiteProcJSON
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from citations.exports import csl_elements, formatter
from citations.exports.csl import csl_item, names_of
from citations.exports.remarks import remarks_of
from citations.exports.works import Work
from citations.marks import needs_mark
from citations.rail import MarkerLink
from citations.status import Status
from lineage.types import JsonValue

__all__ = ["DEFAULT_STYLE", "MOST_STYLED", "STYLES", "Reference", "csl_elements", "references"]

# Code of the address → file and name. Names of standards are not translated.
STYLES: Final = {
    "apa": ("apa.csl", "APA 7"),
    "chicago": ("chicago-author-date.csl", "Chicago 18"),
    "ieee": ("ieee.csl", "IEEE"),
    "abnt": ("abnt.csl", "ABNT NBR 6023"),
}
DEFAULT_STYLE: Final = "apa"
# Works that one page shows in a style: a reference takes up to a tenth of a second.
MOST_STYLED: Final = 25
_FOLDER: Final = Path(__file__).parent / "styles"
_LOCALES: Final = {"pt-br": "pt-BR"}
_NUMBERED: Final = re.compile(r"^\[\d+\]\s*")
# A style joins parts that end in a stop or comma already: of two, the second is meant.
_STOPS: Final = re.compile(r"[.,]([\ue000-\ue003\ue00f]*)\s+([\ue000-\ue003\ue00f]*)([.,])(?=\s|$)")
_TWO_STOPS: Final = re.compile(
    r"(?<!\.)\.([\ue000-\ue003\ue00f]*)\.(?=[\ue000-\ue003\ue00f]*(?:\s|$))"
)
# A stop or comma that the style puts behind its closing quotation mark, and a mark that ends a sentence before that.
_BEHIND_QUOTE: Final = re.compile(
    r"(?P<ended>[.?!])?(?P<signs>[\ue000-\ue003\ue00f]*)”(?P<stop>[.,])(?=[\ue000-\ue003\ue00f]*(?:\s|$))"
)
# Behind a stop or comma of the source's own words, so that these stay as they are.
_OWN_STOP: Final = "\ue00e"


@dataclass(frozen=True, slots=True)
class Reference:
    """A work in a style, with what every reference says beside it (`remarks`)."""

    uid: str
    html: SafeString
    text: str
    remarks: tuple[str, ...]
    citations: tuple[MarkerLink, ...]
    status: Status


def references(works: Sequence[Work], style: str) -> list[Reference]:
    """The works in a style of STYLES, in their order and in the reader's language.

    Nothing is numbered: what an answer prints as [7] stays [7]. Beyond MOST_STYLED works
    the title alone is told; of a work that states neither title nor names, its uid.
    """
    language = get_language() or "en"
    loaded = _style(STYLES[style][0], _LOCALES.get(language, "en-US"))
    found = []
    for at, work in enumerate(works):
        told = work.book.title or names_of(work)
        rendered = _rendered(work, loaded) if told and at < MOST_STYLED else ""
        rendered = rendered or str(_shown(work.book.title or work.uid))
        if language.startswith("pt"):
            # The locale of the CSL project has the day's ordinal in the wrong gender.
            rendered = rendered.replace("1ª de ", "1º de ")
        found.append(
            Reference(
                uid=work.uid,
                html=formatter.as_html(rendered),
                text=formatter.as_text(rendered),
                remarks=tuple(remarks_of(work)),
                citations=work.citations,
                status=work.status,
            )
        )
    return found


class _Item(CitationItem):  # type: ignore[misc]
    """What is cited; a style asks for its reference some hundred times a work, so it is kept."""

    @cached_property
    def reference(self) -> Any:
        """The fields of the work."""
        return super().reference


def _style(file: str, locale: str) -> Any:
    """The style of a file; made for each call, for it carries the state of what is rendered."""
    path = _FOLDER / file
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CitationStylesStyle(str(path), locale=locale, validate=False)


def _rendered(work: Work, style: Any) -> str:
    item = _shown(csl_item(work))
    # Neither prints in a reference list; the library warns of what it does not know.
    for name in ("custom", "status", "locator", "PMID"):
        item.pop(name, None)
    if not item.keys() & {"URL", "DOI"}:
        # A day of access is that of an address.
        item.pop("accessed", None)
    key = str(item["id"]).lower()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = CiteProcJSON([copy.deepcopy(item)])
        bibliography = CitationStylesBibliography(style, source, formatter)
        bibliography.register(Citation([_Item(key)]))
        rendered = "".join(str(each) for each in bibliography.bibliography())
    rendered = _NUMBERED.sub("", rendered.strip())
    if style.root.get_locale_option("punctuation-in-quote") == "true":
        # The library knows the option, and does nothing about it.
        rendered = _BEHIND_QUOTE.sub(_inside, rendered)
    return _TWO_STOPS.sub(r".\1", _STOPS.sub(r"\1\2\3", rendered))


def _inside(match: re.Match[str]) -> str:
    """The stop or comma before the closing quotation mark; no stop after what ends a sentence."""
    ended = match["ended"] or ""
    stop = "" if ended and match["stop"] == "." else match["stop"]
    return f"{ended}{stop}{match['signs']}”"


def _shown(value: JsonValue) -> JsonValue:
    """A client's words as a page shows them: no signs of the formatter's, no invisible characters."""
    if isinstance(value, dict):
        return {name: _shown(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_shown(each) for each in value]
    if not isinstance(value, str):
        return value
    shown = "".join(f"U+{ord(each):04X}" if needs_mark(each) else each for each in value)
    return shown.replace(". ", f".{_OWN_STOP} ").replace(", ", f",{_OWN_STOP} ")
