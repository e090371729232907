"""Notices in works of Crossref's REST API: of the work (`updated-by`) and of the notice (`update-to`).

`update-to` says "I am the notice": its DOI is that of the work. Each item names who says so,
the publisher or the Retraction Watch database, which at times both say it.
"""

from collections.abc import Iterator, Mapping
from datetime import date

from lineage.formats.crossref import first_text, name_of, year_of
from lineage.formats.notice_kinds import read_kind
from lineage.formats.notices import (
    DATE_UNREADABLE,
    IDENTIFIER_UNREADABLE,
    NO_NOTICE,
    NO_SUBJECT,
    OWN_NOTICE,
    RECORD_UNREADABLE,
    NoticeRecord,
    NotKept,
    Provider,
    text_of,
)
from lineage.formats.scholarly import normal_doi
from lineage.types import JsonValue


def read(number: int, work: JsonValue) -> Iterator[NoticeRecord | NotKept]:
    """The notices that one work tells of, in both directions."""
    if not isinstance(work, Mapping):
        yield NotKept(number, RECORD_UNREADABLE)
        return
    own = normal_doi(text_of(work.get("DOI")))
    if not own:
        yield NotKept(number, NO_SUBJECT)
        return
    found = False
    for through in ("updated-by", "update-to"):
        items = work.get(through)
        for item in items if isinstance(items, list) else ():
            found = True
            if not isinstance(item, Mapping):
                yield NotKept(number, RECORD_UNREADABLE)
            elif through == "updated-by":
                yield _of_the_work(number, work, own, item)
            else:
                yield _of_the_notice(number, work, own, item)
    if not found:
        yield NotKept(number, NO_NOTICE)


def _of_the_work(
    number: int, work: Mapping[str, JsonValue], own: str, item: Mapping[str, JsonValue]
) -> NoticeRecord | NotKept:
    kind, word, other, noted_on, remarks = _item(item, own)
    creators = work.get("author")
    names = "; ".join(
        name
        for each in (creators if isinstance(creators, list) else ())[:50]
        if isinstance(each, Mapping) and (name := name_of(each))
    )
    return NoticeRecord(
        number, _provider(item), "updated-by", _record_id(item), kind, word, other, "", own, "",
        noted_on, first_text(work.get("title")), "", names, year_of(work),
        text_of(work.get("publisher")), first_text(work.get("container-title")), "", "",
        text_of(item.get("label")), other != own, tuple(remarks),
    )  # fmt: skip


def _of_the_notice(
    number: int, work: Mapping[str, JsonValue], own: str, item: Mapping[str, JsonValue]
) -> NoticeRecord | NotKept:
    kind, word, other, noted_on, remarks = _item(item, own)
    if not other:
        return NotKept(number, NO_SUBJECT)
    return NoticeRecord(
        number, _provider(item), "update-to", _record_id(item), kind, word, own, "", other, "",
        noted_on, "", first_text(work.get("title")), "", None, text_of(work.get("publisher")),
        first_text(work.get("container-title")), "", "", text_of(item.get("label")),
        other != own, tuple(remarks),
    )  # fmt: skip


def _item(item: Mapping[str, JsonValue], own: str) -> tuple[str, str, str, date | None, list[str]]:
    """Kind, word, the other DOI and the day of an item, with what is remarkable."""
    word = text_of(item.get("type"))[:64]
    kind, remark = read_kind(word)
    remarks = [remark] if remark else []
    other = normal_doi(text_of(item.get("DOI")))
    if not other:
        remarks.append(IDENTIFIER_UNREADABLE)
    if other == own:
        remarks.append(OWN_NOTICE)
    updated = item.get("updated")
    noted_on = _day(updated)
    if updated is not None and noted_on is None:
        remarks.append(DATE_UNREADABLE)
    return kind, word, other, noted_on, remarks


def _day(value: JsonValue) -> date | None:
    """The first day that `date-parts` allow: of a month its first, of a year its first of January."""
    parts = value.get("date-parts") if isinstance(value, Mapping) else None
    first = parts[0] if isinstance(parts, list) and parts else None
    if not isinstance(first, list) or not first:
        return None
    if any(not isinstance(part, int) or isinstance(part, bool) for part in first[:3]):
        return None
    year, month, day = (*first[:3], 1, 1)[:3]
    try:
        return date(year, month, day)
    except (ValueError, OverflowError):
        return None


def _provider(item: Mapping[str, JsonValue]) -> Provider:
    return "retraction-watch" if item.get("source") == "retraction-watch" else "publisher"


def _record_id(item: Mapping[str, JsonValue]) -> str:
    value = item.get("record-id")
    return text_of(str(value))[:64] if isinstance(value, str | int) else ""
