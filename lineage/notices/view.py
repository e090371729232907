"""Notices as people see them: by damage, each with its evidence, what it concerns and its case.

A notice that concerns a source which the viewer may not see tells nothing of that work.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from django.db.models import F, Q, QuerySet

from lineage.formats.notice_kinds import CASE_KIND, NOTICE_KINDS
from lineage.models import Notice, NoticeMatch
from lineage.nodes.paging import DEFAULT_LIMIT, CursorInvalid, bounded, read_cursor, write_cursor
from lineage.nodes.states import node_states
from lineage.nodes.visible import visible
from lineage.notices import shelf
from lineage.notices.evidence import bit_of, providers_of
from lineage.notices.pieces import EvidenceView, evidence_of, places_of
from lineage.types import NotFound, Viewer

# What a list is narrowed to; `contradictory`: notices of which no case is drafted by itself.
STANDINGS: Final = ("matched", "suggested", "unmatched", "contradictory")
_MOST_MATCHES: Final = 200
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class MatchView:
    """A source that the notice concerns, or may.

    `title` None where it is hidden or erased. `case_state`: of `case_uid`.
    """

    source_uid: str
    title: str | None
    hidden: bool
    by: str
    state: str
    signs: tuple[str, ...]
    case_uid: str | None
    case_kind: str | None
    case_state: str | None


@dataclass(frozen=True, slots=True)
class NoticeRow:
    """A notice in a list; hidden: it concerns what the viewer may not see, and tells nothing.

    `title` is that of the work, or what its catalogue calls the record; `matches` are the first
    three.
    """

    uid: str
    hidden: bool
    kind: str
    title: str | None
    notice_doi: str | None
    notice_pmid: str | None
    subject_doi: str | None
    subject_pmid: str | None
    noted_on: date | None
    providers: tuple[str, ...]
    remarks: tuple[str, ...]
    doubtful: bool
    state: str
    answers: int
    matches: tuple[MatchView, ...]


@dataclass(frozen=True, slots=True)
class NoticePage:
    """A page of notices, by damage; `by_standing` counts the whole workspace."""

    items: tuple[NoticeRow, ...]
    next: str | None
    total: int
    by_standing: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class NoticeView:
    """One notice. `asks_for`: the kind of case, None where it asks for none."""

    row: NoticeRow
    matches: tuple[MatchView, ...]
    evidence: tuple[EvidenceView, ...]
    asks_for: str | None
    year: int | None
    first_seen_at: datetime


def notices(
    viewer: Viewer,
    *,
    kind: str = "",
    provider: str = "",
    standing: str = "",
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> NoticePage:
    """Notices of the workspace: those with the most answers on what they concern first.

    Words that are none of those known narrow to nothing. Raises CursorInvalid.
    """
    mine = Notice.objects.filter(workspace_id=viewer.workspace_id)
    chosen = _narrowed(mine, kind, provider, standing)
    size = bounded(limit)
    rows = list(chosen.filter(_after(cursor)).order_by("-answers", "uid")[: size + 1])
    page = rows[:size]
    following = len(rows) > size
    return NoticePage(
        items=_rows(viewer, page),
        next=write_cursor(page[-1].answers, page[-1].uid) if following else None,
        total=chosen.count(),
        by_standing={each: mine.filter(_of_standing(each)).count() for each in STANDINGS},
    )


def notice_view(viewer: Viewer, uid: str) -> NoticeView:
    """One notice. Raises NotFound."""
    notice = notice_of(viewer, uid)
    (row,) = _rows(viewer, [notice], most=_MOST_MATCHES)
    evidence = () if row.hidden else evidence_of(viewer, notice)
    return NoticeView(
        row=row,
        matches=row.matches,
        evidence=evidence,
        asks_for=CASE_KIND.get(notice.kind),
        year=None if row.hidden else notice.year,
        first_seen_at=notice.first_seen_at,
    )


def notice_of(viewer: Viewer, uid: str) -> Notice:
    """The notice with this uid. Raises NotFound."""
    notice = Notice.objects.filter(workspace_id=viewer.workspace_id, uid=uid).first()
    if notice is None:
        raise NotFound(uid)
    return notice


def _narrowed(
    rows: "QuerySet[Notice]", kind: str, provider: str, standing: str
) -> "QuerySet[Notice]":
    if kind:
        rows = rows.filter(kind=kind) if kind in NOTICE_KINDS else rows.none()
    if provider:
        bit = bit_of(provider)
        rows = rows.annotate(by=F("providers").bitand(bit)).filter(by=bit) if bit else rows.none()
    if standing:
        rows = rows.filter(_of_standing(standing)) if standing in STANDINGS else rows.none()
    return rows


def _of_standing(standing: str) -> Q:
    return Q(doubtful=True) if standing == "contradictory" else Q(state=standing)


def _after(cursor: str | None) -> Q:
    if cursor is None:
        return Q()
    answers, uid = read_cursor(cursor, int, str)
    if answers is None or uid is None:
        raise CursorInvalid
    return Q(answers__lt=answers) | Q(answers=answers, uid__gt=uid)


def _rows(viewer: Viewer, page: Sequence[Notice], *, most: int = _SHOWN) -> tuple[NoticeRow, ...]:
    matches, closed = _matches(viewer, page)
    texts = shelf.texts_at(
        viewer,
        viewer.workspace_id,
        {place for row in page if row.pk not in closed for place in places_of(row)[:2]},
    )
    return tuple(_row(row, matches[row.pk][:most], texts, hidden=row.pk in closed) for row in page)


def _row(
    row: Notice,
    matches: Sequence[MatchView],
    texts: Mapping[shelf.Place, Mapping[str, Any]],
    *,
    hidden: bool,
) -> NoticeRow:
    told = [texts[place] for place in places_of(row) if place in texts]
    title = next((each["title"] for each in told if each.get("title")), None)
    title = title or next((each["shown"] for each in told if each.get("shown")), None)
    return NoticeRow(
        uid=row.uid,
        hidden=hidden,
        kind=row.kind,
        title=None if hidden else title,
        notice_doi=None if hidden else row.notice_doi or None,
        notice_pmid=None if hidden else row.notice_pmid or None,
        subject_doi=None if hidden else row.subject_doi or None,
        subject_pmid=None if hidden else row.subject_pmid or None,
        noted_on=row.noted_on,
        providers=providers_of(row.providers),
        remarks=tuple(row.remarks),
        doubtful=row.doubtful,
        state=row.state,
        answers=max(0, row.answers),
        matches=tuple(matches),
    )


def _matches(viewer: Viewer, page: Sequence[Notice]) -> tuple[dict[int, list[MatchView]], set[int]]:
    """The matches of each notice, the surest first; and the notices of which nothing may be told."""
    rows = list(
        NoticeMatch.objects.filter(notice__in=[row.pk for row in page])
        .exclude(state=NoticeMatch.State.REJECTED)
        .select_related("source", "case")
        .order_by("notice_id", "state", "source__uid")[: _MOST_MATCHES * max(1, len(page))]
    )
    sources = {row.source_id: row.source for row in rows}
    seen = visible(viewer, list(sources.values()))
    states = node_states(viewer.workspace_id, list(sources.values()))
    found: dict[int, list[MatchView]] = defaultdict(list)
    closed: set[int] = set()
    for row in rows:
        erased = states[row.source_id].erasure is not None
        hidden = not seen[row.source_id]
        if hidden or erased:
            closed.add(row.notice_id)
        shown = not hidden and not erased
        found[row.notice_id].append(
            MatchView(
                source_uid=row.source.uid,
                title=str(row.source.fields.get("title") or row.source.label) if shown else None,
                hidden=hidden,
                by=row.by,
                state=row.state,
                signs=tuple(row.signs) if shown else (),
                case_uid=row.case.uid if row.case else None,
                case_kind=row.case.kind if row.case else None,
                case_state=row.case.state if row.case else None,
            )
        )
    return found, closed
