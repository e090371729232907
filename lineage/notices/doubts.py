"""What the notices of a workspace say together that cannot all be right; told, never resolved.

Works that update each other in a circle: nobody knows which is the notice. One notice that is
said to retract and to correct the same work: nobody knows which.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from django.db.models import Count, F

from lineage.formats.notice_kinds import CASE_KIND
from lineage.ingest.keys import in_chunks
from lineage.models import Notice
from lineage.notices.evidence import CYCLE, KINDS_DISAGREE
from provexplorer.workspaces.models import Workspace

# Notices that are about notices: few, in any catalogue. More of them are not looked through.
MOST_EDGES: Final = 50_000


def find_doubts(workspace: Workspace) -> dict[str, set[int]]:
    """Mark the notices that contradict each other; gives those newly marked, by remark.

    In the caller's transaction. What is marked stays so: notices do not go away.
    """
    return {
        remark: marked
        for remark, ids in (
            (CYCLE, _in_circles(workspace)),
            (KINDS_DISAGREE, _of_several_kinds(workspace)),
        )
        if (marked := _mark(workspace, ids, remark))
    }


def _in_circles(workspace: Workspace) -> set[int]:
    """Notices that lie on a circle of works that update each other."""
    mine = (
        Notice.objects.filter(workspace=workspace).exclude(notice_doi=F("subject_doi")).order_by()
    )
    # Sets, not a look-up a row: without statistics a planner takes hours for those.
    notices = mine.exclude(notice_doi="").values_list("notice_doi")
    works = mine.exclude(subject_doi="").values_list("subject_doi")
    both = {doi for (doi,) in notices.intersection(works)[:MOST_EDGES]}
    edges: dict[str, dict[int, str]] = defaultdict(dict)
    for some in in_chunks(sorted(both)):
        rows = mine.filter(subject_doi__in=some).order_by("pk")
        for pk, work, notice in rows.values_list("pk", "subject_doi", "notice_doi")[:MOST_EDGES]:
            if notice in both:
                edges[work][pk] = notice
    ring = _rings({work: set(notices.values()) for work, notices in edges.items()})
    return {
        pk
        for work, notices in edges.items()
        for pk, notice in notices.items()
        if work in ring and ring[work] == ring.get(notice)
    }


def _rings(edges: Mapping[str, Collection[str]]) -> dict[str, int]:
    """The circle that each work lies on, by a number (strongly connected components, by Tarjan)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    ring: dict[str, int] = {}
    stack: list[str] = []
    for start in edges:
        if start in number:
            continue
        walk: list[tuple[str, Iterator[str]]] = [_enter(start, edges, number, lowest, stack)]
        while walk:
            work, ahead = walk[-1]
            following = next(ahead, None)
            if following is None:
                walk.pop()
                if walk:
                    before = walk[-1][0]
                    lowest[before] = min(lowest[before], lowest[work])
                if lowest[work] == number[work]:
                    _leave(work, number[work], stack, ring)
            elif following not in number:
                walk.append(_enter(following, edges, number, lowest, stack))
            elif following not in ring:
                lowest[work] = min(lowest[work], number[following])
    return ring


def _enter(
    work: str,
    edges: Mapping[str, Collection[str]],
    number: dict[str, int],
    lowest: dict[str, int],
    stack: list[str],
) -> tuple[str, Iterator[str]]:
    number[work] = lowest[work] = len(number)
    stack.append(work)
    return work, iter(edges.get(work, ()))


def _leave(work: str, at: int, stack: list[str], ring: dict[str, int]) -> None:
    while True:
        last = stack.pop()
        ring[last] = at
        if last == work:
            return


def _of_several_kinds(workspace: Workspace) -> set[int]:
    """Notices that say several things of the same work, as far as they ask for different cases."""
    mine = Notice.objects.filter(workspace=workspace, kind__in=[*CASE_KIND, "reinstatement"])
    several = (
        mine.exclude(notice_doi="")
        .exclude(subject_doi="")
        .order_by("notice_doi", "subject_doi")
        .values("notice_doi", "subject_doi")
        .annotate(kinds=Count("kind", distinct=True))
        .filter(kinds__gt=1)[:MOST_EDGES]
    )
    pairs = {(row["notice_doi"], row["subject_doi"]) for row in several}
    rows: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for some in in_chunks(sorted({notice for notice, _ in pairs})):
        found = mine.filter(notice_doi__in=some).order_by("pk")
        for pk, notice, work, kind in found.values_list("pk", "notice_doi", "subject_doi", "kind"):
            if (notice, work) in pairs:
                rows[notice, work][pk] = CASE_KIND.get(kind, kind)
    return {pk for kinds in rows.values() if len(set(kinds.values())) > 1 for pk in kinds}


def _mark(workspace: Workspace, ids: Collection[int], remark: str) -> set[int]:
    marked: set[int] = set()
    for some in in_chunks(sorted(ids)):
        rows = list(Notice.objects.filter(workspace=workspace, pk__in=some).order_by("pk"))
        fresh = [row for row in rows if remark not in row.remarks]
        for row in fresh:
            row.remarks = sorted({*row.remarks, remark})
            row.doubtful = True
        Notice.objects.bulk_update(fresh, ["remarks", "doubtful"], batch_size=200)
        marked |= {row.pk for row in fresh}
    return marked
