"""`/`: the start, by role: latest answers and search; component health; the queue of cases."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from lineage.cases.queue import queue as queue_of
from lineage.cases.request import requests_of
from lineage.incidents.view import incidents
from lineage.models import FactKey, Node
from lineage.nodes import lists
from lineage.pages.case_progress import targets_named
from lineage.pages.notices import notices_about_sources
from lineage.pages.requests import named_about
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import member_page

LATEST: Final = 6
HEALTH: Final = 8
QUEUE: Final = 6
_WORKED_ON: Final = ("open", "investigating")
_OPEN_STATES: Final = ("draft", "ready", "scheduled", "propagating", "paused", "incomplete")


@member_page
def home(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """What the member's role comes for first; each role sees what those before it see, too."""
    context: dict[str, Any] = {"latest": lists.answers(viewer, limit=LATEST)}
    context["not_current"] = {
        state: lists.answers(viewer, state=state, limit=1).total for state in ("stale", "review")
    }
    if "operate" in viewer.scopes:
        context |= _desk(viewer)
    if "edit" in viewer.scopes:
        queue = queue_of(viewer, states=_OPEN_STATES, limit=QUEUE)
        requests = requests_of(viewer, [case.uid for case in queue.items])
        context |= {
            "queue": queue,
            "named": targets_named(viewer, queue.items),
            "requests": requests,
            "asked_about": named_about(viewer, requests.values()),
            "notices": notices_about_sources(viewer),
        }
    return render_page(request, "home/home.html", context)


def _desk(viewer: Viewer) -> Mapping[str, Any]:
    """Component health, what is unresolved, and incidents that are worked on."""
    return {
        "incidents": incidents(viewer, states=_WORKED_ON, limit=1),
        "components": lists.components(viewer, limit=HEALTH),
        "has_facts": FactKey.objects.filter(workspace_id=viewer.workspace_id).exists(),
        "unresolved": Node.objects.filter(workspace_id=viewer.workspace_id, resolved=False).count(),
    }
