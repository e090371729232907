"""What a page calls a node: its title or name where it has one, else what tells it best from its like."""

from collections.abc import Collection, Mapping
from typing import Final

from django.utils.translation import gettext as _

from lineage.models import Node
from lineage.nodes import views
from lineage.pages.words import COMPONENT_KINDS, RUN_KINDS, text
from lineage.types import JsonValue, NodeView, Viewer

# Uids of one page; more than any page names.
MOST_NAMED: Final = 5_000
_LONGEST: Final = 160


def nodes_of(viewer: Viewer, uids: Collection[str]) -> dict[str, NodeView]:
    """The nodes with these uids as the viewer may see them; unknown ones are missing."""
    rows = Node.objects.filter(workspace_id=viewer.workspace_id, uid__in=sorted(uids)[:MOST_NAMED])
    return {view.uid: view for view in views(viewer, list(rows.order_by("uid")))}


def name_of(node: NodeView) -> str:
    """The name of a node in one line, at most 160 characters; never empty."""
    if node.hidden:
        return _("Not visible to you")
    said = _said(node) or node.label or node.key or node.uid
    line = " ".join(str(said).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _said(node: NodeView) -> str | None:
    """What the fields of the kind tell better than its label."""
    fields = node.fields
    match node.kind:
        case "answer":
            return _string(fields, "question")
        case "claim":
            return _string(fields, "text")
        case "citation":
            return _string(fields, "marker")
        case "retrieval":
            return _string(fields, "query")
        case "chunk" | "part":
            return _place(fields)
        case "component":
            kind = str(text(COMPONENT_KINDS, _string(fields, "component_kind") or ""))
            name, version = _string(fields, "name") or node.label or "", _string(fields, "version")
            return f"{kind} {name} {version or ''}".strip()
        case "run":
            return str(text(RUN_KINDS, _string(fields, "run_kind") or "")) or None
        case _:
            return None


def _place(fields: Mapping[str, JsonValue]) -> str | None:
    """Where a passage stands: its headings, its page, its characters."""
    headings = fields.get("heading_path")
    if isinstance(headings, list) and headings:
        return " › ".join(str(heading) for heading in headings)
    if heading := _string(fields, "heading"):
        return heading
    interval = fields.get("interval")
    if isinstance(interval, Mapping) and "start" in interval and "end" in interval:
        return _("characters %(start)s–%(end)s") % {"start": interval["start"], "end": interval["end"]}
    return None


def _string(fields: Mapping[str, JsonValue], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) and value else None
