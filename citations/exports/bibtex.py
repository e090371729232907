"""Works as BibTeX, to be read by BibTeX and by biblatex.

Braces, even escaped ones, are counted by BibTeX: those of the source become commands. Titles
stand in double braces, so that no style changes their capitals.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from citations.exports.csl import csl_type, names_of
from citations.exports.dates import iso, parts_of
from citations.exports.names import CslName, inverted
from citations.exports.remarks import notes_of
from citations.exports.works import Work
from citations.marks import needs_mark
from lineage.templatetags.product import web_address

MEDIA_TYPE: Final = "application/x-bibtex; charset=utf-8"

# Those that BibTeX's own styles do not know are its `misc`; biblatex knows all of them.
_TYPES: Final = {
    "article-journal": "article", "article-magazine": "article", "article-newspaper": "article",
    "book": "book", "chapter": "incollection", "paper-conference": "inproceedings",
    "report": "techreport", "thesis": "phdthesis", "webpage": "online", "post": "online",
    "post-weblog": "online", "dataset": "dataset", "software": "software", "patent": "patent",
}  # fmt: skip
# Where the place of publication is named in another field than `publisher`.
_PUBLISHED_BY: Final = {
    "techreport": "institution",
    "phdthesis": "school",
    "online": "organization",
}
_CONTAINED_IN: Final = {
    "article": "journal", "incollection": "booktitle", "inproceedings": "booktitle",
}  # fmt: skip
_COMMANDS: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{each: f"\\{each}" for each in "&%$#_"},
    }
)
_IN_ADDRESS: Final = {"{": "%7B", "}": "%7D", "\\": "%5C"}


def bibtex(works: Iterable[Work]) -> bytes:
    """The works as entries, in their order."""
    return "\n".join(_entry(work) for work in works).encode(errors="replace")


def _entry(work: Work) -> str:
    book = work.book
    kind = _TYPES.get(csl_type(work), "misc")
    names = names_of(work)
    issued = parts_of(book.published_at)
    container = _CONTAINED_IN.get(kind, "howpublished")
    fields = {
        "author": _names(names.get("author", ())),
        "editor": _names(names.get("editor", ())),
        "translator": _names(names.get("translator", ())),
        "title": "{" + escaped(book.title) + "}" if book.title else "",
        container: escaped(book.container_title),
        _PUBLISHED_BY.get(kind, "publisher"): escaped(
            book.publisher.name if book.publisher else ""
        ),
        "year": str(issued[0]) if issued else "",
        "date": iso(issued) if len(issued) > 1 else "",
        "version": escaped(book.version),
        "doi": _address(book.doi),
        "url": _address(web_address(book.uri)),
        "urldate": iso(work.accessed),
        "language": escaped(book.language),
        "note": escaped(". ".join(notes_of(work))),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join((f"@{kind}{{{_key(work)},", *lines, "}", ""))


def _key(work: Work) -> str:
    """First family name, year and part of the uid: readable, and no two works share one."""
    names = names_of(work).get("author", [])
    first = (names[0].get("family") or names[0]["literal"].split()[0]) if names else ""
    plain = unicodedata.normalize("NFKD", first).encode("ascii", "ignore").decode()
    year = iso(parts_of(work.book.published_at)[:1])
    word = re.sub(r"[^a-z0-9]", "", plain.lower())
    return f"{word}{year}{'-' if word or year else ''}{work.uid.partition('_')[2][:8] or work.uid}"


def _names(names: Iterable[CslName]) -> str:
    return " and ".join(_name(name) for name in names)


def _name(name: CslName) -> str:
    """A name in its parts; one that stands as stated in braces, so that no word of it is a part."""
    written = escaped(inverted(name))
    return f"{{{written}}}" if "literal" in name else written


def escaped(text: str | None) -> str:
    """Text that BibTeX and LaTeX print as it is; what nobody could see becomes its code."""
    one_line = " ".join((text or "").split())
    shown = "".join(f"U+{ord(each):04X}" if needs_mark(each) else each for each in one_line)
    return shown.translate(_COMMANDS)


def _address(text: str | None) -> str:
    """A DOI or URL, which is read verbatim: only what would end the field is changed."""
    return "".join(_IN_ADDRESS.get(each, each) for each in "".join((text or "").split()))
