"""An independent proof that propagation missed nothing: the graph is asked, not the closure."""

import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from lineage.cases.ancestry import sliced
from lineage.cases.reach import uids_and_grades
from lineage.graph.answers import answers_below
from lineage.graph.mark import is_wrong
from lineage.graph.projection import project
from lineage.graph.scope import scope_of
from lineage.models import Case, CaseTarget, GraphDirty, Node
from lineage.types import GraphAway
from provexplorer import clock

# Answers of one target that the walk may find; beyond it the case says that it could not be proved.
# What is found is held: some 350 bytes an answer, both sides and what compares them taken together.
MOST_ANSWERS: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class Proof:
    """The graph's answers against the materialised ones.

    `missing`: reached in the graph, without effect; `surplus`: with effect, not reached;
    `differing`: by another grade; `truncated`: the walk was cut by its bound.
    """

    answers: int
    missing: int
    surplus: int
    differing: int
    truncated: bool

    @property
    def holds(self) -> bool:
        return not (self.missing or self.surplus or self.differing or self.truncated)

    def as_json(self) -> dict[str, int | bool]:
        return asdict(self)


def prove(case: Case, *, meanwhile: Callable[[], object] = lambda: None) -> Proof:
    """Walk down from every target in the graph and compare. Raises GraphAway.

    Also while it is being written anew (lineage.graph.mark): what it says then proves nothing.
    Answers that were committed while the walk went on are left out: they carry their effect
    from birth, and the graph may not have had them yet. `meanwhile` is done while the walk
    goes on: something that it does not look at.
    """
    if is_wrong():
        message = "the graph is being written anew"
        raise GraphAway(message)
    begun = clock.now()
    project(case.workspace_id)
    targets = CaseTarget.objects.filter(case=case).order_by("id")
    walk = _Walk(
        scope_of(case.workspace_id).code, list(targets.values_list("node__uid", flat=True))
    )
    walk.start()
    meanwhile()
    walked, truncated = walk.found()
    marked = dict(uids_and_grades(case))
    missing, surplus = walked.keys() - marked.keys(), marked.keys() - walked.keys()
    differing = {uid for uid in walked.keys() & marked.keys() if walked[uid] != marked[uid]}
    moving = _moving(case.workspace_id, missing | surplus | differing, begun)
    return Proof(
        answers=len(walked.keys() - moving),
        missing=len(missing - moving),
        surplus=len(surplus - moving),
        differing=len(differing - moving),
        truncated=truncated,
    )


class _Walk(threading.Thread):
    """The walk from the targets, in a thread of its own: it waits for the graph, and asks nobody else.

    Left to itself where whoever waits for it is interrupted; each of its questions ends in time.
    """

    def __init__(self, workspace: str, targets: list[str]) -> None:
        super().__init__(daemon=True)
        self._workspace, self._targets = workspace, targets
        self._grades: dict[str, int] = {}
        self._truncated = False
        self._failed: BaseException | None = None

    def run(self) -> None:
        try:
            for uid in self._targets:
                below = answers_below(self._workspace, uid, limit=MOST_ANSWERS)
                self._truncated = self._truncated or below.truncated
                for answer, grade in below.grades.items():
                    self._grades[answer] = max(self._grades.get(answer, 0), int(grade))
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            self._failed = error

    def found(self) -> tuple[dict[str, int], bool]:
        """Answers by uid with their strongest grade, and whether a bound cut the walk; raises what it raised."""
        self.join()
        if self._failed is not None:
            raise self._failed
        return self._grades, self._truncated


def _moving(workspace_id: int, uids: set[str], since: datetime) -> set[str]:
    """Those that changed since: not yet in the graph as they are now."""
    moving: set[str] = set()
    ordered = sorted(uids)
    for places in sliced(range(len(ordered))):
        some = [ordered[place] for place in places]
        nodes = Node.objects.filter(workspace_id=workspace_id, uid__in=some)
        moving |= set(nodes.filter(recorded_at__gte=since).values_list("uid", flat=True))
        dirty = GraphDirty.objects.filter(workspace_id=workspace_id, node__uid__in=some)
        moving |= set(dirty.values_list("node__uid", flat=True))
    return moving
