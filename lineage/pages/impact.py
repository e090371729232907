"""`/lineage/UID/impact`: which answers rest on a node, how strongly, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse

from lineage.impact.report import ImpactItem, ImpactReport, UnknownWord, impact
from lineage.impact.stages import Downstream, downstream_counts
from lineage.nodes import node
from lineage.nodes.paging import CursorInvalid
from lineage.pages.around import Around, around
from lineage.pages.drop_reasons import drop_reasons
from lineage.pages.names import name_of, nodes_of
from lineage.pages.words import GRADE_ORDER, OWN_PAGES
from lineage.types import GraphAway, NodeView, Viewer
from lineage.vocabulary import CASE_TARGET_KINDS
from provexplorer.htmx import partial_of, render_page
from provexplorer.workspaces.pages import object_page

PAGE_SIZE = 30
# Nodes of the picture: enough for its columns and bundles.
MOST_PICTURED = 400
PARTIALS = {"affected": "lineage/_affected.html"}
STATES = ("current", "review", "stale")


@dataclass(frozen=True, slots=True)
class Step:
    """A node of an explaining chain; its name is empty where the viewer may not see it."""

    uid: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Affected:
    """An answer that rests on the node, with the chain that explains it."""

    uid: str
    name: str
    grade: str
    origin_grade: str | None
    state: str
    occurred_at: datetime | None
    because: tuple[Step, ...]
    drop_reason: str | None  # of what was only retrieved: why the model never got it


@dataclass(frozen=True, slots=True)
class NextPage:
    """Where the list goes on: the cursor within the answers of a grade; empty: at its first."""

    grade: str
    cursor: str


@dataclass(frozen=True, slots=True)
class ImpactPage:
    """The node, the counts before filters, and a page of the answers after them."""

    root: NodeView
    counts: Mapping[str, int]
    every: int
    total: int
    items: tuple[Affected, ...]
    next: NextPage | None
    may_be_target: bool
    downstream: Downstream
    around: Around | None
    graph_away: bool


def impact_page(
    viewer: Viewer, uid: str, *, grade: str, state: str, after: NextPage | None, with_picture: bool
) -> ImpactPage:
    """Numbers and list from what is prepared, the picture (`around`) from the graph, if it answers.

    The list has the strongest grade first, within a grade the newest answers first. Raises NotFound, Moved, Erased, UnknownWord and CursorInvalid.
    """
    root = node(viewer, uid)
    states = [state] if state else ()
    report = impact(viewer, uid, grades=[grade] if grade else (), states=states, limit=1)
    items, following = _strongest_first(viewer, uid, report, grade, states, after)
    picture: Around | None = None
    graph_away = False
    if with_picture:
        try:
            picture = around(
                viewer,
                uid,
                direction="down",
                most=MOST_PICTURED,
                # A walk that is cut short may not reach the answers: those listed are drawn.
                paths=[(*item.because, item.uid) for item in items],
            )
        except GraphAway:
            graph_away = True
    named = {uid: root, **nodes_of(viewer, _uids(items) - {uid})}
    dropped = drop_reasons(viewer, items)
    return ImpactPage(
        root=root,
        counts=report.counts,
        every=sum(report.counts.values()),
        total=report.total,
        items=tuple(
            Affected(
                uid=item.uid,
                name=name_of(named[item.uid]) if item.uid in named else item.key,
                grade=item.grade,
                origin_grade=item.origin_grade,
                state=item.state,
                occurred_at=item.occurred_at,
                because=tuple(
                    # The page is about the node itself: the chain begins after it.
                    _step(named[each])
                    for each in item.because
                    if each in named and each != uid
                ),
                drop_reason=dropped.get(item.uid),
            )
            for item in items
        ),
        next=following,
        may_be_target=root.kind in CASE_TARGET_KINDS and not root.hidden,
        downstream=downstream_counts(viewer, uid),
        around=picture,
        graph_away=graph_away,
    )


def _strongest_first(
    viewer: Viewer,
    uid: str,
    report: ImpactReport,
    grade: str,
    states: Sequence[str],
    after: NextPage | None,
) -> tuple[list[ImpactItem], NextPage | None]:
    """A page of the answers, grade by grade, and where the next one begins."""
    grades = [each for each in GRADE_ORDER if report.counts[each] and grade in ("", each)]
    cursor = None
    if after is not None:
        if after.grade not in GRADE_ORDER:
            raise CursorInvalid
        first = GRADE_ORDER.index(after.grade)
        grades = [each for each in grades if GRADE_ORDER.index(each) >= first]
        cursor = after.cursor or None
    found: list[ImpactItem] = []
    for each in grades:
        room = PAGE_SIZE - len(found)
        if not room:
            return found, NextPage(each, "")
        part = impact(viewer, uid, grades=[each], states=states, limit=room, cursor=cursor)
        cursor = None
        found += part.items
        if part.next:
            return found, NextPage(each, part.next)
    return found, None


def _uids(items: Sequence[ImpactItem]) -> set[str]:
    return {item.uid for item in items} | {uid for item in items for uid in item.because}


def _step(node: NodeView) -> Step:
    return Step(node.uid, node.kind, name_of(node))


def _after(request: HttpRequest, grade: str) -> NextPage | None:
    cursor, begins = request.GET.get("cursor", ""), request.GET.get("from", grade)
    return NextPage(begins, cursor) if cursor or "from" in request.GET else None


@object_page
def page(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`?grade=`, `?state=`, `?from=` and `?cursor=`: one query, one selection, one address."""
    grade, state = request.GET.get("grade", ""), request.GET.get("state", "")
    try:
        found = impact_page(
            viewer,
            uid,
            grade=grade,
            state=state,
            after=_after(request, grade),
            with_picture=partial_of(request, PARTIALS) is None,
        )
    except (UnknownWord, CursorInvalid):
        return render_page(request, "400.html", {"again": request.path}, status=400)
    context = {
        "page": found,
        "grade": grade,
        "state": state,
        "grades": GRADE_ORDER,
        "states": STATES,
        "own_pages": OWN_PAGES,
        "section": "sources" if found.root.kind in {"source", "source_version"} else "",
    }
    return render_page(request, "lineage/impact.html", context, partials=PARTIALS)
