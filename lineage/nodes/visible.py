"""Which nodes a viewer may see: versions state access groups, which guard what comes from them.

Acquisition, document, part, chunk, fact, embedding, citation, and a claim that cites,
need a group of each version behind them; a source needs one version that is visible.
A version nobody has described yet guards nothing until it is repaired.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from django.db.models import Q

from lineage.models import Node, Reference, RestsOn
from lineage.types import Viewer
from lineage.vocabulary import Edge

# Kinds that stand on a version; Node.version names it for those that have it as their place.
_GUARDED: Final = frozenset(
    {"acquisition", "document", "part", "chunk", "fact", "embedding", "citation", "claim"}
)


def visible(viewer: Viewer, nodes: Sequence[Node]) -> dict[int, bool]:
    """Whether the viewer may see each node, by node id; two queries at most for any number.

    `admin` sees all. Nodes need kind and version_id loaded only.
    """
    seen = {node.pk: True for node in nodes}
    if viewer.sees_all or not seen:
        return seen
    behind = _versions_behind(viewer, nodes)
    sources = {node.pk for node in nodes if node.kind == "source"}
    open_to = _described_versions(viewer, {v for some in behind.values() for v in some}, sources)
    by_source: dict[int | None, list[bool]] = defaultdict(list)
    for source_id, is_open in open_to.values():
        by_source[source_id].append(is_open)
    for node in nodes:
        if node.kind == "source":
            versions = by_source.get(node.pk, [])
            seen[node.pk] = any(versions) or not versions
        else:
            seen[node.pk] = all(open_to[v][1] for v in behind[node.pk] if v in open_to)
    return seen


def given_hidden(viewer: Viewer, nodes: Sequence[Node]) -> set[int]:
    """The answers among the nodes that cite, had in context or retrieved what the viewer may not see.

    They are visible, but their words may repeat what is hidden. By node id; one query.
    """
    answers = [node.pk for node in nodes if node.kind == "answer"]
    if viewer.sees_all or not answers:
        return set()
    rows = RestsOn.objects.filter(
        answer_id__in=answers,
        target__workspace_id=viewer.workspace_id,
        target__kind="source_version",
        target__resolved=True,
    ).values_list("answer_id", "target__fields__acl")
    return {answer_id for answer_id, acl in rows if not _open(viewer, acl)}


def _versions_behind(viewer: Viewer, nodes: Sequence[Node]) -> dict[int, set[int]]:
    """The versions that guard each node: its own, and those of what it quotes or was fetched of."""
    behind: dict[int, set[int]] = defaultdict(set)
    asked: dict[str, set[int]] = defaultdict(set)
    for node in nodes:
        if node.kind == "source_version":
            behind[node.pk].add(node.pk)
        elif node.kind in _GUARDED:
            if node.version_id is not None:
                behind[node.pk].add(node.version_id)
            asked[node.kind].add(node.pk)
    fetched = asked["acquisition"]
    quoting = asked["citation"] | asked["claim"]
    if not fetched and not quoting:
        return behind
    rows = Reference.objects.filter(
        Q(
            edge=Edge.WAS_DERIVED_FROM,
            from_node_id__in=fetched,
            to_node__kind="source_version",
        )
        | Q(edge=Edge.WAS_QUOTED_FROM, from_node_id__in=asked["citation"])
        # A citation's place is its claim.
        | Q(edge=Edge.WAS_QUOTED_FROM, from_node__parent_id__in=asked["claim"]),
        workspace_id=viewer.workspace_id,
    ).values_list(
        "edge", "from_node_id", "from_node__parent_id", "to_node_id", "to_node__version_id"
    )
    for edge, from_id, claim_id, to_id, version_id in rows:
        if edge == Edge.WAS_DERIVED_FROM:
            _add(behind, (from_id,), to_id)
        else:
            _add(behind, quoting & {from_id, claim_id}, version_id)
    return behind


def _add(behind: dict[int, set[int]], node_ids: Iterable[int], version_id: int | None) -> None:
    if version_id is not None:
        for node_id in node_ids:
            behind[node_id].add(version_id)


def _described_versions(
    viewer: Viewer, version_ids: Collection[int], source_ids: Collection[int]
) -> dict[int, tuple[int | None, bool]]:
    """(source, open to the viewer) of those versions that a record has described."""
    if not version_ids and not source_ids:
        return {}
    rows = Node.objects.filter(
        Q(pk__in=version_ids) | Q(parent_id__in=source_ids, kind="source_version"),
        workspace_id=viewer.workspace_id,
        resolved=True,
    ).values_list("pk", "parent_id", "fields__acl")
    return {pk: (source_id, _open(viewer, acl)) for pk, source_id, acl in rows}


def _open(viewer: Viewer, acl: Any) -> bool:
    """Absent: all of the workspace. A list: its groups, none if it is empty."""
    if acl is None:
        return True
    return isinstance(acl, list) and not viewer.groups.isdisjoint(acl)
