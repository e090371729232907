"""Addresses that open a web page at the very words: text fragments.

Source: https://wicg.github.io/scroll-to-text-fragment/, `#:~:text=[prefix-,]start[,end][,-suffix]`.
A browser marks the first match, in whole words, each of the terms within one block of the
page. It does none of this in a PDF: there `#page=` leads to the page.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlsplit

from lineage.content.normalise import normalised

_DIRECTIVE: Final = ":~:"
# From this length on only the first and the last words are named.
_MOST_EXACT: Final = 300
_WORDS_AT_AN_END: Final = 5
_WORDS_AROUND: Final = 4
# So few words may stand anywhere: they go with what stands around them.
_FEW_WORDS: Final = 3
# So much of a long document (code points, at either end) is compared loosely, for time.
_NEARBY: Final = 5_000
# Ends of blocks and of cells: no term of a fragment may go over them.
_BLOCK_END: Final = re.compile(r"\n\s*\n|[\t\f\v|\u2028\u2029]|\n(?=[^\S\n]*(?:[-*#>|]|\d+[.)]))")
_WEB: Final = re.compile(r"https?://[^\s<>]+", re.IGNORECASE)
_PDF: Final = frozenset({"application/pdf", "application/x-pdf"})
# What browsers open as a document of words.
_READ_AS_TEXT: Final = frozenset({"text/html", "application/xhtml+xml", "text/plain"})
_OTHER_FILES: Final = re.compile(
    r"\.(?:docx?|xlsx?|pptx?|odt|epub|zip|csv|json|xml|png|jpe?g)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Words:
    """The highlighted words with what stands before and after them in the document."""

    marked: str
    before: str = ""
    after: str = ""


def source_address(uri: str | None, doi: str | None) -> str | None:
    """The address of a source on the web: its own, else that of its DOI; no other scheme is a link."""
    address = (uri or "").strip()
    if _WEB.fullmatch(address):
        return address
    return f"https://doi.org/{quote(doi, safe='/')}" if doi else None


def is_paged(address: str | None, media_type: str | None, *, page_known: bool) -> bool:
    """Whether the source opens at a page: a PDF by its type, or by its name where no type is stated."""
    kind = _kind(media_type)
    return kind in _PDF or (not kind and (_path(address or "").endswith(".pdf") or page_known))


def deep_link(
    address: str | None, words: Words | None, *, media_type: str | None = None,
    page_index: int | None = None,
) -> str | None:  # fmt: skip
    """The address at the words, or at the page of a PDF; the bare address where neither can be named.

    None for what is no address of the web. `page_index` counts from 0, `#page=` from 1.
    """
    address = (address or "").strip()
    if _WEB.fullmatch(address) is None:
        return None
    kind, path = _kind(media_type), _path(address)
    bare, _, fragment = address.partition("#")
    if kind in _PDF or (not kind and path.endswith(".pdf")):
        return address if page_index is None else f"{bare}#page={page_index + 1}"
    if words is None or (kind not in _READ_AS_TEXT if kind else _OTHER_FILES.search(path)):
        return address
    directive = text_directive(words)
    if not directive:
        return address
    return f"{bare}#{fragment.partition(_DIRECTIVE)[0]}{_DIRECTIVE}{directive}"


def _kind(media_type: str | None) -> str:
    """The media type without its parameters."""
    return (media_type or "").partition(";")[0].strip().lower()


def _path(address: str) -> str:
    """The path of an address in small letters; empty where it cannot be read."""
    try:
        return urlsplit(address).path.lower()
    except ValueError:
        return ""


def text_directive(words: Words) -> str:
    """`text=…` for the words; empty where there are none."""
    before, marked, after = _whole_words(words)
    blocks = _blocks(marked)
    if not blocks:
        return ""
    if len(blocks) == 1 and len(blocks[0]) < _MOST_EXACT:
        first_term = blocks[0]
        terms = [_encoded(first_term)]
    else:
        first, last = blocks[0].split(" "), blocks[-1].split(" ")
        if len(blocks) == 1:
            # The two terms may not overlap.
            most = min(_WORDS_AT_AN_END, len(first) // 2)
            if most == 0:
                return "text=" + _encoded(blocks[0])
        else:
            most = _WORDS_AT_AN_END
        first_term = " ".join(first[:most])
        terms = [_encoded(first_term), _encoded(" ".join(last[-most:]))]
    if _needs_context(before, blocks, after) or (len(terms) > 1 and _stands_in(before, first_term)):
        if prefix := " ".join(_last_block(before).split(" ")[-_WORDS_AROUND:]):
            terms.insert(0, f"{_encoded(prefix)}-")
        if suffix := " ".join(_first_block(after).split(" ")[:_WORDS_AROUND]):
            terms.append(f"-{_encoded(suffix)}")
    return "text=" + ",".join(terms)


def _needs_context(before: str, blocks: list[str], after: str) -> bool:
    """Whether the words are few, or stand elsewhere in the document, too."""
    if len(blocks) > 1:
        return False
    if len(blocks[0].split(" ")) <= _FEW_WORDS:
        return True
    return _stands_in(before, blocks[0]) or _stands_in(after, blocks[0])


def _stands_in(text: str, words: str) -> bool:
    """Whether the words stand there; nearby as a browser looks for them: capital or small, in any spacing."""
    if words in text:
        return True
    nearby = text[:_NEARBY] + " " + text[-_NEARBY:] if len(text) > 2 * _NEARBY else text
    return words.lower() in " ".join(nearby.lower().split())


def _whole_words(words: Words) -> tuple[str, str, str]:
    """Before, marked and after, with half words at the edges of the mark completed."""
    before, marked, after = words.before, words.marked, words.after
    if marked and before and marked[0].isalnum():
        at = len(before)
        while at and before[at - 1].isalnum():
            at -= 1
        before, marked = before[:at], before[at:] + marked
    if marked and after and marked[-1].isalnum():
        at = 0
        while at < len(after) and after[at].isalnum():
            at += 1
        marked, after = marked + after[:at], after[at:]
    return before, marked, after


def _blocks(text: str) -> list[str]:
    """The blocks of a text, each on one line as a page shows it."""
    return [shown for block in _BLOCK_END.split(text) if (shown := _shown(block))]


def _shown(text: str) -> str:
    """The text as a page renders it: white space as one space, no soft hyphens, no broken words."""
    if "\u00ad" in text or "-\n" in text:
        text = normalised(text).text
    return " ".join(text.split())


def _last_block(text: str) -> str:
    """The words before a mark that stand in the same block."""
    return _shown(_BLOCK_END.split(text)[-1])


def _first_block(text: str) -> str:
    return _shown(_BLOCK_END.split(text)[0])


def _encoded(term: str) -> str:
    """Percent-encoded, with what separates the terms: dash, comma, ampersand."""
    return quote(term.encode("utf-8", "replace"), safe="").replace("-", "%2D")
