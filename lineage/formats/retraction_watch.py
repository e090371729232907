"""The table of the Retraction Watch database: one notice a row, read as it streams.

Columns are found by their names; there may be others, and one without a name at the end.
Lists are parted by `;`, reasons may begin with `+`, dates are `M/D/YYYY 0:00`, a DOI may be
blank or `unavailable`, a PubMed id `0` or `37476288.0`. The file is not clean UTF-8.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import BinaryIO, Final

from lineage.formats.notice_kinds import read_kind
from lineage.formats.notices import (
    DATE_UNREADABLE,
    IDENTIFIER_UNREADABLE,
    NO_SUBJECT,
    OWN_NOTICE,
    RECORD_UNREADABLE,
    REPLACED,
    UNDECODABLE,
    NoticeRecord,
    NotKept,
    NotNotices,
    raw_text,
    text_of,
)
from lineage.formats.scholarly import normal_doi, normal_pmid

# Without these a row says nothing.
NEEDED: Final = ("RetractionNature", "OriginalPaperDOI")
_COLUMNS: Final = (
    "Record ID", "Title", "Journal", "Publisher", "Author", "URLS", "RetractionDate",
    "RetractionDOI", "RetractionPubMedID", "OriginalPaperDate", "OriginalPaperDOI",
    "OriginalPaperPubMedID", "RetractionNature", "Reason", "Notes",
)  # fmt: skip
_DAY: Final = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})(?: .*)?", re.ASCII)
_NONE: Final = frozenset({"", "0", "0.0", "unavailable", "none", "n/a", "na", "nan"})


def is_header(line: str) -> bool:
    """Whether this is the first line of such a table."""
    return all(name in line for name in NEEDED)


def read(file: BinaryIO) -> Iterator[NoticeRecord | NotKept]:
    """The notices of the table, a row at a time. Raises NotNotices where it has no such header."""
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="")
    rows = csv.reader(text)
    try:
        header = next(rows, [])
    except csv.Error as error:
        raise NotNotices(str(error)) from error
    places = {name.strip(): place for place, name in enumerate(header)}
    if missing := [name for name in NEEDED if name not in places]:
        message = f"the table lacks the columns {', '.join(missing)}"
        raise NotNotices(message)
    cells = [places.get(name, -1) for name in _COLUMNS]
    number = 0
    while True:
        number += 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:
            yield NotKept(number, RECORD_UNREADABLE)
            continue
        if row:
            yield _read(number, _picked(row, cells))


def _picked(row: Sequence[str], cells: Sequence[int]) -> list[str]:
    size = len(row)
    return [row[place] if 0 <= place < size else "" for place in cells]


def _read(number: int, row: Sequence[str]) -> NoticeRecord | NotKept:
    (
        record_id, title, journal, publisher, authors, links, noted, notice_doi_cell,
        notice_pmid_cell, published, subject_doi_cell, subject_pmid_cell, nature, reasons, note,
    ) = row  # fmt: skip
    remarks: list[str] = []
    notice_doi = _doi(notice_doi_cell, remarks)
    subject_doi = _doi(subject_doi_cell, remarks)
    notice_pmid = _pmid(notice_pmid_cell, remarks)
    subject_pmid = _pmid(subject_pmid_cell, remarks)
    title = text_of(title)
    if not (subject_doi or subject_pmid or title):
        return NotKept(number, NO_SUBJECT)
    kind, remark = read_kind(nature)
    if remark:
        remarks.append(remark)
    noted_on = _day(noted)
    published_on = _day(published)
    if (noted_on is None and noted.strip()) or (published_on is None and published.strip()):
        remarks.append(DATE_UNREADABLE)
    if notice_doi and notice_doi == subject_doi:
        remarks.append(OWN_NOTICE)
    creators = raw_text(authors)
    if REPLACED in title or REPLACED in authors or REPLACED in reasons:
        remarks.append(UNDECODABLE)
    return NoticeRecord(
        number, "retraction-watch", "csv", record_id.strip()[:64].replace("\0", ""), kind,
        nature[:64], notice_doi, notice_pmid, subject_doi, subject_pmid, noted_on, title, "",
        creators, published_on.year if published_on else None, raw_text(publisher),
        raw_text(journal), raw_text(reasons), raw_text(links), raw_text(note), True,
        tuple(dict.fromkeys(remarks)),
    )  # fmt: skip


def _doi(cell: str, remarks: list[str]) -> str:
    found = normal_doi(cell)
    if not found and cell.strip().lower() not in _NONE:
        remarks.append(IDENTIFIER_UNREADABLE)
    return found


def _pmid(cell: str, remarks: list[str]) -> str:
    if cell in _NONE:
        return ""
    found = normal_pmid(cell)
    if not found and cell.strip().lower() not in _NONE:
        remarks.append(IDENTIFIER_UNREADABLE)
    return found


@lru_cache(maxsize=8_192)
def _day(cell: str) -> date | None:
    found = _DAY.fullmatch(cell.strip())
    if not found:
        return None
    try:
        return date(int(found[3]), int(found[1]), int(found[2]))
    except ValueError:
        return None


def row_of(values: Mapping[str, str]) -> list[str]:
    """The cells of a row in the order in which the table is published, for writing one."""
    return [values.get(name, "") for name in PUBLISHED]


# The columns as they are published.
PUBLISHED: Final = (
    "Record ID", "Title", "Subject", "Institution", "Journal", "Publisher", "Country", "Author",
    "URLS", "ArticleType", "RetractionDate", "RetractionDOI", "RetractionPubMedID",
    "OriginalPaperDate", "OriginalPaperDOI", "OriginalPaperPubMedID", "RetractionNature", "Reason",
    "Paywalled", "Notes",
)  # fmt: skip
