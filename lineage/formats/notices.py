"""Notices about published works, whoever keeps them: the values that readers of catalogues give."""

from datetime import UTC, date, datetime, timedelta
from typing import Final, Literal, NamedTuple

from lineage.types import JsonValue

Provider = Literal["publisher", "retraction-watch", "open-retractions"]
# How a catalogue says it: a row of its own, of the work (updated-by, updates), or of the notice (update-to).
Through = Literal["csv", "updated-by", "update-to", "updates"]

PROVIDERS: Final[tuple[Provider, ...]] = ("publisher", "retraction-watch", "open-retractions")

# What is remarkable about a record that is kept all the same.
OWN_NOTICE: Final = "own_notice"  # the notice is the work itself
FLAG_CONTRADICTS: Final = "flag_contradicts"  # the kind says one thing, a flag beside it another
DATE_UNREADABLE: Final = "date_unreadable"
IDENTIFIER_UNREADABLE: Final = "identifier_unreadable"
UNDECODABLE: Final = "undecodable"  # bytes that are no UTF-8 were replaced

# Why a record is not kept.
NO_NOTICE: Final = "no_notice"  # a work that nothing is said of
NO_SUBJECT: Final = "no_subject"  # nothing tells which work it is about
RECORD_UNREADABLE: Final = "record_unreadable"

REPLACED: Final = "\N{REPLACEMENT CHARACTER}"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TEXT: Final = 2_000  # characters kept of a text
_LIST: Final = 50  # items kept of a list


class NoticeRecord(NamedTuple):
    """What one provider says of one notice and the one work that it is about.

    `number`: of the record in its file, from 1. `word`: the kind as it came. DOIs and
    PMIDs are in their normal form, "" where not stated. `noted_on`: the day that the
    provider gives for the notice. `title` is that of the work, "" where the catalogue
    does not tell whose title it is (then it is `shown`, as what it calls the record).
    `creators` (parted by `;`) and `year` are those of the work; so `reasons` and
    `links`. Texts may be as they came (raw_text): who shows them cleans them. `settled`: which is the work and which the
    notice is beyond doubt, even where both are one record.
    """

    number: int
    provider: Provider
    through: Through
    record_id: str
    kind: str
    word: str
    notice_doi: str
    notice_pmid: str
    subject_doi: str
    subject_pmid: str
    noted_on: date | None
    title: str
    shown: str
    creators: str
    year: int | None
    publisher: str
    journal: str
    reasons: str
    links: str
    note: str
    settled: bool
    remarks: tuple[str, ...]


class NotKept(NamedTuple):
    """A record that tells of no notice, and why."""

    number: int
    code: str


class NotNotices(Exception):
    """The file is no catalogue of notices that is known here; the text says what was looked for."""


def text_of(value: JsonValue) -> str:
    """A string without what no store takes and without runs of blanks, at most 2,000 characters."""
    if not isinstance(value, str):
        return ""
    # What nearly every cell holds.
    if len(value) <= _TEXT and value.isprintable() and "  " not in value:
        return value.strip()
    bare = value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    return " ".join(bare[: 4 * _TEXT].split())[:_TEXT]


def raw_text(cell: str) -> str:
    """A text as it came, at most 2,000 characters: who shows it cleans it (text_of)."""
    return cell if len(cell) <= _TEXT else cell[:_TEXT]


def parted(text: str) -> tuple[str, ...]:
    """The items of a list that is parted by `;`, at most 50."""
    return texts_of(text.split(";")) if text else ()


def texts_of(values: JsonValue) -> tuple[str, ...]:
    """The strings of a list, those alone; at most 50."""
    if not isinstance(values, list | tuple):
        return ()
    return tuple(text for value in values[:_LIST] if (text := text_of(value)))


def day_of_milliseconds(value: JsonValue) -> date | None:
    """The day (UTC) of milliseconds since 1970; None for what is none."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return (_EPOCH + timedelta(milliseconds=value)).date()
    except (OverflowError, ValueError):
        return None
