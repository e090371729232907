"""What depends directly on many nodes, kept by cause; each edge is read once a search."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from lineage.graph.stepping import Stepper
from lineage.vocabulary import Edge


class Dependents:
    """The dependents that one search has met."""

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = stepper
        # By edges, cause → dependents; claim → answers.
        self._met: dict[tuple[Edge, ...], dict[str, Collection[str]]] = defaultdict(dict)
        self._stated: dict[str, set[str]] = {}

    def of(self, causes: Collection[str], edge: Edge) -> set[str]:
        """All that depends on any of these by this edge."""
        return together(self.by_cause(causes, edge))

    def by_cause(self, causes: Collection[str], *edges: Edge) -> dict[str, set[str]]:
        """Cause → its dependents by these edges; causes without any are missing."""
        met = self._met[edges]
        fresh = [cause for cause in causes if cause not in met]
        met.update(dict.fromkeys(fresh, frozenset()))
        arriving: dict[str, set[str]] = defaultdict(set)
        for dependent, cause in self._stepper.ends(fresh, edges):
            arriving[cause].add(dependent)
        met.update(arriving)
        return {cause: set(found) for cause in causes if (found := met[cause])}

    def stated_in(self, claims: Collection[str]) -> dict[str, set[str]]:
        """Claim → the answers that it is stated in."""
        fresh = [claim for claim in claims if claim not in self._stated]
        for edge in self._stepper.leaving(fresh, [Edge.STATED_IN]):
            self._stated.setdefault(edge.from_uid, set()).add(edge.to_uid)
        return {claim: found for claim in claims if (found := self._stated.get(claim))}


def together(sets: Mapping[str, Iterable[str]]) -> set[str]:
    """Everything in any of the sets."""
    return {uid for some in sets.values() for uid in some}


def joined(
    first: Mapping[str, Iterable[str]], second: Mapping[str, Iterable[str]]
) -> dict[str, set[str]]:
    """Key → what the second has for what the first has for it."""
    return {
        key: {uid for middle in middles for uid in second.get(middle, ())}
        for key, middles in first.items()
    }
