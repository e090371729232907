"""`/incidents/`, `/incidents/new`, `/incidents/UID`: impact that people work off."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from lineage.cases.errors import ScopeMissing
from lineage.impact.question import Question, read_question, write_question
from lineage.impact.question_values import QuestionInvalid
from lineage.incidents import course, view, workflow
from lineage.incidents.errors import IncidentConflict, IncidentRefused
from lineage.incidents.people import people
from lineage.models import Incident
from lineage.nodes.paging import CursorInvalid
from lineage.pages.impact_links import Links, unfiltered
from lineage.pages.impact_start import wrong_words
from lineage.pages.names import name_of, nodes_of
from lineage.pages.question_words import told
from lineage.pages.words import GRADE_ORDER
from lineage.types import Moved, NotFound, Viewer
from lineage.webhooks import addresses
from provexplorer.htmx import render_page
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.pages import member_page, object_page

PAGE_SIZE: Final = 30
NEW_SHOWN: Final = 20
NOTES_SHOWN: Final = 30
STATES: Final = tuple(Incident.State.values)
PARTIALS: Final = {"list": "incidents/_list.html"}


@dataclass(frozen=True, slots=True)
class Counted:
    """A row of numbers: when it was opened, now, and what lies between; `link` to the list of now."""

    grade: str
    then: int
    now: int | None
    link: str

    @property
    def more(self) -> int | None:
        """How many more, or fewer, there are now."""
        return None if self.now is None else self.now - self.then


@dataclass(frozen=True, slots=True)
class NewShown:
    """A new answer as the page shows it."""

    answer: course.NewAnswer
    name: str


@member_page(minimum=Role.OPERATOR)
def incidents(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """`?state=`, `?assignee=` (a name, `-` for nobody), `?order=oldest`, `?cursor=`."""
    state, assignee = request.GET.get("state", ""), request.GET.get("assignee", "")[:200]
    oldest = request.GET.get("order") == "oldest"
    try:
        found = view.incidents(
            viewer,
            states=(state,) if state in STATES else (),
            assignee=assignee,
            oldest=oldest,
            limit=PAGE_SIZE,
            cursor=request.GET.get("cursor") or None,
        )
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    context = {
        "found": found,
        "state": state if state in STATES else "",
        "assignee": assignee,
        "order": "oldest" if oldest else "",
        "states": STATES,
        "people": people(viewer),
        "nobody": view.NOBODY,
        "me": request.user.get_username(),
        "section": "incidents",
    }
    return render_page(request, "incidents/list.html", context, partials=PARTIALS)


@member_page(minimum=Role.OPERATOR)
def new(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Save the question of this address as an incident; the form is sent to the same address."""
    try:
        question = read_question(request.GET)
        parts = told(viewer, question)
    except QuestionInvalid:
        return render_page(request, "400.html", {"again": reverse("incidents")}, status=400)
    typed = request.POST if request.method == "POST" else QueryDict()
    wrong: dict[str, str] = {}
    if request.method == "POST":
        try:
            uid = _open(viewer, question, typed)
        except IncidentRefused as refused:
            wrong[refused.pointer.strip("/") or "title"] = refused.detail
        except QuestionInvalid as error:
            wrong["question"] = wrong_words(error)
        except (NotFound, Moved):
            wrong["question"] = _("Something that it asks about is not known here any more.")
        else:
            return HttpResponseRedirect(reverse("incident", args=[uid]))
    context = {
        "question": question,
        "query": write_question(question),
        "report": Links(question, "", viewer.slug).here,
        "parts": parts,
        "typed": typed,
        "watching": request.method != "POST" or "watching" in typed,
        "wrong": wrong,
        "people": people(viewer),
        "section": "incidents",
    }
    status = 422 if wrong else 200
    return render_page(request, "incidents/new.html", context, status=status)


def _open(viewer: Viewer, question: Question, typed: QueryDict) -> str:
    return workflow.open_incident(
        viewer,
        title=typed.get("title", ""),
        question=question,
        note=_lines(typed.get("text", "")),
        assignee=typed.get("assignee", ""),
        watching="watching" in typed,
    )


