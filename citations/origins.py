"""Where a passage comes from: chunk, document, version, work."""

from dataclasses import dataclass

from citations.upstream import Upstream
from lineage.models import Node
from lineage.vocabulary import Edge

# A citation names one thing; where several rows do, the passage comes before its position.
_RANK = {"chunk": 0, "fact": 1, "position": 2}


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


def cited_by(upstream: Upstream, citation: Node) -> Node | None:
    """The chunk or fact that a citation quotes; None where it leads to nothing."""
    rows = upstream.rows(citation.pk, Edge.WAS_QUOTED_FROM)
    if not rows:
        return None
    return upstream.nodes.get(min(rows, key=lambda row: _RANK.get(row.relation, 3)).to_id)


def origin_of(cited: Node, upstream: Upstream) -> Origin:
    """The origin of a chunk or fact."""
    chunk = cited if cited.kind == "chunk" else upstream.parent(cited, "chunk")
    document = upstream.parent(chunk, "document")
    version = upstream.parent(document, "source_version") or upstream.nodes.get(
        cited.version_id or 0
    )
    return Origin(cited, chunk, document, version, upstream.parent(version, "source"))
