"""`/cases/`, `/cases/UID`: the queue, and a case from draft to result, each step a plain form."""

from collections.abc import Callable, Mapping
from typing import Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseStopPolling, retarget

from lineage.cases import discussion, files, workflow
from lineage.cases.errors import CaseConflict, DraftRefused, ScopeMissing
from lineage.cases.history import history
from lineage.cases.proving_again import prove_again
from lineage.cases.queue import WHOSE, Order, Whose
from lineage.cases.queue import queue as queue_of
from lineage.cases.request import requests_of
from lineage.cases.view import CaseView, case_view
from lineage.erasure.run import begin_now
from lineage.incidents.people import people
from lineage.nodes.paging import CursorInvalid
from lineage.pages.case_progress import QUEUE_STATES, is_under_way, page_of, targets_named
from lineage.pages.requests import named_about
from lineage.pages.words import GRADE_ORDER
from lineage.types import Viewer
from lineage.vocabulary import CASE_KINDS, REINSTATEMENT
from provexplorer.htmx import partial_of, render_page
from provexplorer.workspaces.pages import member_page, object_page

PAGE_SIZE: Final = 30
STEPS_SHOWN: Final = 30
KINDS: Final = (*CASE_KINDS, REINSTATEMENT)
PARTIALS: Final = {"progress": "cases/_progress.html", "case": "cases/_case.html"}


def _approve(viewer: Viewer, uid: str, typed: QueryDict) -> CaseView:
    seen = typed.get("seen", "")
    number = int(seen) if seen.isdecimal() and len(seen) < 10 else None
    approved = workflow.approve(viewer, uid, seen=number)
    begin_now(viewer, uid)
    return approved


def _reinstate(viewer: Viewer, uid: str, typed: QueryDict) -> CaseView:
    """The reinstatement; people, unlike programs, say why they lift a case. Raises DraftRefused."""
    if not typed.get("reason", "").strip():
        raise DraftRefused("/reason", _("Say why the case is lifted."))
    return workflow.reinstate(viewer, uid, reason=typed.get("reason", ""))


def _comment(viewer: Viewer, uid: str, typed: QueryDict) -> CaseView:
    discussion.comment(viewer, uid, typed.get("text", "").replace("\r\n", "\n"))
    return case_view(viewer, uid)


def _assign(viewer: Viewer, uid: str, typed: QueryDict) -> CaseView:
    discussion.assign(viewer, uid, typed.get("assignee", ""))
    return case_view(viewer, uid)


STEPS: Final[Mapping[str, Callable[[Viewer, str, QueryDict], CaseView]]] = {
    "dry-run": lambda viewer, uid, _: workflow.dry_run(viewer, uid),
    "approve": _approve,
    "reject": lambda viewer, uid, typed: workflow.reject(
        viewer, uid, reason=typed.get("reason", "").replace("\r\n", "\n")
    ),
    "cancel": lambda viewer, uid, _: workflow.cancel(viewer, uid),
    "pause": lambda viewer, uid, _: workflow.pause(viewer, uid),
    "resume": lambda viewer, uid, _: workflow.resume(viewer, uid),
    "prove-again": lambda viewer, uid, _: prove_again(viewer, uid),
    "reinstate": _reinstate,
    "comment": _comment,
    "assign": _assign,
}


@member_page
def queue(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """`?state=`, `?kind=`, `?whose=` (mine, nobody, feed), `?order=newest`, `?cursor=`."""
    given = request.GET
    state = given.get("state", "") if given.get("state") in QUEUE_STATES else ""
    kind = given.get("kind", "") if given.get("kind") in KINDS else ""
    works = "operate" in viewer.scopes
    whose: Whose = next((each for each in WHOSE if works and each == given.get("whose")), "")
    order: Order = "newest" if given.get("order") == "newest" else "damage"
    try:
        found = queue_of(
            viewer,
            states=(state,) if state else (),
            kinds=(kind,) if kind else (),
            whose=whose,
            order=order,
            limit=PAGE_SIZE,
            cursor=given.get("cursor") or None,
        )
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    requests = requests_of(viewer, [case.uid for case in found.items])
    context = {
        "found": found,
        "named": targets_named(viewer, found.items),
        "requests": requests,
        "asked_about": named_about(viewer, requests.values()),
        "state": state,
        "states": QUEUE_STATES,
        "kind": kind,
        "kinds": KINDS,
        "whose": whose,
        "order": "newest" if order == "newest" else "",
        "section": "cases",
    }
    return render_page(request, "cases/list.html", context, partials={"list": "cases/_list.html"})


@object_page
def case(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """The case with its next step; under way, htmx asks for `progress` until it is over.

    `?history=` goes on in what was done.
    """
    page = page_of(viewer, case_view(viewer, uid))
    asked = requests_of(viewer, [uid]).get(uid)
    works = "operate" in viewer.scopes
    try:
        steps = history(viewer, uid, limit=STEPS_SHOWN, cursor=request.GET.get("history") or None)
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    context = {
        "page": page,
        "case": page.case,
        "asked": asked,
        "asked_about": named_about(viewer, [asked] if asked else []),
        "tiles": (("stale", "bad"), ("review", "warn"), ("current", "calm")),
        "grades": GRADE_ORDER,
        "steps": steps,
        "files": files.files(viewer, uid) if works else (),
        "endings": ",".join(files.ENDINGS),
        "people": people(viewer) if works else (),
        "section": "cases",
    }
    if partial_of(request, PARTIALS) == PARTIALS["progress"] and not is_under_way(page.case.state):
        response = render_page(request, PARTIALS["case"], context)
        response.status_code = HttpResponseStopPolling.status_code
        return retarget(response, "#case")
    return render_page(request, "cases/case.html", context, partials=PARTIALS)


@require_POST
@object_page
def act(request: HttpRequest, viewer: Viewer, uid: str, step: str) -> HttpResponse:
    """One step of the workflow, then back to the case (of a reinstatement: to the new one)."""
    if step not in STEPS:
        raise Http404
    try:
        reached = STEPS[step](viewer, uid, request.POST)
    except ScopeMissing as error:
        raise PermissionDenied from error
    except (CaseConflict, DraftRefused) as refused:
        messages.error(request, refused.detail)
        return HttpResponseRedirect(reverse("case", args=[uid]))
    return HttpResponseRedirect(reverse("case", args=[reached.uid]))