@object_page(minimum=Role.OPERATOR)
def incident(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """One incident. `?answers=` and `?notes=` go on in its two lists."""
    found = view.incident_view(viewer, uid)
    try:
        answers = course.new_answers(
            viewer, uid, limit=NEW_SHOWN, cursor=request.GET.get("answers") or None
        )
        notes = course.notes(
            viewer, uid, limit=NOTES_SHOWN, cursor=request.GET.get("notes") or None
        )
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    named = nodes_of(viewer, [each.uid for each in answers.items])
    question = found.question
    links = Links(question, "", viewer.slug)
    context = {
        "found": found,
        "incident": found.row,
        "parts": told(viewer, question),
        "counted": _counted(found, links),
        "total": Counted("", found.row.total, found.total_now, links.here),
        "is_filtered": unfiltered(question) != question,
        "report": links.here,
        "exports": links.exports(),
        "answers": answers,
        "new_answers": [
            NewShown(each, name_of(named[each.uid]) if each.uid in named else each.uid)
            for each in answers.items
        ],
        "notes": notes,
        "people": people(viewer),
        "webhooks": addresses.webhooks(viewer, incident=uid),
        "case_address": _case_address(found),
        "section": "incidents",
    }
    return render_page(request, "incidents/incident.html", context)


@require_POST
@object_page(minimum=Role.OPERATOR)
def act(request: HttpRequest, viewer: Viewer, uid: str, step: str) -> HttpResponse:
    """One step, then back to the incident; of a deleted one, to the list."""
    if step not in STEPS:
        raise Http404
    try:
        STEPS[step](viewer, uid, request.POST)
    except ScopeMissing as error:
        raise PermissionDenied from error
    except (IncidentConflict, IncidentRefused) as refused:
        messages.error(request, refused.detail)
    else:
        if step == "delete":
            messages.success(request, _("The incident was deleted, with its notes."))
            return HttpResponseRedirect(f"{reverse('incidents')}?ws={viewer.slug}")
    return HttpResponseRedirect(reverse("incident", args=[uid]))


def _counted(found: view.IncidentView, links: Links) -> list[Counted]:
    """A row for each grade that had or has answers, before the filters."""
    now = found.counts_now
    rows = [
        Counted(
            grade,
            found.row.counts.get(grade, 0),
            None if now is None else now.get(grade, 0),
            links.grade(grade),
        )
        for grade in GRADE_ORDER
    ]
    return [row for row in rows if row.then or row.now]


def _case_address(found: view.IncidentView) -> str:
    """The form of a new case about what the incident asks about, with the incident as its evidence."""
    query = {"incident": found.row.uid}
    if found.targets and len(found.case_kinds) == 1:
        query["kind"] = found.case_kinds[0]
    return f"{reverse('case_new')}?{urlencode(query)}"


def _note(viewer: Viewer, uid: str, typed: QueryDict) -> None:
    workflow.note(viewer, uid, _lines(typed.get("text", "")))


def _notice(viewer: Viewer, uid: str, typed: QueryDict) -> None:
    number = typed.get("found", "")
    workflow.notice(viewer, uid, int(number) if number.isdecimal() and len(number) < 16 else 0)


def _lines(text: str) -> str:
    """A textarea's text with the line ends of everything else."""
    return text.replace("\r\n", "\n")


STEPS: Final[Mapping[str, Callable[[Viewer, str, QueryDict], None]]] = {
    "note": _note,
    "notice": _notice,
    "state": lambda viewer, uid, typed: workflow.change(
        viewer, uid, {"state": typed.get("state", "")}
    ),
    "assign": lambda viewer, uid, typed: workflow.change(
        viewer, uid, {"assignee": typed.get("assignee", "")}
    ),
    "rename": lambda viewer, uid, typed: workflow.change(
        viewer, uid, {"title": typed.get("title", "")}
    ),
    "watch": lambda viewer, uid, typed: workflow.change(
        viewer, uid, {"watching": typed.get("watching") == "on"}
    ),
    "link": lambda viewer, uid, typed: workflow.link_case(
        viewer, uid, typed.get("case", "").strip()
    ),
    "delete": lambda viewer, uid, _: workflow.delete(viewer, uid),
}
