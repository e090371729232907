"""`/shortcuts/`: what keys do, and the switch that turns those of single characters off."""

from django.http import HttpRequest, HttpResponse

from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import member_page


@member_page
def shortcuts(request: HttpRequest, _viewer: Viewer) -> HttpResponse:
    """The list of shortcuts; the browser keeps whether they are used."""
    return render_page(request, "shortcuts.html", {})
