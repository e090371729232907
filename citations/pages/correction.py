"""`/corrections/…`: a reader asks that something be put right, and sees what becomes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from citations.correction_request import About, about, ask
from lineage.cases.errors import CaseConflict, DraftRefused
from lineage.cases.request import (
    LONGEST_EVIDENCE,
    LONGEST_REASON,
    MOST_OPEN,
    WRONGS,
    mine,
    open_requests,
    withdraw,
)
from lineage.nodes.paging import CursorInvalid
from lineage.pages.names import name_of, nodes_of
from lineage.pages.requests import named_about
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import member_page, object_page

PAGE_SIZE: Final = 30
# The parts of a JSON pointer that name a field of the form.
_FIELDS: Final = ("wrong", "claim", "reason", "evidence")


@dataclass(frozen=True, slots=True)
class RequestForm:
    """What was typed; `wrong_fields` by field name, "about" for what no field is at fault for."""

    wrong: str = ""
    claim: str = ""
    reason: str = ""
    evidence: str = ""
    faults: Mapping[str, str] = field(default_factory=dict)

    def refused(self, pointer: str, detail: str) -> "RequestForm":
        """The form with what was said against it; `pointer` is a JSON pointer."""
        name = pointer.strip("/").partition("/")[0]
        return replace(self, faults={name if name in _FIELDS else "about": detail})


def _form(sent: QueryDict) -> RequestForm:
    wrong = sent.get("wrong", "")
    return RequestForm(
        wrong=wrong if wrong in WRONGS else "",
        claim=sent.get("claim", "")[:40],
        # Databases keep no NUL; one more character than fits tells that it is too long.
        reason=sent.get("reason", "").replace("\0", "")[: LONGEST_REASON + 1],
        evidence=sent.get("evidence", "").replace("\0", "")[: LONGEST_EVIDENCE + 1],
    )


@object_page
def new(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """Ask for a correction of what has this uid; `?wrong=`, `?claim=` fill the form in advance."""
    seen = about(viewer, uid)
    form = _form(request.POST if request.method == "POST" else request.GET)
    if request.method == "POST":
        try:
            drafted, is_new = ask(
                viewer,
                uid,
                wrong=form.wrong,
                claim=form.claim,
                reason=form.reason,
                evidence=form.evidence,
            )
        except DraftRefused as refused:
            form = form.refused(refused.pointer, refused.detail)
        else:
            if is_new:
                messages.success(request, _("Your request has been sent to the editors."))
            else:
                messages.warning(request, _("You have asked for this already; here it is."))
            return HttpResponseRedirect(reverse("case", args=[drafted]))
    return _form_page(request, viewer, seen, form)


def _form_page(
    request: HttpRequest, viewer: Viewer, seen: About, form: RequestForm
) -> HttpResponse:
    known = nodes_of(viewer, [seen.uid])
    context = {
        "about": seen,
        "name": name_of(known[seen.uid]) if seen.uid in known else seen.uid,
        "form": form,
        "wrongs": WRONGS,
        "open": open_requests(viewer),
        "most": MOST_OPEN,
        "section": "sources",
    }
    status = 422 if form.faults else 200
    return render_page(request, "corrections/new.html", context, status=status)


@member_page
def requests(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """The requests of who looks, newest first: `?cursor=`."""
    try:
        page = mine(viewer, limit=PAGE_SIZE, cursor=request.GET.get("cursor") or None)
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    context = {
        "page": page,
        "names": named_about(viewer, page.items),
        "section": "cases",
    }
    return render_page(request, "corrections/list.html", context)


@require_POST
@object_page
def take_back(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """Withdraw a request of one's own, by the uid of its case."""
    try:
        withdraw(viewer, uid)
    except CaseConflict as refused:
        messages.error(request, refused.detail)
    else:
        messages.success(request, _("Your request has been withdrawn."))
    return HttpResponseRedirect(reverse("case", args=[uid]))
