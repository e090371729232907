"""`/cases/new`: the form that drafts a case."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from lineage.cases import workflow
from lineage.cases.errors import DraftDiffers, DraftRefused
from lineage.cases.view import CaseView
from lineage.pages.case_form import CaseForm, parse_form, prefilled
from lineage.types import Viewer
from lineage.vocabulary import CASE_KINDS
from provexplorer.htmx import render_page
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.pages import member_page


@member_page(minimum=Role.OPERATOR)
def new(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Draft a case; links fill the form in advance (lineage.pages.case_form.prefilled)."""
    if request.method == "POST":
        form = parse_form(viewer, request.POST)
    else:
        form = prefilled(viewer, request.GET)
    if form.is_sent and not form.wrong:
        try:
            drafted = _drafted(viewer, form)
        except DraftRefused as refused:
            form = form.refused(refused.pointer, refused.detail)
        else:
            return HttpResponseRedirect(reverse("case", args=[drafted.uid]))
    return _form_page(request, viewer, form)


def _drafted(viewer: Viewer, form: CaseForm) -> CaseView:
    """The case of the form, one however often its button was pressed."""
    wanted = workflow.NewCase(
        kind=form.kind,
        targets=[{"uid": uid} for uid in form.targets],
        reason=form.reason,
        evidence=form.evidence_lines,
        effective_at=form.effective_instant,
    )
    try:
        drafted, _new = workflow.draft_once(viewer, form.once, wanted)
    except DraftDiffers:
        # Whoever went back to the form and said something else means another case.
        drafted = workflow.draft(viewer, wanted)
    return drafted


def _form_page(request: HttpRequest, viewer: Viewer, form: CaseForm) -> HttpResponse:
    context = {"form": form, "picker": form.picker(viewer), "kinds": CASE_KINDS, "section": "cases"}
    return render_page(
        request,
        "cases/new.html",
        context,
        partials={"picker": "cases/_picker.html"},
        status=422 if form.wrong else 200,
    )
