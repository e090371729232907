"""A component as its page shows it: what it is, its other versions, what it did, and what rests on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lineage.impact.report import counts_of
from lineage.models import CaseTarget, Node, Reference
from lineage.nodes.component_runs import RunPage, component_runs
from lineage.nodes.component_versions import VersionPage, versions_beside
from lineage.nodes.component_work import Work, component_work
from lineage.nodes.counting import AtLeast, count_of
from lineage.nodes.find import find
from lineage.nodes.paging import DEFAULT_LIMIT
from lineage.nodes.view import node as node_view
from lineage.types import NodeView, NotFound, Viewer
from lineage.vocabulary import Edge

MOST_CASES: Final = 20
# Contexts and snapshots that name it without a run are counted so far.
MOST_COUNTED: Final = 100_000
_NAMED_BY: Final = ("index_snapshot", "context")


@dataclass(frozen=True, slots=True)
class CaseOn:
    """A case that names the component itself, whatever its state."""

    uid: str
    kind: str
    state: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ComponentView:
    """`counts`: answers that rest on it, by grade, every grade present.

    `named_by`: by kind, what names it as its prompt, embedder, chunker or indexer without a
    run between them; kinds without any are left out.
    """

    node: NodeView
    counts: Mapping[str, int]
    versions: VersionPage
    runs: RunPage
    work: Work
    cases: tuple[CaseOn, ...]
    named_by: Mapping[str, AtLeast]

    @property
    def answers(self) -> int:
        return sum(self.counts.values())


def component_view(
    viewer: Viewer,
    uid: str,
    *,
    limit: int = DEFAULT_LIMIT,
    runs: str | None = None,
    versions: str | None = None,
) -> ComponentView:
    """The component with this uid; `runs` and `versions` are cursors of its two lists.

    Raises NotFound for an unknown or foreign uid and for what is no component, Moved for an
    alias, CursorInvalid.
    """
    component = find(viewer, uid)
    if component.kind != "component":
        raise NotFound(uid)
    return ComponentView(
        node=node_view(viewer, uid),
        counts=counts_of(viewer, uid),
        versions=versions_beside(viewer, component, limit=limit, cursor=versions),
        runs=component_runs(viewer, component, limit=limit, cursor=runs),
        work=component_work(viewer, component),
        cases=_cases(viewer, component),
        named_by=_named_by(viewer, component),
    )


def _cases(viewer: Viewer, component: Node) -> tuple[CaseOn, ...]:
    """The newest cases on the component."""
    rows = (
        CaseTarget.objects.filter(node=component, case__workspace_id=viewer.workspace_id)
        .order_by("-case__created_at", "case__uid")
        .values_list("case__uid", "case__kind", "case__state", "case__created_at")
    )
    return tuple(CaseOn(*row) for row in rows[:MOST_CASES])


def _named_by(viewer: Viewer, component: Node) -> dict[str, AtLeast]:
    rows = Reference.objects.filter(
        workspace_id=viewer.workspace_id, to_node=component, edge=Edge.WAS_INFLUENCED_BY
    )
    found = {
        kind: count_of(rows.filter(from_node__kind=kind).order_by("pk"), MOST_COUNTED)
        for kind in _NAMED_BY
    }
    return {kind: number for kind, number in found.items() if number.number}
