"""The words of a PDF, page by page with the printed labels; read by a process that may die of it."""

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Final, NamedTuple

SECONDS: Final = 20.0
# Not imported: the library that reads strangers' files is loaded by the child alone.
_CHILD: Final = Path(__file__).with_name("pdf_child.py")
# Code points between two pages.
_BETWEEN: Final = "\n\n"
_MAGIC: Final = b"%PDF-"
# Readers at one time in one process: each may take a gigabyte.
_READERS: Final = threading.BoundedSemaphore(2)


class PageMark(NamedTuple):
    """Where a page begins in the words of its document (code points), and what is printed on it, if anything."""

    start: int
    label: str


class PdfText(NamedTuple):
    """The words of all pages, one after another, where each page begins, and what it says of rights.

    `rights` are (name as of a header, value) of text and data mining.
    """

    text: str
    pages: tuple[PageMark, ...]
    rights: tuple[tuple[str, str], ...] = ()


def is_pdf(body: bytes) -> bool:
    """Whether bytes are a PDF's: its mark stands in the first kilobyte (ISO 32000, 7.5.2)."""
    return _MAGIC in body[:1_024]


def read_pdf(body: bytes, *, seconds: float = SECONDS) -> PdfText | None:
    """The words of a PDF; None where it has none (pages are pictures) or they cannot be read as a whole.

    Locked, damaged, of too many pages, too slow to read: then its bytes alone tell whether it
    has changed.
    """
    command = [sys.executable, "-I", "-B", str(_CHILD)]
    with _READERS:
        try:
            done = subprocess.run(  # noqa: S603 - our own script, without a shell
                command, input=body, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env={}, timeout=seconds, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
    if done.returncode != 0:
        return None
    words: list[str] = []
    marks: list[PageMark] = []
    at = 0
    told = json.loads(done.stdout)
    for label, text in told["pages"]:
        plain = _plain(text).strip()
        marks.append(PageMark(at, _plain(label).strip()))
        words.append(plain)
        at += len(plain) + len(_BETWEEN)
    whole = _BETWEEN.join(words)
    rights = tuple((name, _plain(value)) for name, value in told["rights"])
    return PdfText(whole, tuple(marks), rights) if whole.strip() else None


def _plain(text: str) -> str:
    """As every store takes it: no NUL, no halves of characters."""
    return text.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
