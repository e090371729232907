"""The runs and components behind nodes: by what they were made."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from lineage.models import Node, Reference
from lineage.types import JsonValue
from lineage.vocabulary import KINDS, Edge

_MOST_RUNS: Final = 2_000


@dataclass(frozen=True, slots=True)
class RunFact:
    """A run on the way from the source to the answer, and the component that did it."""

    run_uid: str
    run_kind: str | None
    component_uid: str | None
    component_kind: str | None
    name: str | None
    version: str | None
    config_digest: str | None
    started_at: str | None
    ended_at: str | None
    status: str | None
    node_uid: str  # what the run made


def runs_of(workspace_id: int, node_ids: Collection[int]) -> dict[int, tuple[RunFact, ...]]:
    """The runs that made each node, with their components, in two queries."""
    if not node_ids:
        return {}
    made = list(
        Reference.objects.filter(
            workspace_id=workspace_id,
            from_node_id__in=node_ids,
            edge=Edge.WAS_GENERATED_BY,
            to_node__isnull=False,
        )
        .select_related("to_node", "from_node")
        .order_by("from_node_id", "relation", "pk")[:_MOST_RUNS]
    )
    components = _components(workspace_id, {row.to_node_id for row in made if row.to_node_id})
    facts: dict[int, list[RunFact]] = {}
    for row in made:
        run, node = row.to_node, row.from_node
        if run is not None and node is not None:
            facts.setdefault(node.pk, []).append(_fact(run, components.get(run.pk), node))
    return {pk: tuple(some) for pk, some in facts.items()}


def in_order(
    facts: Mapping[int, tuple[RunFact, ...]], nodes: Collection[Node]
) -> tuple[RunFact, ...]:
    """The runs of these nodes from the source to the answer, each pair of run and node once."""
    ordered = sorted(nodes, key=lambda node: (KINDS[node.kind].stage, node.pk))
    return tuple(dict.fromkeys(fact for node in ordered for fact in facts.get(node.pk, ())))


def _components(workspace_id: int, run_ids: Collection[int]) -> dict[int, Node]:
    if not run_ids:
        return {}
    rows = (
        Reference.objects.filter(
            workspace_id=workspace_id,
            from_node_id__in=run_ids,
            edge=Edge.WAS_ASSOCIATED_WITH,
            to_node__isnull=False,
        )
        .select_related("to_node")
        .order_by("from_node_id", "-pk")[:_MOST_RUNS]
    )
    return {row.from_node_id: row.to_node for row in rows if row.from_node_id and row.to_node}


def _fact(run: Node, component: Node | None, node: Node) -> RunFact:
    did = component.fields if component is not None else {}
    return RunFact(
        run_uid=run.uid,
        run_kind=_text(run.fields.get("run_kind")),
        component_uid=component.uid if component is not None else None,
        component_kind=_text(did.get("component_kind")),
        name=_text(did.get("name")),
        version=_text(did.get("version")),
        config_digest=_text(did.get("config_digest")),
        started_at=_text(run.fields.get("started_at")),
        ended_at=_text(run.fields.get("ended_at")),
        status=_text(run.fields.get("status")),
        node_uid=node.uid,
    )


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None
