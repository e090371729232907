"""Where a comparison begins: the source versions of what was recorded last on either side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import QuerySet

from lineage.cases.ancestry import sliced
from lineage.compiled import by_their_ids
from lineage.models import Node, Reference
from lineage.nodes.component_figures import runs_of
from lineage.nodes.visible import visible
from lineage.types import Viewer
from lineage.vocabulary import Edge

# Of each side: runs or members recorded last, and what these made.
MOST_RUNS: Final = 10_000
MOST_OUTPUTS: Final = 20_000
# Of each side: references from what its runs fetched to source versions, for some runs at once.
MOST_FETCHED: Final = 20_000
# Source versions of both sides together.
MOST_VERSIONS: Final = 1_000
# All versions of their sources, where these are paired by source.
MOST_SIBLINGS: Final = 5_000
# Runs whose outputs are asked for together.
_AT_ONCE: Final = 500


@dataclass(slots=True)
class Begin:
    """Source versions to look at, in the order in which they were found, and the kinds that were made."""

    versions: dict[int, None] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)
    cut: bool = False


def of_component(viewer: Viewer, component: Node) -> Begin:
    begin = Begin()
    named = runs_of(viewer.workspace_id, component.pk).order_by("-pk")
    runs = [pk for pk in named.values_list("from_node_id", flat=True)[: MOST_RUNS + 1] if pk]
    begin.cut = len(runs) > MOST_RUNS
    left = MOST_OUTPUTS
    for start in range(0, min(len(runs), MOST_RUNS), _AT_ONCE):
        if len(begin.versions) > MOST_VERSIONS // 2:
            # Enough to compare; what earlier runs made is not looked at.
            begin.cut = True
            break
        some = runs[start : min(start + _AT_ONCE, MOST_RUNS)]
        rows = references(viewer, Edge.WAS_GENERATED_BY).filter(to_node_id__in=some)
        left -= _note(begin, rows, "from_node", left)
    if "acquisition" in begin.kinds:
        _of_acquisitions(viewer, runs[:MOST_RUNS], begin)
    return begin


def of_snapshot(viewer: Viewer, snapshot: Node) -> Begin:
    begin = Begin()
    rows = references(viewer, Edge.HAD_MEMBER).filter(from_node_id=snapshot.pk)
    _note(begin, rows, "to_node", MOST_OUTPUTS)
    return begin


def _note(begin: Begin, rows: "QuerySet[Reference, Any]", end: str, most: int) -> int:
    """Note the kinds and source versions of the nodes at one end; how many there were."""
    if most <= 0:
        begin.cut = begin.cut or rows.exists()
        return 0
    found = list(rows.order_by("-pk").values_list(f"{end}__kind", f"{end}__version_id")[: most + 1])
    begin.cut = begin.cut or len(found) > most
    for kind, version in found[:most]:
        begin.kinds.add(kind)
        if version is not None:
            begin.versions[version] = None
    return len(found)


def _of_acquisitions(viewer: Viewer, runs: Sequence[int], begin: Begin) -> None:
    """The source versions of what these runs fetched: an acquisition names them itself."""
    for some in sliced(runs):
        rows = references(viewer, Edge.WAS_DERIVED_FROM).filter(
            from_node__kind="acquisition",
            from_node__edges_out__edge=Edge.WAS_GENERATED_BY,
            from_node__edges_out__to_node_id__in=some,
            to_node__kind="source_version",
        )
        found = list(rows.order_by("pk").values_list("to_node_id", flat=True)[: MOST_FETCHED + 1])
        begin.cut = begin.cut or len(found) > MOST_FETCHED
        begin.versions |= dict.fromkeys(pk for pk in found[:MOST_FETCHED] if pk is not None)


def places_of(
    viewer: Viewer, begins: Sequence[Begin], *, by_source: bool
) -> tuple[dict[int, int], bool]:
    """What each source version is paired by: itself, or its source and then with all its versions.

    True where there is more. Of a source of which only some versions were read nothing is said,
    unless both sides are known as a whole: then what either has is among those found.
    """
    share = MOST_VERSIONS // len(begins)
    cut = any(len(each.versions) > share for each in begins)
    versions = {pk for each in begins for pk in list(each.versions)[:share]}
    if not by_source:
        return {pk: pk for pk in sorted(versions)}, cut
    nodes = by_their_ids(Node.objects.all(), viewer.workspace_id)
    own = dict(nodes.filter(pk__in=versions).order_by("pk").values_list("pk", "parent_id"))
    sources = {parent for parent in own.values() if parent is not None}
    every = nodes.filter(parent_id__in=sources, kind="source_version").order_by("parent_id", "pk")
    found = list(every.values_list("pk", "parent_id")[: MOST_SIBLINGS + 1])
    places = {pk: parent or pk for pk, parent in own.items()}
    if len(found) > MOST_SIBLINGS:
        unread = {pk for pk in sources if pk >= (found[-1][1] or 0)}
        found = [(pk, parent) for pk, parent in found if parent not in unread]
        if cut or any(each.cut for each in begins):
            places = {pk: place for pk, place in places.items() if place not in unread}
        cut = True
    places |= {pk: parent or pk for pk, parent in found}
    return dict(sorted(places.items())), cut


def shown_of(viewer: Viewer, places: Mapping[int, int]) -> tuple[list[int], int]:
    """The source versions that the viewer may see, and how many others there are."""
    shown: list[int] = []
    for some in sliced(places):
        nodes = list(
            by_their_ids(Node.objects.filter(pk__in=some), viewer.workspace_id)
            .only("pk", "kind", "key", "version_id")
            .order_by("pk")
        )
        seen = visible(viewer, nodes)
        shown += [node.pk for node in nodes if seen[node.pk]]
    return shown, len(places) - len(shown)


def references(viewer: Viewer, edge: Edge) -> "QuerySet[Reference, Any]":
    """The edges of this type with both ends, to be narrowed by the ids of one of them."""
    rows = by_their_ids(Reference.objects.all(), viewer.workspace_id)
    return rows.filter(edge=edge, from_node__isnull=False, to_node__isnull=False)
