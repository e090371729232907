"""An independent proof that propagation missed nothing: the graph is asked, not the closure."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from lineage.cases.ancestry import sliced
from lineage.cases.reach import uids_and_grades
from lineage.graph.projection import project
from lineage.graph.walk import answers_downstream
from lineage.models import Case, CaseTarget, GraphDirty, Node
from provexplorer import clock

# Answers of one target that the walk may find; beyond it the case says that it could not be proved.
MOST_ANSWERS: Final = 500_000


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


def prove(case: Case) -> Proof:
    """Walk down from every target in the graph and compare. Raises GraphAway.

    Answers that were committed while the walk went on are left out: they carry their effect
    from birth, and the graph may not have had them yet.
    """
    begun = clock.now()
    project(case.workspace_id)
    walked: dict[str, int] = {}
    truncated = False
    targets = CaseTarget.objects.filter(case=case).order_by("id")
    for uid in list(targets.values_list("node__uid", flat=True)):
        found = answers_downstream(case.workspace_id, uid, limit=MOST_ANSWERS)
        truncated = truncated or found.truncated
        for answer, grade in found.grades.items():
            walked[answer] = max(walked.get(answer, 0), int(grade))
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
