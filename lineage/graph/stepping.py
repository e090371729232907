"""One step of a walk from many nodes of any kind at once, within a bound.

Walks go level by level and meet each node once: an enumeration of paths (`*1..n`)
visits a node as often as there are ways to it, which in nested documents is too often.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import groupby
from typing import Final, TypeVar

from lineage.graph.reads.edges_from import edges_from
from lineage.graph.reads.edges_into import edges_into
from lineage.graph.reads.ends_into import ends_into
from lineage.graph.reads.items_above import items_above
from lineage.graph.reads.outputs_without_derivation import outputs_without_derivation
from lineage.graph.then import Then
from lineage.identifiers import kind_of_uid
from lineage.types import EdgeView
from lineage.vocabulary import KINDS, Edge

NODES_A_READ: Final = 500
_Row = TypeVar("_Row", EdgeView, tuple[str, str])


class Stepper:
    """Reads edges of one workspace until a number of them is reached; then says `truncated`.

    `left`: how many more may be read. `then`: only what was there at an instant.
    """

    def __init__(self, workspace: str, *, limit: int, then: Then | None = None) -> None:
        self.workspace = workspace
        self._then = then
        self.left = limit
        self.truncated = False

    def leaving(self, uids: Collection[str], edges: Iterable[Edge]) -> list[EdgeView]:
        """Edges of these types from effect to cause, starting at these nodes."""
        return self._read(
            uids,
            lambda kind, some, limit: edges_from(
                workspace=self.workspace, kind=kind, uids=some, edges=edges, limit=limit
            ),
        )

    def arriving(self, uids: Collection[str], edges: Iterable[Edge]) -> list[EdgeView]:
        """Edges of these types from effect to cause, ending at these nodes."""
        return self._read(
            uids,
            lambda kind, some, limit: edges_into(
                workspace=self.workspace, kind=kind, uids=some, edges=edges, limit=limit
            ),
        )

    def ends(self, uids: Collection[str], edges: Iterable[Edge]) -> list[tuple[str, str]]:
        """As `arriving`, but of each edge only where it comes from and where it leads."""
        return self._read(
            uids,
            lambda kind, some, limit: ends_into(
                workspace=self.workspace, kind=kind, uids=some, edges=edges, limit=limit
            ),
        )

    def items_above(self, uids: Collection[str]) -> list[tuple[str, str]]:
        """The chunks and facts that these nodes are derived from, as (made, of what)."""
        return self._read(
            uids,
            lambda kind, some, limit: items_above(
                workspace=self.workspace, kind=kind, uids=some, limit=limit
            ),
        )

    def unspoken(self, runs: Collection[str]) -> list[EdgeView]:
        """WAS_GENERATED_BY edges of outputs for which only these runs speak."""
        return self._read(
            runs,
            lambda _, some, limit: outputs_without_derivation(
                workspace=self.workspace, uids=some, limit=limit
            ),
        )

    def kept(self, edges: list[_Row]) -> list[_Row]:
        """The edges that the walk may take."""
        return edges if self._then is None else self._then.kept(edges)

    def _read(
        self, uids: Collection[str], ask: Callable[[str, list[str], int], list[_Row]]
    ) -> list[_Row]:
        found: list[_Row] = []
        for kind, some in slices_by_kind(uids, NODES_A_READ):
            rows = ask(kind, some, self.left + 1)
            self.truncated = self.truncated or len(rows) > self.left
            found += rows[: self.left]
            self.left -= min(self.left, len(rows))
        return self.kept(found)


def slices_by_kind(uids: Collection[str], size: int) -> Iterator[tuple[str, list[str]]]:
    """The uids, at most so many at a time, each time of one kind, in order; what is no uid is left out."""
    for kind, of_kind in groupby(in_order(uids), key=kind_name):
        every = list(of_kind)
        for start in range(0, len(every) if kind else 0, size):
            yield kind, every[start : start + size]


def in_order(uids: Iterable[str]) -> list[str]:
    """The uids in the order in which their edges are read: by kind, then by uid."""
    return sorted(uids, key=_by_kind)


def kind_name(uid: str) -> str:
    """The kind that a uid's prefix names; empty for what is no uid."""
    kind = kind_of_uid(uid)
    return kind.name if kind else ""


def stage_of(uid: str) -> int:
    """The stage of a uid's kind; 0 for what has none."""
    name = kind_name(uid)
    return KINDS[name].stage if name else 0


def _by_kind(uid: str) -> tuple[str, str]:
    return kind_name(uid), uid
