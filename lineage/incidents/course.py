"""The course of an incident: what was said and done, and the answers that came under it since."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from lineage.content import apart
from lineage.incidents.workflow import incident_of, require
from lineage.models import IncidentAnswer, IncidentNote
from lineage.nodes.paging import DEFAULT_LIMIT, before_id, bounded, write_cursor
from lineage.types import Viewer
from provexplorer.workspaces.models import User


@dataclass(frozen=True, slots=True)
class NoteView:
    """What was said or done. `author`: the name of the account; "" for a key, None where it is gone.

    `text` of a note, None where it was destroyed. `became`: the state, "on" or "off", the
    number taken note of, or the uid of the case linked, which is of kind `case_kind`;
    `assigned` the name that it was given to, "" for nobody.
    """

    id: int
    what: str
    at: datetime
    author: str | None
    text: str | None
    became: str
    assigned: str
    case_kind: str


@dataclass(frozen=True, slots=True)
class NotePage:
    items: tuple[NoteView, ...]
    next: str | None
    total: int


@dataclass(frozen=True, slots=True)
class NewAnswer:
    uid: str
    occurred_at: datetime | None
    found_at: datetime


@dataclass(frozen=True, slots=True)
class NewAnswers:
    """Answers that came under the incident since it was opened, the newest found first."""

    items: tuple[NewAnswer, ...]
    next: str | None
    total: int


def notes(
    viewer: Viewer, uid: str, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None
) -> NotePage:
    """What was said and done, newest first. Raises NotFound, ScopeMissing, CursorInvalid."""
    require(viewer)
    incident = incident_of(viewer, uid)
    mine = IncidentNote.objects.filter(incident=incident)
    size = bounded(limit)
    rows = list(
        mine.filter(before_id(cursor))
        .select_related("author", "assigned", "case")
        .order_by("-id")[: size + 1]
    )
    page = rows[:size]
    said = apart.texts(viewer, incident.owner_id, [row.digest for row in page])
    return NotePage(
        items=tuple(_note(row, said) for row in page),
        next=write_cursor(page[-1].pk) if len(rows) > size else None,
        total=mine.count(),
    )


def new_answers(
    viewer: Viewer, uid: str, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None
) -> NewAnswers:
    """Answers that came under it since it was opened. Raises NotFound, ScopeMissing, CursorInvalid."""
    require(viewer)
    incident = incident_of(viewer, uid)
    mine = IncidentAnswer.objects.filter(incident=incident)
    size = bounded(limit)
    rows = list(mine.filter(before_id(cursor)).select_related("answer").order_by("-id")[: size + 1])
    page = rows[:size]
    return NewAnswers(
        items=tuple(
            NewAnswer(row.answer.uid, row.answer.occurred_at, row.found_at) for row in page
        ),
        next=write_cursor(page[-1].pk) if len(rows) > size else None,
        total=mine.count(),
    )


def author_of(user: User | None, *, by_key: bool) -> str | None:
    if by_key:
        return ""
    return user.username if user else None


def _note(row: IncidentNote, said: Mapping[str, str]) -> NoteView:
    return NoteView(
        id=row.pk,
        what=row.what,
        at=row.at,
        author=author_of(row.author, by_key=row.by_key),
        text=said.get(row.digest) if row.digest else None,
        became=row.case.uid if row.case else row.became,
        assigned=row.assigned.username if row.assigned else "",
        case_kind=row.case.kind if row.case else "",
    )
