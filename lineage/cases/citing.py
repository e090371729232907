"""What claims cite, and which register rows reach each cited passage."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lineage.cases.ancestry import ancestry, sliced
from lineage.cases.register import active
from lineage.models import Node, Reference, Withdrawal
from lineage.vocabulary import Edge
from provexplorer import clock


@dataclass(frozen=True, slots=True)
class Ruling:
    """A register row, in effect or assumed by a dry run: this case is on this node."""

    case_id: int
    case_kind: str
    node_id: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Upstream:
    """A node above a cited passage, as far as comparing sources needs it."""

    id: int
    kind: str
    digest: str


@dataclass(frozen=True, slots=True)
class Cited:
    """The passages that claims cite: citations by claim, passage by citation.

    `above`: by citation, itself, its passage and everything upstream of them.
    """

    citations: Mapping[int, tuple[int, ...]]
    passage: Mapping[int, int]
    above: Mapping[int, frozenset[int]]
    nodes: Mapping[int, Upstream]
    rulings: Mapping[int, tuple[Ruling, ...]]
    # Which cases count: one, or all (None), and those that a dry run assumes.
    case_id: int | None
    assumed: tuple[Ruling, ...]

    def rulings_on(self, citation_id: int) -> list[Ruling]:
        """Every row of the register that reaches the citation's passage."""
        return [
            row
            for node_id in self.above[citation_id] & self.rulings.keys()
            for row in self.rulings[node_id]
        ]

    def of_kind(self, citation_id: int, kind: str) -> list[Upstream]:
        """What of this kind stands above the citation, by id."""
        above = self.above[citation_id] & self.nodes.keys()
        return [self.nodes[i] for i in sorted(above) if self.nodes[i].kind == kind]


# Kinds that tell whether two passages come from one work or one text.
_TELLING: Final = ("source", "source_version", "document", "chunk", "fact")


def cited(
    workspace_id: int,
    claim_ids: Collection[int],
    *,
    case_id: int | None = None,
    assumed: Iterable[Ruling] = (),
) -> Cited:
    """Everything that standing needs about these claims, in one query a level of the lineage.

    `case_id` leaves only the rows of that case in; `assumed` adds rows of a case that is not
    in effect.
    """
    citations = _pairs(workspace_id, Edge.CITES, claim_ids)
    every = {citation for found in citations.values() for citation in found}
    quoted = _pairs(workspace_id, Edge.WAS_QUOTED_FROM, every)
    tree = ancestry(workspace_id, every)
    nodes = {}
    for ids in sliced(tree.reached):
        rows = Node.objects.filter(workspace_id=workspace_id, id__in=ids, kind__in=_TELLING)
        for row in rows.values_list("id", "kind", "digest"):
            nodes[row[0]] = Upstream(*row)
    assumed = tuple(assumed)
    return Cited(
        {claim: tuple(sorted(found)) for claim, found in citations.items()},
        {citation: min(found) for citation, found in quoted.items()},
        {citation: frozenset(tree.upstream_of(citation)) for citation in every},
        nodes,
        rulings(workspace_id, tree.reached, case_id, assumed),
        case_id,
        assumed,
    )


def _pairs(workspace_id: int, edge: Edge, from_ids: Collection[int]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for ids in sliced(from_ids):
        rows = Reference.objects.filter(
            workspace_id=workspace_id, edge=edge, from_node_id__in=ids, to_node_id__isnull=False
        )
        for from_id, to_id in rows.values_list("from_node_id", "to_node_id"):
            found[from_id].add(to_id)
    return found


def rulings(
    workspace_id: int,
    node_ids: Collection[int],
    case_id: int | None,
    assumed: Iterable[Ruling],
) -> dict[int, tuple[Ruling, ...]]:
    """The rows of the register on these nodes, by node, of one case or of all, with those assumed."""
    found: defaultdict[int, list[Ruling]] = defaultdict(list)
    for ids in sliced(node_ids):
        rows = Withdrawal.objects.filter(
            active(clock.now()), workspace_id=workspace_id, node_id__in=ids
        )
        if case_id is not None:
            rows = rows.filter(case_id=case_id)
        for row in rows.values_list("case_id", "case__kind", "node_id", "at"):
            found[row[2]].append(Ruling(*row))
    for ruling in assumed:
        if ruling.node_id in node_ids:
            found[ruling.node_id].append(ruling)
    return {node_id: tuple(rows) for node_id, rows in found.items()}
