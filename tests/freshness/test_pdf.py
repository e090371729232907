"""The words of PDFs, page by page; and what hostile ones come to."""

import io
import time

import pytest
from pypdf import PdfWriter

from lineage.freshness.pdf import PageMark, PdfText, read_pdf
from lineage.freshness.reading import read_page
from tests.freshness.pdf_files import assembled, pdf, stream
from tests.thorough import long_only

pytestmark = pytest.mark.engine_free

CATALOGUE = b"<< /Type /Catalog /Pages 2 0 R >>"


def locked() -> bytes:
    writer, file = PdfWriter(), io.BytesIO()
    writer.add_blank_page(100, 100)
    writer.encrypt("a word that nobody has", algorithm="RC4-128")
    writer.write(file)
    return file.getvalue()


def bomb() -> bytes:
    """A page of 400 kB that unpacks to 400 MB of operators."""
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>"
    unpacked = b"0 0 m " * (400_000_000 // 6)
    pages = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    return assembled([CATALOGUE, pages, page, stream(unpacked, packed=True)])


def in_a_circle() -> bytes:
    """Pages whose only child is themselves, said to be a million."""
    return assembled([CATALOGUE, b"<< /Type /Pages /Kids [2 0 R] /Count 1000000 >>"])


def deep() -> bytes:
    """A tree of pages five thousand levels deep."""
    levels = [
        f"<< /Type /Pages /Kids [{number + 1} 0 R] /Count 1 >>".encode()
        for number in range(2, 5_002)
    ]
    return assembled([CATALOGUE, *levels, b"<< /Type /Page /MediaBox [0 0 9 9] >>"])


@pytest.mark.parametrize(
    "file",
    [pytest.param(locked, id="locked"), pytest.param(in_a_circle, id="in a circle")]
    + [
        pytest.param(file, id=name, marks=long_only)
        for name, file in (
            ("a bomb", bomb), ("deep", deep), ("cut off", lambda: pdf(["One", "Two"])[:300]),
            ("no words", lambda: pdf(["", ""])), ("too many pages", lambda: pdf([""] * 2_001)),
            ("nothing but its mark", lambda: b"%PDF-1.7\n"),
        )
    ],
)  # fmt: skip
def test_what_cannot_be_read_as_a_whole_has_no_words(file: object) -> None:
    assert callable(file)
    data = file()
    began = time.monotonic()
    assert read_pdf(data) is None
    assert time.monotonic() - began < 25


def test_a_reader_that_takes_too_long_is_ended() -> None:
    began = time.monotonic()
    # Python alone takes longer to begin.
    assert read_pdf(pdf(["One"]), seconds=0.001) is None
    assert time.monotonic() - began < 5


def test_pages_with_their_printed_labels() -> None:
    file = pdf(
        ["Preface\nof two lines", "Contents", "Chapter one", "Annex"],
        # Two pages in small roman numerals from i on, then 1, then A-1.
        labels="0 << /S /r >> 2 << /S /D >> 3 << /S /D /P (A-) >>",
        packed=True,
    )
    whole = "Preface\nof two lines\n\nContents\n\nChapter one\n\nAnnex"
    assert read_pdf(file) == PdfText(
        whole, (PageMark(0, "i"), PageMark(22, "ii"), PageMark(32, "1"), PageMark(45, "A-1"))
    )
    assert whole[22:30] == "Contents"
    assert whole[45:] == "Annex"
    page = read_page(file, "application/octet-stream")
    assert page is not None
    assert (page.text, len(page.pages)) == (whole, 4)


XMP = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
 xmlns:tdm="http://www.w3.org/ns/tdmrep/" tdm:policy="https://p.example/tdm.json">
 <tdm:reservation> 1 </tdm:reservation></rdf:Description></rdf:RDF></x:xmpmeta>"""


def test_what_it_says_of_text_and_data_mining() -> None:
    found = read_pdf(pdf(["One"], xmp=XMP))
    assert found is not None
    assert dict(found.rights) == {
        "tdm-reservation": "1",
        "tdm-policy": "https://p.example/tdm.json",
    }
    broken = read_pdf(pdf(["One"], xmp=XMP[:200]))
    assert broken is not None
    assert (broken.text, broken.rights) == ("One", ())


def test_without_labels_and_with_broken_ones_the_words_are_the_same() -> None:
    for labels in ("", "0 (nonsense)"):
        found = read_pdf(pdf(["One", "Two"], labels=labels))
        assert found is not None
        assert (found.text, [mark.start for mark in found.pages]) == ("One\n\nTwo", [0, 5])


def test_what_says_that_it_is_one_and_is_none_is_not_read() -> None:
    assert read_page(b"GIF89a\0", "application/pdf") is None
