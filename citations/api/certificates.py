"""The certificate of a case, signed."""

from django.http import HttpRequest, HttpResponse
from ninja import Router

from citations.exports.case_certificate import certificate_file
from lineage.api.access import Needs, problems, viewer_of
from provexplorer.workspaces.audit.recording import record

router = Router(tags=["cases"], auth=Needs("read"))


@router.get(
    "/cases/{uid}/certificate",
    operation_id="get_case_certificate",
    summary="What is certified of a case, as one signed JSON object",
    openapi_extra={
        "responses": problems(404, 409)["responses"]
        | {
            200: {
                "description": "The certificate, to be checked with `provexplorer verify`.",
                "content": {"application/json": {"schema": {"type": "object"}}},
            }
        }
    },
)
def get_case_certificate(request: HttpRequest, uid: str) -> HttpResponse:
    """Of a case whose marking has ended, proved or with what it falls short of."""
    content = certificate_file(viewer_of(request), uid)
    record("export.made", viewer_of(request), object_uid=uid, code="certificate")
    return HttpResponse(
        content,
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{uid}.json"'},
    )
