"""The words of a body: of HTML what a reader sees, of a PDF those of its pages, of plain text and Markdown the text as it is.

Other formats have no words here; what they are is told by their digest alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lxml import etree, html

from lineage.freshness.pdf import PageMark, is_pdf, read_pdf

# Of a body; longer ones are compared by their digest.
_MOST_HTML: Final = 8 * 2**20
_PLAIN: Final = re.compile(r"text/(?!html\b)|application/(json|xml|yaml|x-yaml|toml|x-ndjson)\b")
_HTML: Final = re.compile(r"text/html\b|application/xhtml\+xml\b")
_PDF: Final = re.compile(r"application/(x-)?pdf\b")
# What is said of a body by who says nothing of it.
_UNSTATED: Final = re.compile(r"(application|binary)/octet-stream\b|$")
_CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_SPACE: Final = re.compile(r"[ \t\r\n\f]+")
_LINES: Final = re.compile(r"[ \t]*\n[ \t]*")
_PARAGRAPHS: Final = re.compile(r"\n{3,}")
_UNSEEN: Final = frozenset({
    "script", "style", "noscript", "template", "head", "svg", "math", "iframe", "object", "select",
    "textarea", "canvas", "audio", "video",
})  # fmt: skip
_BLOCKS: Final = frozenset({
    "address", "article", "aside", "blockquote", "dd", "details", "dialog", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody",
    "tfoot", "thead", "tr", "ul",
})  # fmt: skip
_PARAGRAPH: Final = _BLOCKS - {"li", "tr", "dt", "dd", "thead", "tbody", "tfoot"}
_HEAD_START: Final = re.compile(rb"\s*(<!doctype html|<html[\s>])", re.IGNORECASE)
_MOST_META: Final = 200


@dataclass(frozen=True, slots=True)
class Page:
    """What a body says: its words, what its `<meta>` tags name, and whether it asks for a password.

    `metas` are (name in lower case, content) of an HTML page; `pages` where those of a PDF begin,
    `rights` what it says of text and data mining itself.
    """

    text: str
    metas: tuple[tuple[str, str], ...] = ()
    asks_password: bool = False
    pages: tuple[PageMark, ...] = ()
    rights: tuple[tuple[str, str], ...] = ()


def read_page(body: bytes, content_type: str) -> Page | None:
    """The words of a body; None where they cannot be read here."""
    kind = content_type.strip().lower()
    if _HTML.match(kind) or (not kind and _HEAD_START.match(body[:1_000])):
        return _read_html(body, kind) if len(body) <= _MOST_HTML else None
    if (_PDF.match(kind) or _UNSTATED.match(kind)) and is_pdf(body):
        found = read_pdf(body)
        if found is None:
            return None
        return Page(found.text, pages=found.pages, rights=found.rights)
    if _PLAIN.match(kind) or (not kind and b"\0" not in body[:4_096]):
        return Page(_decoded(body, kind))
    return None


def _decoded(body: bytes, kind: str) -> str:
    for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):  # fmt: skip
        if body.startswith(mark):
            return body.decode(name, "replace")
    try:
        return body.decode(_charset(kind) or "utf-8")
    except (LookupError, UnicodeError):
        # What is no UTF-8 and says nothing of itself is most often Windows' Latin.
        return body.decode("cp1252", "replace")


def _charset(kind: str) -> str | None:
    found = _CHARSET.search(kind)
    return found.group(1) if found else None


def _read_html(body: bytes, kind: str) -> Page | None:
    try:
        parser = html.HTMLParser(
            encoding=_charset(kind) or _undeclared(body), remove_comments=True, remove_pis=True
        )
    except LookupError:
        parser = html.HTMLParser(remove_comments=True, remove_pis=True)
    try:
        root = html.document_fromstring(body, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return Page("") if not body.strip() else None
    raw = "".join(_seen(root))
    text = _PARAGRAPHS.sub("\n\n", _LINES.sub("\n", raw)).strip()
    metas = [
        (str(each.get("name") or "").strip().lower(), str(each.get("content") or "").strip())
        for each in root.iter("meta")
    ]
    asks = any(each.get("type", "").lower() == "password" for each in root.iter("input"))
    return Page(text, tuple(each for each in metas if each[0])[:_MOST_META], asks)


def _undeclared(body: bytes) -> str | None:
    """UTF-8 where a page declares nothing and is it; else the page is left to declare it, or Latin."""
    start = body[:4_096].lower()
    if b"charset" in start or b"encoding=" in start:
        return None
    try:
        body.decode("utf-8")
    except UnicodeError:
        return None
    return "utf-8"


def _seen(root: html.HtmlElement) -> Iterator[str]:
    """The words of a page with a break of lines around what stands apart."""
    unseen = kept = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        tag = element.tag if isinstance(element.tag, str) else ""
        begins = event == "start"
        if tag in _UNSEEN:
            unseen += 1 if begins else -1
        if tag == "pre":
            kept += 1 if begins else -1
        if not unseen and tag in _BLOCKS:
            yield "\n\n" if tag in _PARAGRAPH else "\n"
        if not unseen and begins and tag == "br":
            yield "\n"
        if not unseen and begins and tag in ("td", "th"):
            yield "\t"
        words = element.text if begins else element.tail
        if words and not unseen:
            yield words if kept else _SPACE.sub(" ", words)
