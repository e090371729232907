"""How much lies downstream of a node, stage by stage: the numbers beside an impact report."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet

from lineage.impact.credited import credited_to
from lineage.models import Node, Reference, RestsOn
from lineage.nodes.find import find
from lineage.types import Viewer
from lineage.vocabulary import IMPACT_EDGES, IMPACT_START_EDGES, KINDS, Edge

# Nodes that are looked at; beyond, the numbers are at least what they say.
MOST_NODES: Final = 10_000
# Steps: sections nest, but not endlessly.
_MOST_STEPS: Final = 64
# One IN list, below what SQLite takes.
_SLICE: Final = 5_000
_OF_SHUT_WORKS: Final = tuple(edge for edge in IMPACT_EDGES if edge != Edge.SPECIALIZATION_OF)
# Where an agent's walk starts is found beforehand, role by role.
_START_EDGES: Final = {kind: edges for kind, edges in IMPACT_START_EDGES.items() if kind != "agent"}
# Kinds for which a run speaks where they have no derivation of their own: stages 1 to 4.
_SPOKEN_FOR: Final = tuple(kind.name for kind in KINDS.values() if kind.stage in range(1, 5))


@dataclass(frozen=True, slots=True)
class Downstream:
    """Numbers of nodes downstream by kind, the node itself not among them.

    `answer` is the total of the impact report. `truncated`: the walk was cut, and every
    other number may be greater.
    """

    counts: dict[str, int]
    truncated: bool


def downstream_counts(viewer: Viewer, uid: str) -> Downstream:
    """Count what lies downstream of a node by the rules of impact. Raises NotFound, Moved."""
    start = find(viewer, uid)
    answers = RestsOn.objects.filter(target=start, answer__workspace_id=viewer.workspace_id)
    kinds, truncated = _walk(viewer.workspace_id, start)
    counts = Counter(kinds.values())
    counts["answer"] = answers.count()
    return Downstream({name: counts[name] for name in KINDS if counts[name]}, truncated)


def downstream_of_several(viewer: Viewer, nodes: Collection[Node], answers: int) -> Downstream:
    """Count what lies downstream of any of these nodes, each thing once, none of them among it.

    `answers` is their number, from the report.
    """
    kinds: dict[int, str] = {}
    truncated = False
    for start in nodes:
        found, cut = _walk(viewer.workspace_id, start)
        kinds |= found
        truncated = truncated or cut
    for start in nodes:
        kinds.pop(start.pk, None)
    counts = Counter(kinds.values())
    counts["answer"] = answers
    return Downstream({name: counts[name] for name in KINDS if counts[name]}, truncated)


def _walk(workspace_id: int, start: Node) -> tuple[dict[int, str], bool]:
    """Kinds of the nodes downstream, by id; True where there were more than could be looked at."""
    found: dict[int, str] = {}
    frontier = {start.pk: start.kind}
    # Works of the agent that it starts from: their versions count one by one.
    shut: set[int] = set()
    if start.kind == "agent":
        found, shut, cut = credited_to(workspace_id, start, most=MOST_NODES)
        if cut:
            return found, True
        frontier = dict(found)
    edges = (*IMPACT_EDGES, *_START_EDGES.get(start.kind, ()))
    for _ in range(_MOST_STEPS):
        if not frontier:
            return found, False
        room = MOST_NODES - len(found)
        whole = {pk: kind for pk, kind in frontier.items() if pk not in shut}
        works = {pk: kind for pk, kind in frontier.items() if pk in shut}
        effects, cut = _effects(workspace_id, whole, edges)
        of_works, cut_of_works = _effects(workspace_id, works, _OF_SHUT_WORKS)
        effects |= of_works
        fresh = {pk: kind for pk, kind in effects.items() if pk not in found and pk != start.pk}
        if len(fresh) > room or cut or cut_of_works:
            kept = sorted(fresh)[:room]
            return found | {pk: fresh[pk] for pk in kept}, True
        # What was made of another work, or of a version, counts with all its versions.
        opened = {pk: kind for pk, kind in effects.items() if pk in shut}
        shut -= opened.keys()
        found |= fresh
        frontier = fresh | opened
        # A component goes on through its own runs; others leave their start edges behind.
        edges = IMPACT_EDGES
        if start.kind == "component" and "run" in fresh.values():
            edges = (*IMPACT_EDGES, *IMPACT_START_EDGES["run"])
    return found, True


def _effects(
    workspace_id: int, causes: dict[int, str], edges: Collection[Edge]
) -> tuple[dict[int, str], bool]:
    """Nodes that point at the causes by these edges, or may come of them through a run.

    True where there are more to be read than may be looked at.
    """
    found: dict[int, str] = {}
    cut = False
    ids = sorted(causes)
    for begin in range(0, len(ids), _SLICE):
        some = ids[begin : begin + _SLICE]
        pointing = _pointing_at(workspace_id, some, edges)
        rows = pointing.values_list("from_node_id", "from_node__kind").distinct()[: MOST_NODES + 1]
        found.update(rows)
        cut = cut or len(rows) > MOST_NODES
        inputs = [pk for pk in some if causes[pk] in _SPOKEN_FOR]
        if inputs:
            possible, cut_possible = _possible(workspace_id, inputs, causes)
            found |= possible
            cut = cut or cut_possible
    return found, cut


def _possible(
    workspace_id: int, inputs: list[int], causes: dict[int, str]
) -> tuple[dict[int, str], bool]:
    """Outputs, with no derivation of their own, of runs that used the inputs; no earlier stage."""
    stage_of_run: dict[int, int] = {}
    used = _ends(workspace_id, Edge.USED).filter(to_node_id__in=inputs, from_node__isnull=False)
    pairs = used.values_list("from_node_id", "to_node_id")[: MOST_NODES + 1]
    for run, cause in pairs:
        stage = KINDS[causes[cause]].stage
        stage_of_run[run] = min(stage_of_run.get(run, stage), stage)
    cut = len(pairs) > MOST_NODES
    derived = _ends(workspace_id, Edge.WAS_DERIVED_FROM).filter(
        from_node_id=OuterRef("from_node_id")
    )
    lacking = _ends(workspace_id, Edge.WAS_GENERATED_BY).filter(
        ~Exists(derived), from_node__kind__in=_SPOKEN_FOR
    )
    found: dict[int, str] = {}
    runs = sorted(stage_of_run)
    for begin in range(0, len(runs), _SLICE):
        outputs = lacking.filter(to_node_id__in=runs[begin : begin + _SLICE]).values_list(
            "from_node_id", "from_node__kind", "to_node_id"
        )[: MOST_NODES + 1]
        found |= {pk: kind for pk, kind, run in outputs if KINDS[kind].stage >= stage_of_run[run]}
        cut = cut or len(outputs) > MOST_NODES
    return found, cut


def _pointing_at(
    workspace_id: int, causes: list[int], edges: Collection[Edge]
) -> QuerySet[Reference]:
    return Reference.objects.filter(
        workspace_id=workspace_id,
        to_node_id__in=causes,
        edge__in=list(edges),
        from_node__isnull=False,
    ).order_by("from_node_id")


def _ends(workspace_id: int, edge: Edge) -> QuerySet[Reference]:
    return Reference.objects.filter(workspace_id=workspace_id, edge=edge).order_by("pk")
