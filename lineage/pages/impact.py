"""`/lineage/UID/impact` and `/impact/`: which answers rest on a node, or on several, how strongly, and why."""

from collections.abc import Sequence
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from lineage.impact.affected import Affected as Answers
from lineage.impact.question import Question
from lineage.impact.question_values import QuestionInvalid
from lineage.impact.runs_asked import runs_asked
from lineage.impact.stages import Downstream
from lineage.models import Node
from lineage.nodes import node
from lineage.nodes.paging import CursorInvalid
from lineage.pages.around import around
from lineage.pages.impact_links import asked_on_page, links_of
from lineage.pages.impact_page import Affected, found_for, list_page, report_numbers
from lineage.pages.impact_start import pasted_page, start_page
from lineage.pages.impact_words import FACETS, SORTS
from lineage.pages.picture_address import MOST_PORTIONS, MOST_STARTS, PORTION, PictureAddress
from lineage.pages.picture_walk import Paths
from lineage.pages.question_words import told
from lineage.pages.words import GRADE_ORDER, OWN_PAGES
from lineage.types import Erased, GraphAway, Viewer
from lineage.vocabulary import CASE_TARGET_KINDS, KINDS
from provexplorer.htmx import partial_of, render_page
from provexplorer.workspaces.pages import member_page, object_page

# Nodes of the picture: enough for its columns and bundles.
MOST_PICTURED: Final = 400
PARTIALS: Final = {"affected": "lineage/_affected.html", "numbers": "impact/_numbers.html"}


@object_page
def page(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """The report of one node: its filters, order and cursor in the address, as lineage.impact.question has them."""
    root = node(viewer, uid)
    try:
        found = found_for(viewer, asked_on_page(request, uid))
        context = _report(request, found, uid)
    except (QuestionInvalid, CursorInvalid):
        return _anew(request)
    context |= {
        "root": root,
        "own_pages": OWN_PAGES,
        "may_be_target": root.kind in CASE_TARGET_KINDS and not root.hidden,
        "section": "sources" if root.kind in {"source", "source_version"} else "",
    }
    if partial_of(request, PARTIALS) is None:
        # The list's chains begin after the node that the page is about.
        ways = [(uid, *way) for way in _ways(context["list"].items)]
        context |= _pictured(viewer, (uid,), ways)
    return render_page(request, "lineage/impact.html", context, partials=PARTIALS)


@member_page
def report(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """The report of several nodes, of a component's versions, of what one made; without a question, where to begin.

    `?edit=1` shows the form with the question in it. A pasted list is posted.
    """
    if request.method == "POST":
        return pasted_page(request, viewer)
    try:
        question = asked_on_page(request)
    except QuestionInvalid as error:
        return start_page(request, viewer, Question(), wrong=error)
    if not question.names_something or request.GET.get("edit"):
        return start_page(request, viewer, question)
    try:
        found = found_for(viewer, question)
        context = _report(request, found, "")
    except QuestionInvalid as error:
        return start_page(request, viewer, question, wrong=error)
    except CursorInvalid:
        return _anew(request)
    if partial_of(request, PARTIALS) is None:
        context |= {"parts": told(viewer, question), "section": "impact"}
        context["runs"] = runs_asked(viewer, question)
        if starts := context["starts"]:
            context |= _pictured(viewer, starts, _ways(context["list"].items))
        elif found.targets.ids != ():
            context["beyond_picture"] = MOST_STARTS
    return render_page(request, "lineage/impact.html", context, partials=PARTIALS)


def _report(request: HttpRequest, found: Answers, uid: str) -> dict[str, Any]:
    """What every form of the report shows; the list is left out where numbers alone are asked for."""
    question = found.question
    links = links_of(found.viewer, question, uid)
    part = partial_of(request, PARTIALS)
    numbers = report_numbers(found, links)
    counts = numbers.numbers.counts
    starts = (uid,) if uid else _starts(found)
    context: dict[str, Any] = {
        "question": question,
        "links": links,
        "report": numbers,
        "tiles": [(each, links.grade(each), counts and counts[each]) for each in GRADE_ORDER],
        "grade": question.grades[0] if len(question.grades) == 1 else "",
        "named": found.targets.named,
        "asks": found.targets.ids != (),
        "filtered": bool(found.conditions),
        "facet_words": FACETS,
        "sort_words": SORTS,
        "starts": starts,
        "stages": _stages(starts, numbers.numbers.stages),
        "alone": part == PARTIALS["numbers"],
    }
    if part != PARTIALS["numbers"]:
        context["list"] = list_page(found, links, request.GET.get("cursor") or None, counts)
    return context


def _stages(starts: Sequence[str], downstream: Downstream | None) -> list[tuple[str, int, str]]:
    """What lies downstream by kind: how many, and where they are listed, if a picture is drawn of the starts."""
    if downstream is None:
        return []
    return [
        (kind, count, _listed(starts, kind, count) if starts else "")
        for kind, count in downstream.counts.items()
        if kind != "answer"
    ]


def _listed(starts: Sequence[str], kind: str, count: int) -> str:
    portions = min(MOST_PORTIONS, -(-count // PORTION))
    address = PictureAddress(starts[0], "down", opened=((kind, portions),), also=tuple(starts[1:]))
    return f"{reverse('lineage', args=[starts[0]])}?{address.whole}#stage-{KINDS[kind].stage}"


def _starts(found: Answers) -> tuple[str, ...]:
    """The nodes asked about, where they are few enough for one picture."""
    ids = found.targets.ids
    if not ids or len(ids) > MOST_STARTS:
        return ()
    rows = Node.objects.filter(workspace_id=found.viewer.workspace_id, pk__in=ids)
    return tuple(rows.order_by("pk").values_list("uid", flat=True))


def _ways(items: Sequence[Affected]) -> list[tuple[str, ...]]:
    """From what each answer of the list rests on to the answer."""
    return [(*(step.uid for step in item.because), item.uid) for item in items]


def _pictured(viewer: Viewer, starts: Sequence[str], ways: Paths) -> dict[str, Any]:
    """The picture downstream, or that the graph is away; none around what has been erased.

    A walk that is cut short may not reach the answers: those listed are drawn, by their ways.
    """
    address = PictureAddress(starts[0], "down", also=tuple(starts[1:]))
    try:
        shown = around(viewer, starts[0], address=address, most=MOST_PICTURED, paths=ways)
    except GraphAway:
        return {"around": None, "graph_away": True}
    except Erased:
        return {}
    return {"around": shown, "graph_away": False}


def _anew(request: HttpRequest) -> HttpResponse:
    return render_page(request, "400.html", {"again": request.path}, status=400)
