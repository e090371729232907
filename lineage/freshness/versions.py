"""The versions that sources have, as far as looking at them needs to know."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from lineage.compiled import Compiled
from lineage.models import Node
from lineage.nodes.newest_version import newest_first
from lineage.vocabulary import OBSERVED

_MOST_VERSIONS: Final = 5_000
_MOST_DOCUMENTS: Final = 20_000


_VERSIONS: Final = Compiled(
    lambda given: Node.objects.filter(
        workspace_id=given.id("workspace"),
        parent_id__in=given.ids("sources"),
        kind="source_version",
        resolved=True,
    ).order_by("-pk")[:_MOST_VERSIONS]
)
_DOCUMENTS: Final = Compiled(
    lambda given: (
        Node.objects.filter(
            workspace_id=given.id("workspace"),
            parent_id__in=given.ids("versions"),
            kind="document",
        )
        .exclude(digest="")
        .order_by("pk")
        .values_list("parent_id", "digest")[:_MOST_DOCUMENTS]
    )
)


@dataclass(frozen=True, slots=True)
class Versions:
    """Of one source: the newest first, and the newest of those with a digest (their own or a document's)."""

    every: tuple[Node, ...] = ()
    by_digest: dict[str, Node] = field(default_factory=dict)

    @property
    def newest(self) -> Node | None:
        return self.every[0] if self.every else None


def is_observed(version: Node | None) -> bool:
    """Whether a version was made by looking at its source."""
    return version is not None and version.namespace == OBSERVED


def versions_of(workspace_id: int, source_ids: Collection[int]) -> dict[int, Versions]:
    """The versions of these sources, by node id of the source; two statements."""
    by_source: dict[int, list[Node]] = defaultdict(list)
    for version in _VERSIONS.instances(workspace=workspace_id, sources=source_ids):
        if version.parent_id is not None:
            by_source[version.parent_id].append(version)
    documents = _DOCUMENTS.rows(
        workspace=workspace_id,
        versions=[each.pk for several in by_source.values() for each in several],
    )
    digests: dict[int | None, set[str]] = defaultdict(set)
    for version_id, digest in documents:
        digests[version_id].add(digest)
    found = {}
    for source_id, several in by_source.items():
        every = newest_first(several)
        by_digest: dict[str, Node] = {}
        for version in every:
            for digest in {version.digest, *digests[version.pk]} - {""}:
                by_digest.setdefault(digest, version)
        found[source_id] = Versions(tuple(every), by_digest)
    return found
