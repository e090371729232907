"""`/lineage/UID/impact`: which answers rest on a node, how strongly, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse

from lineage.impact.report import ImpactReport, UnknownWord, impact
from lineage.impact.stages import Downstream, downstream_counts
from lineage.nodes import node
from lineage.nodes.paging import CursorInvalid
from lineage.pages.around import Around, around
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


@dataclass(frozen=True, slots=True)
class ImpactPage:
    """The node, the counts before filters, and a page of the answers after them."""

    root: NodeView
    counts: Mapping[str, int]
    every: int
    total: int
    items: tuple[Affected, ...]
    next: str | None
    may_be_target: bool
    downstream: Downstream
    around: Around | None
    graph_away: bool


def impact_page(
    viewer: Viewer, uid: str, *, grade: str, state: str, cursor: str | None, with_picture: bool
) -> ImpactPage:
    """Numbers and list from what is prepared, the picture (`around`) from the graph, if it answers.

    Raises NotFound, Moved, Erased, UnknownWord and CursorInvalid.
    """
    root = node(viewer, uid)
    report = impact(
        viewer,
        uid,
        grades=[grade] if grade else (),
        states=[state] if state else (),
        limit=PAGE_SIZE,
        cursor=cursor,
    )
    picture: Around | None = None
    graph_away = False
    if with_picture:
        try:
            picture = around(viewer, uid, direction="down", most=MOST_PICTURED)
        except GraphAway:
            graph_away = True
    named = {uid: root, **nodes_of(viewer, _uids(report) - {uid})}
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
            )
            for item in report.items
        ),
        next=report.next,
        may_be_target=root.kind in CASE_TARGET_KINDS and not root.hidden,
        downstream=downstream_counts(viewer, uid),
        around=picture,
        graph_away=graph_away,
    )


def _uids(report: ImpactReport) -> set[str]:
    return {item.uid for item in report.items} | {
        uid for item in report.items for uid in item.because
    }


def _step(node: NodeView) -> Step:
    return Step(node.uid, node.kind, name_of(node))


@object_page
def page(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """`?grade=`, `?state=` and `?cursor=`: one query, one selection, one address."""
    grade, state = request.GET.get("grade", ""), request.GET.get("state", "")
    try:
        found = impact_page(
            viewer,
            uid,
            grade=grade,
            state=state,
            cursor=request.GET.get("cursor"),
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
