"""What the drawer tells of the node selected in a picture: properties, versions, events, impact."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from lineage.impact.report import counts_of
from lineage.models import Node, Reference, Sighting
from lineage.nodes import node, views
from lineage.nodes.find import find
from lineage.pages.words import GRADE_ORDER, Text
from lineage.types import Erased, Moved, NodeView, Viewer
from lineage.vocabulary import CASE_TARGET_KINDS, Edge

MOST_LISTED: Final = 5
# Counted no further: a page says "at least" beyond.
MOST_COUNTED: Final = 1_000
LONGEST_EXCERPT: Final = 400

# Contracted fields that tell a node from its like, in the order of the drawer.
_TELLING: Final[Mapping[str, Text]] = {
    "version": pgettext_lazy("property", "Version"),
    "license": pgettext_lazy("property", "Licence"),
    "language": pgettext_lazy("property", "Language"),
    "published_at": pgettext_lazy("property", "Published"),
    "modified_at": pgettext_lazy("property", "Modified"),
    "fetched_at": pgettext_lazy("property", "Fetched"),
    "http_status": pgettext_lazy("property", "HTTP status"),
    "part_kind": pgettext_lazy("property", "Kind of part"),
    "page_label": pgettext_lazy("property", "Page"),
    "confidence": pgettext_lazy("property", "Confidence"),
    "dimensions": pgettext_lazy("property", "Dimensions"),
    "built_at": pgettext_lazy("property", "Built"),
    "top_k": pgettext_lazy("property", "Candidates asked for"),
    "started_at": pgettext_lazy("property", "Started"),
    "ended_at": pgettext_lazy("property", "Ended"),
    "status": pgettext_lazy("property", "Status"),
}


@dataclass(frozen=True, slots=True)
class Counted:
    """A few nodes of a list, and how many there are; `at_least` where counting stopped."""

    nodes: tuple[NodeView, ...] = ()
    total: int = 0
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """One record that said what the node is."""

    occurred_at: datetime | None
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Drawer:
    """The node selected; of a hidden one only its shape, of an erased one only its tombstone."""

    uid: str
    kind: str
    node: NodeView | None
    erased: Erased | None = None
    properties: tuple[tuple[Text, str], ...] = ()
    excerpt: str = ""
    versions: Counted = Counted()
    events: tuple[Event, ...] = ()
    events_total: int = 0
    events_at_least: bool = False
    made_by: Counted = Counted()
    used_by: Counted = Counted()
    counts: tuple[tuple[str, int], ...] = ()
    answers: int = 0

    @property
    def may_be_target(self) -> bool:
        """Whether a case may name it."""
        seen = self.node is not None and not self.node.hidden
        return seen and self.kind in CASE_TARGET_KINDS


def drawer(viewer: Viewer, uid: str) -> Drawer:
    """What is told of the node. Raises NotFound; a moved uid leads on to the node it is now."""
    try:
        row = find(viewer, uid)
    except Moved as moved:
        row = find(viewer, moved.uid)
    try:
        shown = node(viewer, row.uid)
    except Erased as erased:
        return Drawer(row.uid, row.kind, None, erased=erased)
    counts = counts_of(viewer, row.uid)
    graded = tuple((grade, counts[grade]) for grade in GRADE_ORDER if counts[grade])
    answers = sum(counts.values())
    if shown.hidden:
        return Drawer(row.uid, row.kind, shown, counts=graded, answers=answers)
    events = Sighting.objects.filter(
        workspace_id=viewer.workspace_id, address=row.address, node_id=row.pk
    )
    counted = events.order_by("pk")[: MOST_COUNTED + 1].count()
    latest = events.order_by("-recorded_at", "-pk").values_list("occurred_at", "recorded_at")
    made, used = _runs(viewer, row)
    return Drawer(
        uid=row.uid,
        kind=row.kind,
        node=shown,
        properties=tuple(_properties(shown)),
        excerpt=_excerpt(shown),
        versions=_versions(viewer, row),
        events=tuple(Event(*each) for each in latest[:MOST_LISTED]),
        events_total=min(counted, MOST_COUNTED),
        events_at_least=counted > MOST_COUNTED,
        made_by=made,
        used_by=used,
        counts=graded,
        answers=answers,
    )


def _properties(shown: NodeView) -> list[tuple[Text, str]]:
    found: list[tuple[Text, str]] = []
    if shown.key:
        found.append((_("Key"), shown.key))
    if shown.namespace:
        found.append((_("Namespace"), shown.namespace))
    for name, label in _TELLING.items():
        value = shown.fields.get(name)
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
            found.append((label, str(value)))
    return found


def _excerpt(shown: NodeView) -> str:
    """The beginning of a passage, a claim or an answer; empty for what has no text of its own."""
    text = shown.fields.get("text") if shown.kind in ("chunk", "claim", "answer") else None
    if not isinstance(text, str):
        return ""
    return text if len(text) <= LONGEST_EXCERPT else f"{text[:LONGEST_EXCERPT]}…"


def _versions(viewer: Viewer, row: Node) -> Counted:
    """Others of the same work or key, the newest first: versions of a source, revisions of the rest."""
    others = Node.objects.filter(workspace_id=viewer.workspace_id)
    if row.kind == "source":
        others = others.filter(parent_id=row.pk, kind="source_version")
    elif row.kind == "source_version" and row.parent_id is not None:
        others = others.filter(parent_id=row.parent_id, kind="source_version")
    else:
        others = others.filter(address=row.address, kind=row.kind)
    return _counted(viewer, others.exclude(pk=row.pk))


def _runs(viewer: Viewer, row: Node) -> tuple[Counted, Counted]:
    """Runs that made the node, and those that used it; of a component, the runs in which it worked."""
    references = Reference.objects.filter(workspace_id=viewer.workspace_id)
    worked = Edge.WAS_ASSOCIATED_WITH if row.kind == "component" else Edge.USED
    return (
        _runs_at(viewer, references.filter(edge=Edge.WAS_GENERATED_BY, from_node=row), "to_node"),
        _runs_at(viewer, references.filter(edge=worked, to_node=row), "from_node"),
    )


def _runs_at(viewer: Viewer, references: QuerySet[Reference], end: str) -> Counted:
    runs = Node.objects.filter(workspace_id=viewer.workspace_id, kind="run")
    return _counted(viewer, runs.filter(pk__in=references.values(f"{end}_id")))


def _counted(viewer: Viewer, rows: QuerySet[Node]) -> Counted:
    count = rows.order_by("pk")[: MOST_COUNTED + 1].count()
    if not count:
        return Counted()
    newest = list(rows.order_by("-occurred_at", "uid")[:MOST_LISTED])
    return Counted(tuple(views(viewer, newest)), min(count, MOST_COUNTED), count > MOST_COUNTED)
