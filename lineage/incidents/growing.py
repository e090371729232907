"""What an incident's question asked about when it was opened, and what it has come to ask about since.

A question of a component by its name, or of what something made, may mean more nodes later: a
record tells what a component is that runs had named, or who made a passage. Answers that had
rested on such a node all the time fall under the incident from then on, without any new row of the
closure. So what was asked about is kept, and compared at each pass.
"""

from collections.abc import Iterator
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from lineage.bulk_rows import slices
from lineage.impact.targets import Targets
from lineage.models import Incident, IncidentTarget, Node, RestsOn

# A question of more nodes is watched by what the closure gains alone.
MOST_KEPT: Final = 100_000
# Nodes gained that one look takes up.
_MOST_GAINED: Final = 2_000
_SLICE: Final = 1_000
# Answers looked at in one step.
_ANSWERS: Final = 20_000

_GROWING: Final = frozenset({"component", "made_by"})
# Incidents whose question can come to ask about more nodes.
CAN_GROW: Final = Q(question__has_any_keys=sorted(_GROWING))


def may_grow(incident: Incident) -> bool:
    """Whether its question can come to ask about more nodes."""
    return bool(_GROWING & set(incident.question))


def keep(incident: Incident, targets: Targets) -> None:
    """Keep what the question asks about as what it asked about when it was opened."""
    if not may_grow(incident):
        return
    nodes = _nodes(incident, targets).order_by("pk").values_list("pk", flat=True)
    ids = list(nodes[: MOST_KEPT + 1])
    incident.targets_kept = len(ids) <= MOST_KEPT
    with transaction.atomic():
        Incident.objects.filter(pk=incident.pk).update(targets_kept=incident.targets_kept)
        if incident.targets_kept:
            _write(incident, ids, gained=False)


def gained(incident: Incident, targets: Targets) -> list[int]:
    """The nodes that it asks about now and not yet at the last look; some, where there are many."""
    known = IncidentTarget.objects.filter(incident=incident, node_id=OuterRef("pk"))
    new = _nodes(incident, targets).exclude(Exists(known))
    return list(new.order_by("pk").values_list("pk", flat=True)[:_MOST_GAINED])


def take_up(incident: Incident, node_ids: list[int]) -> None:
    """Note that the answers of these nodes have been looked at."""
    _write(incident, node_ids, gained=True)


def answers_of(node_ids: list[int]) -> Iterator[list[int]]:
    """The answers that rest on these nodes, by id, in parts."""
    after = 0
    while True:
        rows = RestsOn.objects.filter(target_id__in=node_ids, answer_id__gt=after)
        ids = rows.order_by("answer_id").values_list("answer_id", flat=True).distinct()[:_ANSWERS]
        part = list(ids)
        if not part:
            return
        yield part
        after = part[-1]


def asked_when_opened(incident: Incident) -> "QuerySet[IncidentTarget, int] | None":
    """The ids of the nodes that it asked about when it was opened; None where that is what it asks about now."""
    if not incident.targets_kept:
        return None
    rows = IncidentTarget.objects.filter(incident=incident, gained=False)
    return rows.values_list("node_id", flat=True)


def _nodes(incident: Incident, targets: Targets) -> QuerySet[Node]:
    nodes = Node.objects.filter(workspace_id=incident.workspace_id)
    return nodes.filter(targets.condition("pk"))


def _write(incident: Incident, node_ids: list[int], *, gained: bool) -> None:
    for some in slices(node_ids, _SLICE):
        IncidentTarget.objects.bulk_create(
            [IncidentTarget(incident=incident, node_id=pk, gained=gained) for pk in some],
            ignore_conflicts=True,
        )
