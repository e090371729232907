"""What some components made of a node, and in which time, by the records alone: a part of the oracle of impact."""

from collections.abc import Iterable
from typing import NamedTuple

from tests.impact.recorded import Name, Recorded


class When(NamedTuple):
    """Runs from `since` on, before `until`, as the records write instants; `undated`: and those without a time."""

    since: str = ""
    until: str = ""
    undated: bool = False


def runs_of(world: Recorded, components: Iterable[Name], when: When | None = None) -> set[Name]:
    """The runs of these components, of all times or of this one."""
    runs = {run for one in components for run in world.into["WAS_ASSOCIATED_WITH"].get(one, ())}
    return runs if when is None else {run for run in runs if _is_in(world.at.get(run), when)}


def _is_in(at: str | None, when: When) -> bool:
    if at is None:
        return when.undated
    bounded = bool(when.since or when.until)
    return bounded and when.since <= at and (not when.until or at < when.until)


def made_of(world: Recorded, start: Name, runs: set[Name]) -> set[Name]:
    """Of a node and of what stands in it or on it, what one of the runs made."""
    return {node for node in _standing(world, start) if world.out["WAS_GENERATED_BY"][node] & runs}


def _standing(world: Recorded, start: Name) -> set[Name]:
    derived = world.into["WAS_DERIVED_FROM"]
    stems = {start}
    if start.kind in ("part", "chunk"):
        stems = _within(world, start)
    roots = set(stems)
    for stem in stems:
        roots |= derived.get(stem, set()) if start.kind == "acquisition" else set()
    found = stems | {node for stem in stems for node in derived.get(stem, ())}
    if start.kind == "source":
        versions = {node for node, place in world.place.items() if place == start}
        fetched = {node for one in versions for node in derived.get(one, ())}
        found |= {node for node in fetched if node.kind == "acquisition"}
    return found | {node for node in world.nodes if roots & set(_places(world, node))}


def _within(world: Recorded, start: Name) -> set[Name]:
    """The parts and chunks that come of this one, however deep, and itself."""
    found, queue = {start}, [start]
    while queue:
        for node in world.into["WAS_DERIVED_FROM"].get(queue.pop(), ()):
            if node.kind in ("part", "chunk") and node not in found:
                found.add(node)
                queue.append(node)
    return found


def _places(world: Recorded, node: Name) -> Iterable[Name]:
    """The node, where it has its place, where that has its own, and so on."""
    at: Name | None = node
    while at is not None:
        yield at
        at = world.place.get(at)
