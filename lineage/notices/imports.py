"""The files that were read: each with what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from lineage.models import NoticeImport
from lineage.nodes.paging import DEFAULT_LIMIT, before_id, bounded, write_cursor
from lineage.types import JsonValue, NotFound, Viewer


@dataclass(frozen=True, slots=True)
class ImportView:
    """One import. `report`: what was remarkable (`code`, `count`, numbers of the first `records`)."""

    uid: str
    origin: str
    by: str | None  # who sent it; "machine" for a key
    state: str
    format: str
    failure: str
    size: int | None
    done: int
    counts: Mapping[str, int]
    report: tuple[Mapping[str, JsonValue], ...]
    received_at: datetime
    finished_at: datetime | None

    @property
    def share(self) -> int | None:
        """How much of the file was read, in whole percent; None where its size is not known."""
        return min(100, self.done * 100 // self.size) if self.size else None

    @property
    def under_way(self) -> bool:
        """Whether more will come by itself."""
        return self.state in (NoticeImport.State.RECEIVED, NoticeImport.State.RUNNING)


@dataclass(frozen=True, slots=True)
class ImportPage:
    items: tuple[ImportView, ...]
    next: str | None
    total: int


def imports(viewer: Viewer, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> ImportPage:
    """Imports of the workspace, newest first. Raises CursorInvalid."""
    mine = NoticeImport.objects.filter(workspace_id=viewer.workspace_id)
    size = bounded(limit)
    rows = list(
        mine.filter(before_id(cursor)).select_related("made_by").order_by("-id")[: size + 1]
    )
    page = rows[:size]
    following = len(rows) > size
    return ImportPage(
        tuple(_view(row) for row in page),
        write_cursor(page[-1].pk) if following else None,
        mine.count(),
    )


def import_view(viewer: Viewer, uid: str) -> ImportView:
    """One import. Raises NotFound."""
    row = (
        NoticeImport.objects.filter(workspace_id=viewer.workspace_id, uid=uid)
        .select_related("made_by")
        .first()
    )
    if row is None:
        raise NotFound(uid)
    return _view(row)


def _view(row: NoticeImport) -> ImportView:
    by = (row.made_by.get_full_name() or row.made_by.get_username()) if row.made_by else None
    return ImportView(
        uid=row.uid,
        origin=row.origin,
        by=by or ("machine" if row.api_key_id else None),
        state=row.state,
        format=row.format,
        failure=row.failure,
        size=row.size,
        done=row.done,
        counts=row.counts,
        report=tuple(row.report),
        received_at=row.received_at,
        finished_at=row.finished_at,
    )
