"""Reads a file of notices into the workspace: streamed, in batches, each committed; the same again changes nothing."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from django.db import transaction

from lineage.formats.notice_files import Readable, TooLarge
from lineage.formats.notice_files import read as read_file
from lineage.formats.notices import NoticeRecord, NotKept, NotNotices
from lineage.models import Notice, NoticeImport, NoticeShelf
from lineage.notices import shelf
from lineage.notices.doubts import find_doubts
from lineage.notices.drafting import count_answers, draft_due
from lineage.notices.matching import match_notices
from lineage.notices.report import Tally
from lineage.notices.rows import write
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

# Records of one transaction: well below a second on the smallest machine.
BATCH: Final = 2_000
NOT_NOTICES: Final = "not_notices"
TOO_LARGE: Final = "too_large"

Advance = Callable[[int], None]


class Counted:
    """A file that tells how many bytes were read of it."""

    def __init__(self, file: Readable) -> None:
        self._file, self.done = file, 0

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(size)
        self.done += len(data)
        return data


class LostHold(Exception):
    """Another process has taken the import over."""


def read_notices(
    workspace: Workspace,
    row: NoticeImport,
    file: Readable,
    advance: Advance | None = None,
    *,
    drafting: bool = True,
) -> NoticeImport:
    """Read the file of an import to its end, match what is new, open the cases it asks for.

    The import says what came of it, also where the file is none of those that are known here.
    `advance` is told the bytes read so far. Without `drafting` cases are left to the next
    who calls `open_cases`. Raises LostHold.
    """
    tally = Tally()
    counted = Counted(file)
    try:
        format_, records = read_file(counted)
        _hold(row, format=format_)
        for batch in _batches(records):
            _take(workspace, row, batch, tally)
            _hold(row, done=counted.done, counts=tally.counts(), report=tally.report())
            if advance is not None:
                advance(counted.done)
    except NotNotices as problem:
        failure = TOO_LARGE if isinstance(problem, TooLarge) else NOT_NOTICES
        return _end(row, tally, NoticeImport.State.FAILED, failure)
    if tally.new or tally.changed:
        _tell_doubts(workspace, row, tally)
    if drafting:
        open_cases(workspace, tally)
    _hold(row, done=counted.done)
    return _end(row, tally, NoticeImport.State.DONE)


def open_cases(workspace: Workspace, tally: Tally) -> None:
    """Open the cases of every match that was not looked at yet."""
    more = True
    while more:
        opened, more = draft_due(workspace)
        tally.drafted += opened


def _batches(
    records: Iterator[NoticeRecord | NotKept],
) -> Iterator[list[NoticeRecord | NotKept]]:
    while batch := list(islice(records, BATCH)):
        yield batch


def _take(
    workspace: Workspace, row: NoticeImport, batch: list[NoticeRecord | NotKept], tally: Tally
) -> None:
    """One transaction: what the records say, and what they are about."""
    owner_id = shelf.owner_of(workspace.pk)
    told = [each for each in batch if isinstance(each, NoticeRecord)]
    tally.records = max(tally.records, batch[-1].number)
    for each in batch:
        if isinstance(each, NotKept):
            tally.not_kept += 1
            tally.remark(each.code, each.number)
        else:
            tally.remark_all(each.remarks, each.number)
    with transaction.atomic():
        # One import at a time writes notices of a workspace.
        NoticeShelf.objects.select_for_update().get(workspace=workspace)
        subjects = write(workspace, owner_id, row.pk, told, tally)
        found = match_notices(workspace, subjects)
        count_answers(found.notice_ids)
        tally.matched += found.matched
        tally.suggested += found.suggested


def _tell_doubts(workspace: Workspace, row: NoticeImport, tally: Tally) -> None:
    with transaction.atomic():
        NoticeShelf.objects.select_for_update().get(workspace=workspace)
        marked = find_doubts(workspace)
    for remark, ids in marked.items():
        for start in range(0, len(ids), BATCH):
            some = sorted(ids)[start : start + BATCH]
            for pieces in (
                Notice.objects.filter(pk__in=some).order_by("pk").values_list("evidence", flat=True)
            ):
                mine = next((p["number"] for p in pieces if p.get("import") == row.pk), None)
                tally.remark(remark, mine)


def _hold(row: NoticeImport, **columns: object) -> None:
    """Write how far the import is, if it is still ours."""
    for name, value in columns.items():
        setattr(row, name, value)
    if not NoticeImport.objects.filter(pk=row.pk, fence=row.fence).update(**columns):
        raise LostHold


def _end(row: NoticeImport, tally: Tally, state: str, failure: str = "") -> NoticeImport:
    _hold(
        row,
        state=state,
        failure=failure,
        counts=tally.counts(),
        report=tally.report(),
        finished_at=clock.now(),
        lease_until=None,
    )
    return row
