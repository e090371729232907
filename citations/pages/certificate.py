"""`/cases/UID/certificate`: what is certified of a case, to be read and printed."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from citations.exports.case_certificate import certificate_file, whole_certificate
from citations.exports.signing import own_fingerprint
from lineage.cases.errors import CaseConflict
from lineage.pages.words import GRADE_ORDER
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.audit.recording import record
from provexplorer.workspaces.pages import object_page


@object_page
def certificate(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    """The page; `?signed` gives the signed file. Before the case has ended, back to the case."""
    try:
        if "signed" in request.GET:
            content = certificate_file(viewer, uid)
            record("export.made", viewer, object_uid=uid, code="certificate")
            return HttpResponse(
                content,
                content_type="application/json",
                headers={"Content-Disposition": f'attachment; filename="{uid}.json"'},
            )
        found = whole_certificate(viewer, uid)
    except CaseConflict as refused:
        messages.error(request, refused.detail)
        return HttpResponseRedirect(reverse("case", args=[uid]))
    context = {
        "found": found,
        "grades": GRADE_ORDER,
        "fingerprint": own_fingerprint(),
        "section": "cases",
    }
    return render_page(request, "cases/certificate.html", context)
