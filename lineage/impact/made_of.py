"""Of some nodes, and of what was made of them, only what some components or a run made.

Each kind has its own way down: sources and versions to all that stands on them, an
acquisition to the documents it brought, a part to the parts and chunks in it, an agent to the
works and versions credited to it. Components and runs have none: nothing is made of them.
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Any, Final

from django.db.models import Exists, Q, QuerySet

from lineage.bulk_rows import slices
from lineage.compiled import by_their_ids
from lineage.impact.credited import credited_to
from lineage.impact.makers import Makers, generated_by
from lineage.impact.question import MOST_NODES
from lineage.impact.question_values import QuestionInvalid
from lineage.models import Node, Reference
from lineage.types import Viewer
from lineage.vocabulary import Edge

# Works and versions of all agents, and nodes within parts and chunks, that are told to the database one by one.
MOST_CREDITED: Final = MOST_NODES
MOST_WITHIN: Final = MOST_NODES
_MAKERS: Final = ("component", "run")
_SLICE: Final = 1_000


class NotCombined(QuestionInvalid):
    """Nothing is made of components and runs, so that `made_by` cannot narrow them."""


class TooManyCombined(QuestionInvalid):
    """More is made of what is named than `made_by` can narrow."""


def made_of(viewer: Viewer, makers: Makers, nodes: Collection[int]) -> "QuerySet[Node, Node]":
    """What the makers made of the nodes, of what has its place in them and of what stands on their versions.

    The nodes themselves count where one of the makers made them. Raises NotCombined, TooManyCombined.
    """
    by_kind = _by_kind(viewer, nodes)
    if any(by_kind[kind] for kind in _MAKERS):
        raise NotCombined("node", "Nothing is made of components and runs: `made_by` narrows none.")
    credited, versions = _credited(viewer, by_kind.pop("agent", []))
    stems = sorted(
        {pk for some in by_kind.values() for pk in some}
        | _within(viewer, [*by_kind["part"], *by_kind["chunk"]])
    )
    every = by_their_ids(Node.objects.all(), viewer.workspace_id)
    references = by_their_ids(Reference.objects.all(), viewer.workspace_id)
    derived = references.filter(edge=Edge.WAS_DERIVED_FROM)
    found = (
        Q(pk__in=[*stems, *credited])
        | Q(pk__in=derived.filter(to_node_id__in=stems).values("from_node_id"))
        | _placed(every, stems, steps=2)
    )
    # In a document lie chunks, their facts, and the embeddings of these.
    if documents := by_kind["document"]:
        found |= _placed(every, documents, steps=3)
    if acquisitions := by_kind["acquisition"]:
        brought = derived.filter(to_node_id__in=acquisitions).values("from_node_id")
        found |= _placed(every, brought, steps=3)
    if versions or by_kind["source"] or by_kind["source_version"]:
        standing = Q(pk__in=[*by_kind["source_version"], *versions])
        if by_kind["source"]:
            standing |= Q(parent_id__in=by_kind["source"])
        found |= Q(version_id__in=every.filter(standing, kind="source_version").values("pk"))
    return every.filter(found, Exists(generated_by(viewer, makers)))


def _placed(every: "QuerySet[Node, Node]", places: Any, *, steps: int) -> Q:
    """What has its place in these nodes (ids, or a query for them), or in what has, so many steps down."""
    found = Q()
    for _ in range(steps):
        found |= Q(parent_id__in=places)
        places = every.filter(parent_id__in=places).values("pk")
    return found


def _by_kind(viewer: Viewer, nodes: Collection[int]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for some in slices(sorted(nodes), _SLICE):
        rows = by_their_ids(Node.objects.filter(pk__in=some), viewer.workspace_id)
        for pk, kind in rows.order_by("pk").values_list("pk", "kind"):
            found[kind].append(pk)
    return found


def _credited(viewer: Viewer, agents: Collection[int]) -> tuple[list[int], list[int]]:
    """The works and versions credited to the agents, and the versions alone."""
    found: dict[int, str] = {}
    rows: QuerySet[Node, Any] = Node.objects.filter(workspace_id=viewer.workspace_id)
    for agent in rows.filter(pk__in=agents).order_by("pk"):
        kinds, _, cut = credited_to(viewer.workspace_id, agent, most=MOST_CREDITED - len(found))
        found |= kinds
        if cut:
            raise TooManyCombined(
                "node", f"More than {MOST_CREDITED:,} works and versions: name fewer creators."
            )
    return sorted(found), sorted(pk for pk, kind in found.items() if kind == "source_version")


def _within(viewer: Viewer, nodes: Collection[int]) -> set[int]:
    """The parts and chunks that come of these, however deep."""
    found: set[int] = set()
    frontier = start = set(nodes)
    while frontier:
        below: set[int] = set()
        for some in slices(sorted(frontier), _SLICE):
            rows = by_their_ids(Reference.objects.all(), viewer.workspace_id).filter(
                edge=Edge.WAS_DERIVED_FROM,
                to_node_id__in=some,
                from_node__kind__in=("part", "chunk"),
            )
            ids = rows.order_by("from_node_id").values_list("from_node_id", flat=True).distinct()
            # Those that are known already are among them.
            read = ids[: MOST_WITHIN + len(start) + 1]
            below |= {pk for pk in read if pk is not None} - found - start
            if len(found) + len(below) > MOST_WITHIN:
                raise TooManyCombined(
                    "node", f"More than {MOST_WITHIN:,} nodes in these parts: name their document."
                )
        frontier = below
        found |= frontier
    return found
