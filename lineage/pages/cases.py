"""`/cases/`, `/cases/new`, `/cases/UID`: from draft to result, each step a plain form."""

from collections.abc import Callable, Mapping
from typing import Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseStopPolling, retarget

from lineage.cases import workflow
from lineage.cases.errors import CaseConflict, DraftRefused, ScopeMissing
from lineage.cases.queue import queue as queue_of
from lineage.cases.request import requests_of
from lineage.cases.view import CaseView, case_view
from lineage.nodes.paging import CursorInvalid
from lineage.pages.case_form import CaseForm, parse_form, prefilled
from lineage.pages.case_progress import QUEUE_STATES, is_under_way, page_of, targets_named
from lineage.pages.requests import named_about
from lineage.pages.words import GRADE_ORDER
from lineage.types import Viewer
from lineage.vocabulary import CASE_KINDS
from provexplorer.htmx import partial_of, render_page
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.pages import member_page, object_page

PAGE_SIZE: Final = 30
PARTIALS: Final = {"progress": "cases/_progress.html", "case": "cases/_case.html"}

STEPS: Final[Mapping[str, Callable[[Viewer, str], CaseView]]] = {
    "dry-run": workflow.dry_run,
    "approve": workflow.approve,
    "cancel": workflow.cancel,
    "pause": workflow.pause,
    "resume": workflow.resume,
}


@member_page
def queue(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """`?state=`, `?cursor=`."""
    state = request.GET.get("state", "")
    try:
        found = queue_of(
            viewer,
            states=(state,) if state in QUEUE_STATES else (),
            limit=PAGE_SIZE,
            cursor=request.GET.get("cursor") or None,
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
        "section": "cases",
    }
    return render_page(request, "cases/list.html", context, partials={"list": "cases/_list.html"})


@member_page(minimum=Role.OPERATOR)
def new(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Draft a case. `?target=UID` (several), `?kind=`, `?evidence=` fill the form in advance."""
    form = parse_form(request.POST) if request.method == "POST" else prefilled(request.GET)
    if request.method == "POST" and form.is_sent and not form.wrong:
        try:
            drafted = workflow.draft(
                viewer,
                kind=form.kind,
                targets=[{"uid": uid} for uid in form.targets],
                reason=form.reason,
                evidence=list(form.evidence_lines),
                effective_at=form.effective_instant,
            )
        except DraftRefused as refused:
            form = form.refused(refused.pointer, refused.detail)
        else:
            return HttpResponseRedirect(reverse("case", args=[drafted.uid]))
    return _form_page(request, viewer, form)


def _form_page(request: HttpRequest, viewer: Viewer, form: CaseForm) -> HttpResponse:
    context = {"form": form, "picker": form.picker(viewer), "kinds": CASE_KINDS, "section": "cases"}
    return render_page(
        request,
        "cases/new.html",
        context,
        partials={"picker": "cases/_picker.html"},
        status=422 if form.wrong else 200,
    )


@object_page
def case(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """The case with its next step; under way, htmx asks for `progress` until it is over."""
    page = page_of(viewer, case_view(viewer, uid))
    asked = requests_of(viewer, [uid]).get(uid)
    context = {
        "page": page,
        "case": page.case,
        "asked": asked,
        "asked_about": named_about(viewer, [asked] if asked else []),
        "tiles": (("stale", "bad"), ("review", "warn"), ("current", "calm")),
        "grades": GRADE_ORDER,
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
    try:
        if step == "reinstate":
            reached = _reinstated(viewer, uid, request.POST.get("reason", ""))
        elif step in STEPS:
            reached = STEPS[step](viewer, uid)
        else:
            raise Http404
    except ScopeMissing as error:
        raise PermissionDenied from error
    except (CaseConflict, DraftRefused) as refused:
        messages.error(request, refused.detail)
        return HttpResponseRedirect(reverse("case", args=[uid]))
    return HttpResponseRedirect(reverse("case", args=[reached.uid]))


def _reinstated(viewer: Viewer, uid: str, reason: str) -> CaseView:
    """The reinstatement; people, unlike programs, say why they lift a case. Raises DraftRefused."""
    if not reason.strip():
        raise DraftRefused("/reason", _("Say why the case is lifted."))
    return workflow.reinstate(viewer, uid, reason=reason)
