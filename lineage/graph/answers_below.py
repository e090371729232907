"""Asks the server which answers are below many nodes: it walks, and gives back each answer once a question.

Read edge by edge, a case on thousands of answers would be sent some twenty edges of each.
"""

from collections.abc import Callable, Collection
from typing import Final

from lineage.graph.reads.answers_citing import answers_citing
from lineage.graph.reads.answers_given import answers_given
from lineage.graph.reads.answers_retrieving import answers_retrieving
from lineage.graph.stepping import slices_by_kind
from lineage.vocabulary import Edge

# Nodes in one question: the more, the fewer answers are told twice.
_NODES: Final = 1_000
# A question goes through all edges below its nodes, of which there may be very many.
_SECONDS: Final = 60.0

_Ask = Callable[[str, list[str]], list[str]]


class AnswersBelow:
    """Answers of one workspace, at most `limit` a question; where there are more, `truncated`."""

    def __init__(self, workspace: str, *, limit: int) -> None:
        self._workspace = workspace
        self._limit = limit
        self.truncated = False

    def citing(self, items: Collection[str]) -> set[str]:
        """Those that cite these chunks and facts."""
        return self._asked(
            items,
            lambda kind, uids: answers_citing(
                workspace=self._workspace, kind=kind, uids=uids, limit=self._most, timeout=_SECONDS
            ),
        )

    def given(self, items: Collection[str]) -> set[str]:
        """Those that had these chunks and facts in their context."""
        return self._asked(
            items,
            lambda kind, uids: answers_given(
                workspace=self._workspace, kind=kind, uids=uids, limit=self._most, timeout=_SECONDS
            ),
        )

    def retrieving(self, nodes: Collection[str], *edges: Edge) -> set[str]:
        """Those whose retrieval these edges connect with the nodes."""
        return self._asked(
            nodes,
            lambda kind, uids: answers_retrieving(
                workspace=self._workspace, kind=kind, uids=uids, edges=edges, limit=self._most,
                timeout=_SECONDS,
            ),
        )  # fmt: skip

    @property
    def _most(self) -> int:
        """One more than are wanted, which tells that there are more."""
        return self._limit + 1

    def _asked(self, uids: Collection[str], ask: _Ask) -> set[str]:
        found: set[str] = set()
        for kind, some in slices_by_kind(uids, _NODES):
            found.update(ask(kind, some))
            if len(found) > self._limit:
                self.truncated = True
                break
        return found
