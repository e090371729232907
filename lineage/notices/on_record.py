"""What catalogues of notices say of sources, for who reads what rests on them: before a case has any effect.

A published notice is a fact that readers may know at once; what follows from it here is for
editors to say. Of what is contradictory nothing is told until somebody has opened its case.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import F

from lineage.formats.notice_kinds import CASE_KIND
from lineage.models import Case, NoticeMatch
from lineage.notices.evidence import providers_of

_CLOSED = (Case.State.CANCELLED, Case.State.REJECTED)
# What `lineage.notices.drafting` notes where a later notice says that the work stands again.
_REINSTATED = "reinstated_later"


@dataclass(frozen=True, slots=True)
class OnRecord:
    """A notice about a source (by node id): what it asks for, when it was published, who tells of it.

    `case_uid` None: no case was opened. `lifted_at`: since when that case has no effect any more.
    """

    uid: str
    source_id: int
    case_kind: str
    doi: str
    pmid: str
    noted_on: date | None
    providers: tuple[str, ...]
    case_uid: str | None
    lifted_at: datetime | None


def on_record(
    workspace_id: int, source_ids: Collection[int], most: int = 50
) -> tuple[OnRecord, ...]:
    """The notices about these sources that readers are told of, the latest first.

    Not those whose case was turned down: somebody has looked, and said that nothing follows.
    """
    rows = (
        NoticeMatch.objects.filter(
            notice__workspace_id=workspace_id,
            source_id__in=list(source_ids),
            state=NoticeMatch.State.MATCHED,
            notice__kind__in=sorted(CASE_KIND),
        )
        .exclude(case__isnull=True, notice__doubtful=True)
        .exclude(case__state__in=_CLOSED)
        .select_related("notice", "case")
        .order_by(F("notice__noted_on").desc(nulls_last=True), "notice__uid", "source__uid")[:most]
    )
    lifted = _lifted([row.case_id for row in rows if row.case_id is not None])
    return tuple(
        OnRecord(
            uid=row.notice.uid,
            source_id=row.source_id,
            case_kind=CASE_KIND[row.notice.kind],
            doi=row.notice.notice_doi,
            pmid=row.notice.notice_pmid,
            noted_on=row.notice.noted_on,
            providers=providers_of(row.notice.providers),
            case_uid=row.case.uid if row.case else None,
            lifted_at=lifted.get(row.case_id or 0),
        )
        for row in rows
        if row.case_id is not None or _REINSTATED not in row.notice.remarks
    )


def _lifted(case_ids: Collection[int]) -> dict[int, datetime]:
    """Since when these cases have no effect any more, of those that were reinstated."""
    if not case_ids:
        return {}
    rows = Case.objects.filter(reinstates_id__in=list(case_ids)).order_by("approved_at")
    return {
        case_id: approved_at
        for case_id, approved_at in rows.values_list("reinstates_id", "approved_at")
        if case_id is not None and approved_at is not None
    }
