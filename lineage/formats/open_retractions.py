"""Records of open-retractions: a work with the notices that update it, as Crossref once listed them.

`retracted` is a flag beside the kinds, and at times says otherwise. Titles are at times those
of the notice, so that none is taken for the work's. A work that names itself may be the
notice as well as the work: which, the record does not tell.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from lineage.formats.notice_kinds import read_kind
from lineage.formats.notices import (
    DATE_UNREADABLE,
    FLAG_CONTRADICTS,
    IDENTIFIER_UNREADABLE,
    NO_NOTICE,
    NO_SUBJECT,
    OWN_NOTICE,
    RECORD_UNREADABLE,
    NoticeRecord,
    NotKept,
    day_of_milliseconds,
    text_of,
)
from lineage.formats.scholarly import normal_doi
from lineage.types import JsonValue

# Kinds that the flag means. Withdrawals and removals do not set it.
_FLAGGED: Final = "retraction"
_TAKEN_BACK: Final = frozenset({"retraction", "withdrawal", "removal"})


def is_record(value: JsonValue) -> bool:
    """Whether this is such a record, alone or under the path at which it is published."""
    inner = _inner(value)
    return isinstance(inner, Mapping) and "updates" in inner and "identifier" in inner


def read(number: int, value: JsonValue) -> Iterator[NoticeRecord | NotKept]:
    """The notices of one record."""
    record = _inner(value)
    updates = record.get("updates") if isinstance(record, Mapping) else None
    if not isinstance(record, Mapping) or not isinstance(updates, list):
        yield NotKept(number, RECORD_UNREADABLE)
        return
    subject = _doi_in(record)
    if not subject:
        yield NotKept(number, NO_SUBJECT)
        return
    if not updates:
        yield NotKept(number, NO_NOTICE)
        return
    kinds = {
        read_kind(text_of(each.get("type"))).kind for each in updates if isinstance(each, Mapping)
    }
    contradicted = _contradicted(record.get("retracted"), kinds)
    for update in updates:
        if isinstance(update, Mapping):
            yield _notice(number, record, subject, update, contradicted=contradicted)
        else:
            yield NotKept(number, RECORD_UNREADABLE)


def _notice(
    number: int,
    record: Mapping[str, JsonValue],
    subject: str,
    update: Mapping[str, JsonValue],
    *,
    contradicted: bool,
) -> NoticeRecord:
    word = text_of(update.get("type"))[:64]
    kind, remark = read_kind(word)
    remarks = [remark] if remark else []
    notice = _doi_in(update)
    if not notice:
        remarks.append(IDENTIFIER_UNREADABLE)
    if notice == subject:
        remarks.append(OWN_NOTICE)
    if contradicted:
        remarks.append(FLAG_CONTRADICTS)
    noted_on = day_of_milliseconds(update.get("timestamp"))
    if noted_on is None and update.get("timestamp") is not None:
        remarks.append(DATE_UNREADABLE)
    return NoticeRecord(
        number, "open-retractions", "updates", "", kind, word, notice, "", subject, "", noted_on,
        "", text_of(record.get("title")), "", None, text_of(record.get("publisher")),
        text_of(record.get("journal")), "", "", "", notice != subject, tuple(remarks),
    )  # fmt: skip


def _contradicted(flag: JsonValue, kinds: set[str]) -> bool:
    """Whether the flag and the kinds cannot both be right."""
    if flag is True:
        return not kinds & _TAKEN_BACK
    return flag is False and _FLAGGED in kinds


def _inner(value: JsonValue) -> JsonValue:
    if isinstance(value, Mapping) and isinstance(value.get("record"), Mapping):
        return value["record"]
    return value


def _doi_in(value: Mapping[str, JsonValue]) -> str:
    identifier = value.get("identifier")
    return normal_doi(text_of(identifier.get("doi"))) if isinstance(identifier, Mapping) else ""
