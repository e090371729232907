"""Cases that notices ask for: one draft each, whoever tells of it and however often.

A draft has no effect: a person tries it out and approves it. Of what is contradictory no case
is drafted by itself, nor of a work that was reinstated later; a reinstatement is joined to the
case that it speaks of, for an editor to lift.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from django.db.models import Count, QuerySet
from django.utils.translation import gettext_noop

from lineage import bulk_rows
from lineage.cases.errors import DraftRefused
from lineage.cases.targets import MOST_TARGETS
from lineage.cases.workflow import NewCase, draft
from lineage.formats.notice_kinds import CASE_KIND
from lineage.ingest.keys import in_chunks
from lineage.models import Case, CaseTarget, Notice, NoticeMatch, RestsOn
from lineage.notices.evidence import providers_of
from lineage.types import Viewer
from provexplorer.workspaces.models import Workspace

REINSTATEMENT: Final = "reinstatement"
_CLOSED: Final = (Case.State.CANCELLED, Case.State.REJECTED)
# Notices looked at between two looks at the clock.
BATCH: Final = 50
# Kept in English, and told in the language of whoever reads the case.
_REASONS: Final = {
    "retraction": gettext_noop("A retraction of this work was published."),
    "withdrawal": gettext_noop("This work was withdrawn."),
    "removal": gettext_noop("This work was removed by its publisher."),
    "concern": gettext_noop("An expression of concern about this work was published."),
    "correction": gettext_noop("A correction of this work was published."),
}


def machine(workspace: Workspace) -> Viewer:
    """Who drafts what nobody asked for: sees all, and may draft."""
    return Viewer(
        workspace_id=workspace.pk,
        hash_key=workspace.hash_key,
        slug=workspace.slug,
        sees_all=True,
        scopes=frozenset({"read", "operate"}),
    )


def due(workspace: Workspace) -> QuerySet[NoticeMatch]:
    """Matches that were not looked at for a case yet."""
    return NoticeMatch.objects.filter(
        notice__workspace=workspace, due=True, state=NoticeMatch.State.MATCHED
    )


def draft_due(workspace: Workspace, *, most: int = BATCH) -> tuple[int, bool]:
    """Open the cases of some notices, those with the most answers first.

    Gives how many were opened, and whether more is left. Doing it again opens nothing twice.
    """
    ids = list(
        due(workspace)
        .order_by("-notice__answers", "notice__uid")
        .values_list("notice_id", flat=True)
        .distinct()[: most + 1]
    )
    opened = sum(_settle(workspace, pk) for pk in ids[:most])
    return opened, len(ids) > most


def count_answers(notice_ids: Collection[int]) -> None:
    """Count the answers that rest on what these notices concern, or may."""
    rows = NoticeMatch.objects.exclude(state=NoticeMatch.State.REJECTED)
    for some in in_chunks(sorted(notice_ids)):
        sources: dict[int, set[int]] = defaultdict(set)
        for notice_id, source_id in (
            rows.filter(notice_id__in=some).order_by("pk").values_list("notice_id", "source_id")
        ):
            sources[notice_id].add(source_id)
        single = {next(iter(ids)) for ids in sources.values() if len(ids) == 1}
        counted: dict[int, int] = dict(
            RestsOn.objects.filter(target_id__in=sorted(single))
            .order_by("target_id")
            .values("target_id")
            .annotate(number=Count("pk"))
            .values_list("target_id", "number")
        )
        numbers = {
            pk: counted.get(next(iter(ids)), 0)
            if len(ids) == 1
            else RestsOn.objects.filter(target_id__in=ids).values("answer_id").distinct().count()
            for pk, ids in sources.items()
        }
        rows_now = Notice.objects.filter(pk__in=list(numbers)).order_by("pk")
        changed = [
            (numbers[pk], pk)
            for pk, answers in rows_now.values_list("pk", "answers")
            if answers != numbers[pk]
        ]
        bulk_rows.update(Notice, ("answers",), changed)


def file_by_hand(viewer: Viewer, notice: Notice, matches: Sequence[NoticeMatch]) -> str | None:
    """Draft the case of a notice that nobody drafts by itself; its uid, None for kinds that ask for none.

    Raises ScopeMissing, DraftRefused.
    """
    kind = CASE_KIND.get(notice.kind)
    if kind is None or not matches:
        return None
    return _open(viewer, notice, kind, matches)


def _settle(workspace: Workspace, notice_id: int) -> bool:
    """Look at one notice; whether a case was opened."""
    notice = Notice.objects.get(pk=notice_id)
    matches = list(
        NoticeMatch.objects.filter(
            notice=notice, due=True, state=NoticeMatch.State.MATCHED
        ).order_by("source__uid")[:MOST_TARGETS]
    )
    kind = CASE_KIND.get(notice.kind)
    opened = False
    if notice.kind == REINSTATEMENT:
        join_to_its_case(workspace, matches)
    elif kind is not None and not notice.doubtful:
        waiting = [row for row in matches if row.case_id is None]
        waiting = _without_reinstated(notice, waiting)
        waiting = _without_known(notice, kind, waiting)
        if waiting:
            try:
                _open(machine(workspace), notice, kind, waiting)
                opened = True
            except DraftRefused:
                # What it names is gone meanwhile: nothing is to be put right.
                opened = False
    NoticeMatch.objects.filter(pk__in=[row.pk for row in matches]).update(due=False)
    return opened


def _open(viewer: Viewer, notice: Notice, kind: str, matches: Sequence[NoticeMatch]) -> str:
    uids = [row.source.uid for row in matches]
    drafted = draft(
        viewer,
        NewCase(
            kind=kind,
            targets=[{"uid": uid} for uid in uids],
            reason=_REASONS[notice.kind],
            evidence=[_evidence(notice, matches)],
        ),
        key=f"notice:{notice.notice_doi or notice.notice_pmid or notice.uid}:{kind}:{uids[0]}",
    )
    case = Case.objects.get(workspace_id=viewer.workspace_id, uid=drafted.uid)
    NoticeMatch.objects.filter(pk__in=[row.pk for row in matches]).update(case=case, due=False)
    return drafted.uid


def _evidence(notice: Notice, matches: Sequence[NoticeMatch]) -> dict[str, object]:
    told: dict[str, object] = {
        "notice": notice.uid,
        "kind": notice.kind,
        "matched_by": sorted({row.by for row in matches}),
        "told_by": list(providers_of(notice.providers)),
    }
    if notice.noted_on:
        told["noted_on"] = notice.noted_on.isoformat()
    if notice.notice_doi:
        told["address"] = f"https://doi.org/{notice.notice_doi}"
    elif notice.notice_pmid:
        told["address"] = f"https://pubmed.ncbi.nlm.nih.gov/{notice.notice_pmid}/"
    if notice.remarks:
        told["remarks"] = list(notice.remarks)
    return told


def _without_reinstated(notice: Notice, matches: Sequence[NoticeMatch]) -> list[NoticeMatch]:
    """Those of whose source no later notice says that it stands again."""
    if notice.noted_on is None or not matches:
        return list(matches)
    again = set(
        NoticeMatch.objects.filter(
            source_id__in=[row.source_id for row in matches],
            state=NoticeMatch.State.MATCHED,
            notice__kind=REINSTATEMENT,
            notice__noted_on__gte=notice.noted_on,
        )
        .order_by("source_id")
        .values_list("source_id", flat=True)
    )
    if again and "reinstated_later" not in notice.remarks:
        notice.remarks = sorted({*notice.remarks, "reinstated_later"})
        notice.save(update_fields=["remarks"])
    return [row for row in matches if row.source_id not in again]


def _without_known(notice: Notice, kind: str, matches: Sequence[NoticeMatch]) -> list[NoticeMatch]:
    """Those whose case is not there yet by another name of the same notice: they are joined to it.

    The publisher withdraws what the database of retractions calls retracted; one names the
    notice by its DOI, the other by its PMID.
    """
    others = NoticeMatch.objects.filter(
        source_id__in=[row.source_id for row in matches],
        notice__kind__in=[each for each, asked in CASE_KIND.items() if asked == kind],
        case__isnull=False,
    ).exclude(notice=notice)
    known: dict[int, int | None] = {}
    for row in others.select_related("notice").order_by("pk")[:1_000]:
        if _is_the_same(notice, row.notice):
            known.setdefault(row.source_id, row.case_id)
    left = []
    for match in matches:
        if match.source_id in known:
            NoticeMatch.objects.filter(pk=match.pk).update(case_id=known[match.source_id])
        else:
            left.append(match)
    return left


def _is_the_same(one: Notice, other: Notice) -> bool:
    if one.notice_doi and other.notice_doi:
        return one.notice_doi == other.notice_doi
    if one.notice_pmid and other.notice_pmid:
        return one.notice_pmid == other.notice_pmid
    return one.noted_on is not None and one.noted_on == other.noted_on


def join_to_its_case(workspace: Workspace, matches: Sequence[NoticeMatch]) -> None:
    """Join a reinstatement to the latest case on its source that was not closed before it took effect."""
    for match in matches:
        case_id = (
            CaseTarget.objects.filter(node_id=match.source_id, case__workspace=workspace)
            .filter(case__kind__in=sorted(set(CASE_KIND.values())))
            .exclude(case__state__in=_CLOSED)
            .order_by("-case__created_at", "-case_id")
            .values_list("case_id", flat=True)
            .first()
        )
        if case_id is not None:
            NoticeMatch.objects.filter(pk=match.pk).update(case_id=case_id)
