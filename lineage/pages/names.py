"""What a page calls a node: its title or name where it has one, else what tells it best from its like."""

from collections.abc import Callable, Collection, Mapping
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lineage.models import Node
from lineage.nodes import views
from lineage.pages.words import COMPONENT_KINDS, RUN_KINDS, text
from lineage.types import JsonValue, NodeView, Viewer
from lineage.vocabulary import stated_version

Fields = Mapping[str, JsonValue]
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
    telling = _TELLING.get(node.kind)
    return telling(node.fields) if telling else None


def _place(fields: Fields) -> str | None:
    """Where a passage stands: its headings, its page, its characters."""
    headings = fields.get("heading_path")
    if isinstance(headings, list) and headings:
        return " › ".join(str(heading) for heading in headings)
    if heading := _string(fields, "heading"):
        return heading
    interval = fields.get("interval")
    if isinstance(interval, Mapping) and "start" in interval and "end" in interval:
        return _("characters %(start)s–%(end)s") % {
            "start": interval["start"],
            "end": interval["end"],
        }
    return None


def _passages(items: JsonValue) -> str | None:
    """What the model was given, by number; a context's key means nothing to people."""
    if not isinstance(items, list) or not items:
        return None
    return ngettext("%(count)d passage", "%(count)d passages", len(items)) % {"count": len(items)}


def _string(fields: Fields, name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) and value else None


def version_of(fields: Fields) -> str | None:
    """The version that a component states."""
    return stated_version(_string(fields, "version"))


def _component(fields: Fields) -> str | None:
    kind = str(text(COMPONENT_KINDS, _string(fields, "component_kind") or ""))
    said = (kind, _string(fields, "name"), version_of(fields))
    return " ".join(part for part in said if part) or None


def _fact(fields: Fields) -> str | None:
    said = [_string(fields, name) for name in ("subject", "predicate", "object")]
    return " ".join(part for part in said if part) if all(said) else None


def _run(fields: Fields) -> str | None:
    return str(text(RUN_KINDS, _string(fields, "run_kind") or "")) or None


def _address(fields: Fields) -> str | None:
    uri = _string(fields, "final_uri") or _string(fields, "uri") or ""
    return uri.partition("://")[2] or uri or None


_TELLING: Final[Mapping[str, Callable[[Fields], str | None]]] = {
    "acquisition": _address,
    "answer": lambda fields: _string(fields, "question"),
    "chunk": _place,
    "citation": lambda fields: _string(fields, "marker"),
    "claim": lambda fields: _string(fields, "text"),
    "component": _component,
    "context": lambda fields: _passages(fields.get("items")),
    "fact": _fact,
    "part": _place,
    "retrieval": lambda fields: _string(fields, "query"),
    "run": _run,
}
