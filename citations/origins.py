"""The nodes behind citations and passages: what each has its place in, up to the work."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from lineage.models import Node, Reference
from lineage.vocabulary import Edge

# Citation → claim → answer, and fact → chunk → document → version → source.
_MOST_STEPS: Final = 6


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a passage comes from; None for what nobody has sent or named.

    `cited` is the chunk or fact that was named, `chunk` the chunk itself or the one that
    the fact was extracted from.
    """

    cited: Node
    chunk: Node | None
    document: Node | None
    version: Node | None
    source: Node | None


def quoted_by(workspace_id: int, citation_ids: Collection[int]) -> dict[int, int]:
    """The chunk or fact that each citation quotes, by citation id; absent where there is none."""
    rows = (
        Reference.objects.filter(
            workspace_id=workspace_id,
            from_node_id__in=citation_ids,
            edge=Edge.WAS_QUOTED_FROM,
            to_node__isnull=False,
        )
        .order_by("-from_node_id", "-relation", "-pk")
        .values_list("from_node_id", "to_node_id")
    )
    return {citation: target for citation, target in rows if target is not None}


def with_origins(
    workspace_id: int, nodes: Iterable[Node], ids: Collection[int] = ()
) -> dict[int, Node]:
    """These nodes, those with these ids, and all that they have their place in, by id.

    One query a step, six at most, whatever their number.
    """
    known = {node.pk: node for node in nodes}
    wanted = set(ids) | _places(known.values())
    for _ in range(_MOST_STEPS):
        wanted -= known.keys()
        if not wanted:
            break
        found = list(Node.objects.filter(workspace_id=workspace_id, pk__in=wanted).order_by("pk"))
        known |= {node.pk: node for node in found}
        wanted = _places(found)
    return known


def _places(nodes: Iterable[Node]) -> set[int]:
    return {pk for node in nodes for pk in (node.parent_id, node.version_id) if pk is not None}


def origin_of(cited: Node, nodes: Mapping[int, Node]) -> Origin:
    """The origin of a chunk or fact among loaded nodes (see with_origins)."""

    def parent(node: Node | None, kind: str) -> Node | None:
        found = nodes.get(node.parent_id or 0) if node is not None else None
        return found if found is not None and found.kind == kind else None

    chunk = cited if cited.kind == "chunk" else parent(cited, "chunk")
    document = parent(chunk, "document")
    version = parent(document, "source_version") or nodes.get(cited.version_id or 0)
    return Origin(cited, chunk, document, version, parent(version, "source"))
