"""`/audit/`, `/audit/export`: who did what in the workspace; admins only."""

from datetime import UTC, datetime, timedelta
from typing import Final

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.dateparse import parse_date, parse_datetime
from django.views.decorators.http import require_safe

from lineage.nodes.paging import CursorInvalid
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.audit.browse import AuditQuestionInvalid, Question, entries
from provexplorer.workspaces.audit.export import MEDIA_TYPE, lines
from provexplorer.workspaces.audit.recording import record
from provexplorer.workspaces.audit.verbs import VERBS
from provexplorer.workspaces.audit.words import ACTORS, GROUPS
from provexplorer.workspaces.models import Role, Workspace
from provexplorer.workspaces.pages import member_page

PAGE_SIZE: Final = 50
_FILTERS: Final = ("actor", "verb", "object", "since", "until")
_LONGEST: Final = 150


@require_safe
@member_page(minimum=Role.ADMIN)
def log(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """`?actor=`, `?verb=`, `?object=`, `?since=` and `?until=` (days, both included) and `?cursor=`."""
    typed = {name: request.GET.get(name, "").strip()[:_LONGEST] for name in _FILTERS}
    since, until = _day(typed["since"]), _day(typed["until"])
    question = Question(
        actor=typed["actor"],
        verb=typed["verb"],
        object_uid=typed["object"],
        since=since,
        until=until + timedelta(days=1) if until else None,
    )
    try:
        found = entries(viewer, question, limit=PAGE_SIZE, cursor=request.GET.get("cursor") or None)
    except (CursorInvalid, AuditQuestionInvalid):
        return render_page(request, "400.html", {"again": request.path}, status=400)
    context = {
        "found": found,
        "typed": typed,
        "asked": any(typed.values()),
        "groups": [
            (name, label, [verb for verb in VERBS if verb.startswith(f"{name}.")])
            for name, label in GROUPS.items()
        ],
        "gone": ACTORS,
        "wrong": [name for name in ("since", "until") if typed[name] and not _day(typed[name])],
        "section": "settings",
    }
    return render_page(request, "audit/log.html", context, partials={"list": "audit/_list.html"})


@require_safe
@member_page(minimum=Role.ADMIN)
def export(_request: HttpRequest, viewer: Viewer) -> StreamingHttpResponse:
    """Every sealed entry and every seal as JSON Lines, streamed; without details."""
    workspace = Workspace.objects.get(pk=viewer.workspace_id)
    record("audit.exported", viewer, code="page")
    return exported(workspace)


def exported(workspace: Workspace, *, after: int = 0) -> StreamingHttpResponse:
    """The log of a workspace as a file to keep."""
    name = f"audit-{workspace.slug}.jsonl"
    return StreamingHttpResponse(
        lines(workspace, after=after),
        content_type=MEDIA_TYPE,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _day(text: str) -> datetime | None:
    """A day's beginning, or an instant, in UTC; None for what is neither."""
    try:
        day = parse_date(text)
        if day is not None:
            return datetime(day.year, day.month, day.day, tzinfo=UTC)
        instant = parse_datetime(text)
    except ValueError:
        return None
    return instant if instant is None or instant.tzinfo else instant.replace(tzinfo=UTC)
