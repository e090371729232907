"""Uids that leave the graph with a request: promised with its commit, taken out after it.

A process may die, or the graph be away, between the commit and the removal; nothing in
the relational store would tell of these uids any more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lineage import outbox
from lineage.graph import projection
from provexplorer.workspaces.models import Workspace

# Uids in one message to the broker.
_A_MESSAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Leaving:
    """Uids to take out of a workspace's graph, and the promises that they will be."""

    workspace_id: int
    uids: tuple[str, ...]
    promises: tuple[int, ...]

    def take_out(self) -> None:
        """Take them out and forget the promises. Raises GraphAway; the promises then stand."""
        if self.uids:
            projection.retire(self.workspace_id, self.uids)
            outbox.fulfil(self.promises)


def leaving(workspace: Workspace, uids: Sequence[str]) -> Leaving:
    """Promise, as part of the transaction at hand, that these uids leave the graph."""
    promises = [
        outbox.promise(
            "lineage.retire_nodes",
            workspace_id=workspace.pk,
            uids=" ".join(uids[start : start + _A_MESSAGE]),
        )
        for start in range(0, len(uids), _A_MESSAGE)
    ]
    return Leaving(workspace.pk, tuple(uids), tuple(promises))
