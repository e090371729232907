"""Where a walk downstream begins: the first steps that only agents, components and runs take."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from lineage.graph.stepping import Stepper, kind_name
from lineage.types import EdgeView
from lineage.vocabulary import IMPACT_START_EDGES, Edge


@dataclass(slots=True)
class Start:
    """What the first steps reached, and by which edges; without the node itself.

    `steps` lists the nodes of each step. `sources`: works whose versions are among
    the nodes already, as far as they count: those that state the agent's role
    themselves do not.
    """

    steps: list[set[str]] = field(default_factory=list)
    edges: list[EdgeView] = field(default_factory=list)
    sources: set[str] = field(default_factory=set)

    @property
    def nodes(self) -> set[str]:
        return set().union(*self.steps)


def start_at(stepper: Stepper, uid: str) -> Start:
    """The first steps from an agent, a component or a run; nothing for any other kind."""
    kind = kind_name(uid)
    if kind == "agent":
        return _from_agent(stepper, uid)
    start = Start()
    frontier = {uid}
    while kind in ("component", "run"):
        edges = stepper.arriving(frontier, IMPACT_START_EDGES[kind])
        start.edges += edges
        start.steps.append({edge.from_uid for edge in edges})
        frontier = {each for each in start.steps[-1] if kind_name(each) == "run"}
        kind = "run" if kind == "component" else ""
    return start


def _from_agent(stepper: Stepper, uid: str) -> Start:
    """Works and versions attributed to the agent; of a work, the versions that state no other for that role."""
    credits_ = stepper.arriving([uid], IMPACT_START_EDGES["agent"])
    roles: dict[str, set[str]] = defaultdict(set)
    for edge in credits_:
        roles[edge.from_uid].add(str(edge.properties.get("role", "")))
    sources = {each for each in roles if kind_name(each) == "source"}
    editions = stepper.arriving(sources, [Edge.SPECIALIZATION_OF])
    stated = _stated_roles(stepper, {edge.from_uid for edge in editions})
    kept = [edge for edge in editions if not roles[edge.to_uid] <= stated[edge.from_uid]]
    return Start(
        steps=[set(roles), {edge.from_uid for edge in kept} - set(roles)],
        edges=credits_ + kept,
        sources=sources,
    )


def _stated_roles(stepper: Stepper, versions: set[str]) -> Mapping[str, set[str]]:
    stated: dict[str, set[str]] = defaultdict(set)
    for edge in stepper.leaving(versions, [Edge.WAS_ATTRIBUTED_TO]):
        stated[edge.from_uid].add(str(edge.properties.get("role", "")))
    return stated
