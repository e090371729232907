"""`/cases/UID/files/…`: evidence as files, taken into memory alone and only ever downloaded."""

from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadhandler import MemoryFileUploadHandler, StopUpload
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST

from lineage.cases.errors import DraftRefused, ScopeMissing
from lineage.cases.files import MOST_BYTES, add_file, read_file, remove_file
from lineage.types import Viewer
from provexplorer.workspaces.audit.recording import record
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.pages import object_page

# Around a file: its field, the token, the marks between them.
_FORM: Final = 64 * 2**10


class OnlyInMemory(MemoryFileUploadHandler):
    """Keeps an uploaded file in memory and never on the disk, where it would lie readable.

    What is larger than a file may be ends the upload, a body that says so at its first bytes.
    """

    def handle_raw_input(
        self,
        input_data: Any,
        META: dict[str, Any],  # noqa: N803 - named by the framework
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        super().handle_raw_input(input_data, META, content_length, boundary, encoding)
        self.activated = True
        self._left = 0 if content_length > MOST_BYTES + _FORM else MOST_BYTES + _FORM

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        self._left -= len(raw_data)
        if self._left < 0:
            # What is left of the body is not even read; the form is as if no file was chosen.
            raise StopUpload(connection_reset=True)
        return super().receive_data_chunk(raw_data, start)


@csrf_exempt
@require_POST
def add(request: HttpRequest, uid: str) -> HttpResponseBase:
    """Take an uploaded file. The token is checked below: to read it is to read the body."""
    request.upload_handlers = [OnlyInMemory(request)]
    return _add(request, uid=uid)


@csrf_protect
@object_page(minimum=Role.OPERATOR)
def _add(request: HttpRequest, viewer: Viewer, uid: str) -> HttpResponse:
    sent = request.FILES.get("file")
    try:
        if sent is None:
            raise DraftRefused("/file", _("Choose a file of at most 10 MiB."))
        add_file(viewer, uid, name=sent.name or "", data=sent.read())
    except DraftRefused as refused:
        messages.error(request, refused.detail, extra_tags="files")
    return HttpResponseRedirect(reverse("case", args=[uid]) + "#files")


@object_page(minimum=Role.OPERATOR)
def download(_request: HttpRequest, viewer: Viewer, uid: str, number: int) -> HttpResponse:
    """The bytes of a file, as a download that no browser runs or shows."""
    found, data = read_file(viewer, uid, number)
    record("export.made", viewer, object_uid=uid, code="case_file")
    response = HttpResponse(data, content_type=found.media_type)
    # Quoted and encoded by the framework's own rules for names that are not ASCII.
    name = found.name or f"file-{number}"
    disposition = content_disposition_header(as_attachment=True, filename=name)
    response.headers["Content-Disposition"] = disposition or "attachment"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


@require_POST
@object_page(minimum=Role.EDITOR)
def remove(_request: HttpRequest, viewer: Viewer, uid: str, number: int) -> HttpResponse:
    """Destroy a file."""
    try:
        remove_file(viewer, uid, number)
    except ScopeMissing as error:
        raise PermissionDenied from error
    return HttpResponseRedirect(reverse("case", args=[uid]) + "#files")
