"""What an agent answers for, where a walk downstream starts from one."""

from collections import defaultdict
from typing import Final

from lineage.models import Node, Reference
from lineage.vocabulary import Edge

# One IN list, below what SQLite takes.
_SLICE: Final = 5_000


def credited_to(
    workspace_id: int, agent: Node, *, most: int
) -> tuple[dict[int, str], set[int], bool]:
    """Kinds, by id, of the works and versions credited to the agent; the works among them; whether cut.

    Of a work only the versions that leave one of the agent's roles to it. Of more than `most`
    the first are given.
    """
    rows = list(
        Reference.objects.filter(
            workspace_id=workspace_id, edge=Edge.WAS_ATTRIBUTED_TO, to_node=agent,
            from_node__isnull=False,
        )
        .order_by("from_node_id", "pk")
        .values_list("from_node_id", "from_node__kind", "properties")[: most + 1]
    )  # fmt: skip
    found: dict[int, str] = {}
    roles: dict[int, set[str]] = defaultdict(set)
    for pk, kind, properties in rows:
        found[pk or 0] = kind or ""
        roles[pk or 0].add(properties.get("role", ""))
    works = {pk for pk, kind in found.items() if kind == "source"}
    source_of, cut = _versions(workspace_id, sorted(works), most)
    stated = _stated(workspace_id, sorted(source_of))
    for version, source in source_of.items():
        if roles[source] - stated[version]:
            found[version] = "source_version"
    kept = {pk: found[pk] for pk in sorted(found)[:most]}
    return kept, works & kept.keys(), cut or len(rows) > most or len(found) > most


def _versions(workspace_id: int, works: list[int], most: int) -> tuple[dict[int, int], bool]:
    """Version → its work; True where there are more."""
    found: dict[int, int] = {}
    for begin in range(0, len(works), _SLICE):
        rows = (
            Reference.objects.filter(
                workspace_id=workspace_id, edge=Edge.SPECIALIZATION_OF,
                to_node_id__in=works[begin : begin + _SLICE], from_node__isnull=False,
            )
            .order_by("pk")
            .values_list("from_node_id", "to_node_id")[: most + 1 - len(found)]
        )  # fmt: skip
        found |= {version or 0: work or 0 for version, work in rows}
        if len(found) > most:
            return found, True
    return found, False


def _stated(workspace_id: int, versions: list[int]) -> dict[int, set[str]]:
    """Version → the roles that it states itself."""
    found: dict[int, set[str]] = defaultdict(set)
    for begin in range(0, len(versions), _SLICE):
        for version, properties in Reference.objects.filter(
            workspace_id=workspace_id, edge=Edge.WAS_ATTRIBUTED_TO,
            from_node_id__in=versions[begin : begin + _SLICE],
        ).values_list("from_node_id", "properties"):  # fmt: skip
            found[version or 0].add(properties.get("role", ""))
    return found
