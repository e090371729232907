"""Sends native records to a workspace and writes down what stands in it afterwards, order aside."""

from collections.abc import Iterable, Sequence
from typing import Any

from lineage.formats.records import parse_record
from lineage.ingest.apply import apply_records
from lineage.models import Node, Reference, RestsOn
from lineage.types import Outcome
from lineage.vocabulary import Grade
from provexplorer.workspaces.models import Workspace

T = "2026-03-01T10:00:00Z"
LATER = "2026-04-01T10:00:00Z"


def record(
    kind: str, key: str, *, at: str | None = T, namespace: str = "", **fields: Any
) -> dict[str, Any]:
    """One native record; `at` is its occurred_at."""
    base: dict[str, Any] = {"kind": kind, "key": key, **fields}
    if at is not None:
        base["occurred_at"] = at
    if namespace:
        base["namespace"] = namespace
    return base


def send(workspace: Workspace, records: Sequence[dict[str, Any]]) -> list[Outcome]:
    """Apply the records as one request."""
    return list(
        apply_records(workspace, [parse_record(i, one) for i, one in enumerate(records)]).outcomes
    )


def codes(outcome: Outcome) -> set[str]:
    return {warned.code for warned in outcome.warnings}


def node(workspace: Workspace, kind: str, key: str) -> Node:
    """The only node of that key."""
    return Node.objects.get(workspace=workspace, kind=kind, key=key)


def impact(workspace: Workspace, target: Node) -> dict[str, str]:
    """Answer key → grade, of the prepared closure."""
    return {
        row.answer.key: Grade(row.grade).word
        for row in RestsOn.objects.filter(
            answer__workspace=workspace, target=target
        ).select_related("answer")
    }


def standing_graph(workspace: Workspace) -> tuple[list[Any], list[Any], list[Any]]:
    """Nodes, edges and closure by uid, sorted: what must not depend on order, split or repetition."""
    nodes = sorted(
        (
            one.uid, one.kind, one.namespace, one.key, one.digest, one.resolved, one.provisional,
            one.start, one.end, one.anchor, str(one.occurred_at), str(one.event_at), one.label,
            _plain(one.fields), _plain(one.attributes),
            sorted(_plain(flag) for flag in one.flags),
            one.version.uid if one.version else "",
        )
        for one in Node.objects.filter(workspace=workspace).select_related("version")
    )  # fmt: skip
    edges = sorted(
        (
            row.from_node.uid, row.edge, row.to_node.uid, row.relation, row.status,
            _plain(row.properties),
        )
        for row in Reference.objects.filter(
            workspace=workspace, from_node__isnull=False, to_node__isnull=False
        ).select_related("from_node", "to_node")
        if row.from_node and row.to_node
    )  # fmt: skip
    closure = sorted(
        (row.answer.uid, row.target.uid, row.grade, row.origin_grade)
        for row in RestsOn.objects.filter(answer__workspace=workspace).select_related(
            "answer", "target"
        )
    )
    return nodes, edges, closure


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_plain(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return "[" + ",".join(_plain(one) for one in value) + "]"
    return repr(value)
