"""`/design/`: every part that pages are made of, in every state, for those who make pages."""

import re
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from citations.pages.design_samples import Specimen, specimens
from lineage.pages.icons import PATHS
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.pages import member_page

COLOURS: Final = (
    "ground", "sheet", "sunken", "ink", "soft", "faint", "line", "line-strong", "accent",
    "accent-soft", "mark", "good", "good-soft", "warn", "warn-soft", "bad", "bad-soft", "calm",
    "calm-soft",
)  # fmt: skip
TONES: Final = ("good", "warn", "bad", "calm")
# The states of a claim, by the sign that underlines it.
SIGNS: Final = (
    "stands", "supported", "check", "weakened", "partly", "rights", "fallen", "unsupported",
    "contradicted", "outside", "uncited",
)  # fmt: skip
_OWN_ADDRESS: Final = re.compile(r'\b(href|action)="/[^"]*"')


@dataclass(frozen=True, slots=True)
class Shown:
    """A specimen as it is rendered."""

    specimen: Specimen
    html: SafeString


def _parts() -> tuple[tuple[str, str], ...]:
    """The sections of the page: the id of each, and its name."""
    return (
        ("ground", _("Ground and ink")),
        ("states", _("States")),
        ("controls", _("Controls")),
        ("lists", _("Numbers, lists and tables")),
        ("reading", _("Claims, markers and passages")),
        ("pictures", _("Pictures and plots")),
        ("components", _("Components")),
    )


def _leading_nowhere(html: str) -> SafeString:
    """A sample whose links stay on the page: what they would lead to does not exist."""
    return mark_safe(_OWN_ADDRESS.sub(r'\1="#components"', html))  # noqa: S308 - rendered by our templates


@member_page
def design(request: HttpRequest, _viewer: Viewer) -> HttpResponse:
    """The parts of the stylesheets, and each component of templates/components."""
    components: dict[str, list[Shown]] = {}
    for each in specimens():
        rendered = render_to_string(f"components/{each.component}.html", each.context, request)
        components.setdefault(each.component, []).append(Shown(each, _leading_nowhere(rendered)))
    context = {
        "components": dict(sorted(components.items())),
        "colours": COLOURS,
        "tones": TONES,
        "signs": SIGNS,
        "icons": sorted(PATHS),
        "parts": _parts(),
        "sample_kinds": ("retraction", "correction"),
        "sample_states": ("stale", "review", "current"),
        "sample_shares": (0, 40, 100),
        "sample_evidence": ("", "lit"),
    }
    return render_page(request, "design/design.html", context)
