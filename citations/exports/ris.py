"""Works in RIS, the tagged format of reference managers: one tag a line, CRLF, UTF-8."""

from collections.abc import Iterable, Iterator
from typing import Final

from citations.exports.csl import csl_type, names_of
from citations.exports.dates import parts_of
from citations.exports.names import inverted
from citations.exports.remarks import notes_of
from citations.exports.works import Work
from citations.marks import needs_mark
from lineage.templatetags.product import web_address

MEDIA_TYPE: Final = "application/x-research-info-systems; charset=utf-8"

_TYPES: Final = {
    "article-journal": "JOUR", "article-magazine": "MGZN", "article-newspaper": "NEWS",
    "article": "UNPB", "book": "BOOK", "chapter": "CHAP", "paper-conference": "CPAPER",
    "report": "RPRT", "thesis": "THES", "webpage": "ELEC", "post": "ELEC", "post-weblog": "BLOG",
    "dataset": "DATA", "software": "COMP", "patent": "PAT", "legislation": "STAT",
    "bill": "BILL", "legal_case": "CASE", "map": "MAP", "standard": "STAND",
}  # fmt: skip


def ris(works: Iterable[Work]) -> bytes:
    """The works as records, in their order."""
    lines = (line for work in works for line in _record(work))
    return "".join(f"{line}\r\n" for line in lines).encode(errors="replace")


def _record(work: Work) -> Iterator[str]:
    yield _line("TY", _TYPES.get(csl_type(work), "GEN"))
    for tag, value in _fields(work):
        text = _one_line(value)
        if text:
            yield _line(tag, text)
    yield _line("ER", "")
    yield ""


def _fields(work: Work) -> Iterator[tuple[str, str | None]]:
    book = work.book
    names = names_of(work)
    for tag, role in (("AU", "author"), ("ED", "editor"), ("A4", "translator")):
        yield from ((tag, inverted(name)) for name in names.get(role, ()))
    issued = parts_of(book.published_at)
    yield "TI", book.title
    yield "T2", book.container_title
    yield "PB", book.publisher.name if book.publisher else None
    yield "PY", f"{issued[0]:04}" if issued else None
    yield "DA", _slashed(issued)
    yield "ET", book.version
    yield "DO", book.doi
    yield "UR", web_address(book.uri)
    yield "Y2", _slashed(work.accessed)
    yield "LA", book.language
    yield from (("N1", remark) for remark in notes_of(work))
    yield "ID", work.uid


def _slashed(parts: tuple[int, ...]) -> str | None:
    """YYYY/MM/DD/, parts that are unknown left empty."""
    if not parts:
        return None
    year, month, day = (*parts, None, None)[:3]
    rest = "/".join("" if part is None else f"{part:02}" for part in (month, day))
    return f"{year:04}/{rest}/"


def _one_line(text: str | None) -> str:
    """A value cannot begin a line of its own, and so no other tag; what nobody could see is named."""
    words = " ".join((text or "").split())
    return "".join(f"U+{ord(each):04X}" if needs_mark(each) else each for each in words)


def _line(tag: str, value: str) -> str:
    return f"{tag}  - {value}"
