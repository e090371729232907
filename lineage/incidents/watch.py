"""Finds answers that came under watched incidents, from the rows that the closure has gained.

A pass at intervals instead of work at each request of records: an answer falls under a
question by a row of RestsOn, and rows get ids in the workspace's turn, so that what lies
between two ids is exactly what came to be between two looks. Ingestion pays nothing for
incidents, nothing is lost while no worker runs, and an answer is found once however often it
is looked at. Each incident remembers how far it was watched; two workers at once find that
the other has moved it on.

A question may also come to ask about more nodes without any new row (lineage.incidents.growing):
of those that can, a pass looks at what they have gained, unless nothing has changed in the
workspace since the last look that found all of it.

What is new is what came to *rest* on the question since the incident was opened, and passes
its filters when it is found. An answer that rested on it before and only now passes a filter
(by a stronger grade, by its state) changes the counts of now and is not new.
"""

import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Final

from django.db import transaction
from django.db.models import F, Min, QuerySet

from lineage.compiled import by_their_ids
from lineage.content.keys import in_batches
from lineage.impact.question import question_from_json
from lineage.impact.question_values import QuestionInvalid
from lineage.impact.targets import targets_of
from lineage.incidents import events, growing
from lineage.incidents.falling import fallen_since, newest_row
from lineage.models import Incident, IncidentAnswer, Node, RestsOn
from lineage.models.turns import changes_of, turn
from lineage.types import NotFound, Viewer
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

# Rows of the closure looked at in one step: an answer has some dozens.
_STEP: Final = 20_000
# A pass ends after so many seconds; the next goes on where it stopped.
_SECONDS: Final = 60.0
_MOST_WORKSPACES: Final = 1_000
# Of one workspace, those watched least far first.
MOST_WATCHED: Final = 200
# Of all workspaces, those whose questions may come to ask about more.
_MOST_GROWING: Final = 1_000


def watch(seconds: float = _SECONDS) -> int:
    """Look at what has come to be, in every workspace with watched incidents; how many answers are new."""
    until = time.monotonic() + seconds
    newest = newest_row()
    behind = (
        _watched()
        .filter(watched_to__lt=newest)
        .values("workspace_id")
        .annotate(least=Min("watched_to"))
        .order_by("least", "workspace_id")
    )
    found = 0
    for each in list(behind[:_MOST_WORKSPACES]):
        if time.monotonic() > until:
            break
        found += _watch_workspace(Workspace.objects.get(pk=each["workspace_id"]), until)
    return found + _watch_growing(until)


def _watch_growing(until: float) -> int:
    """Look at what the questions of watched incidents have come to ask about; how many answers are new."""
    growing_ones = _watched().filter(growing.CAN_GROW).exclude(targets_kept=False)
    incidents = list(growing_ones.select_related("workspace").order_by("pk")[:_MOST_GROWING])
    changes = changes_of({incident.workspace_id for incident in incidents})
    found = 0
    for incident in incidents:
        if time.monotonic() > until:
            break
        changed = changes[incident.workspace_id]
        if incident.looked_to != changed:
            with suppress(NotFound, QuestionInvalid):
                found += _look_at_gained(incident, changed)
    return found


def _look_at_gained(incident: Incident, changed: int) -> int:
    """Look at what the question has come to ask about, after so many changes at least; how many answers are new."""
    viewer, question = _viewer(incident.workspace), question_from_json(incident.question)
    targets = targets_of(viewer, question)
    if incident.targets_kept is None:
        # Opened before this was kept: what it asks about now counts as what it asked about then.
        growing.keep(incident, targets)
        return 0
    found = 0
    nodes = growing.gained(incident, targets)
    for answer_ids in growing.answers_of(nodes):
        fallen = fallen_since(viewer, question, answer_ids, incident)
        if fallen:
            with transaction.atomic():
                # Another worker that looks at the same waits here, and finds them kept.
                Incident.objects.filter(pk=incident.pk).update(watched_to=F("watched_to"))
                found += _found(incident, fallen)
    growing.take_up(incident, nodes)
    if not nodes:
        # Until something changes it would find nothing again.
        Incident.objects.filter(pk=incident.pk).update(looked_to=changed)
    return found


def _watched() -> QuerySet[Incident]:
    return Incident.objects.filter(watching=True).exclude(state=Incident.State.CLOSED)


def _watch_workspace(workspace: Workspace, until: float) -> int:
    with turn(workspace.pk):
        # Whoever has written rows of this workspace below this id has committed them.
        newest = newest_row()
    mine = _watched().filter(workspace=workspace).order_by("watched_to", "pk")
    incidents = list(mine[:MOST_WATCHED])
    found = 0
    while incidents and time.monotonic() < until:
        low = min(incident.watched_to for incident in incidents)
        if low >= newest:
            break
        high, answer_ids = _step(workspace, low, newest)
        for incident in incidents:
            if time.monotonic() > until:
                break
            if incident.watched_to < high:
                found += _look(workspace, incident, answer_ids, high)
    return found


def _step(workspace: Workspace, low: int, newest: int) -> tuple[int, set[int]]:
    """Some rows above `low`: the id up to which they reach, and the workspace's answers among them."""
    rows = list(
        RestsOn.objects.filter(pk__gt=low, pk__lte=newest)
        .order_by("pk")
        .values_list("pk", "answer_id")[:_STEP]
    )
    high = rows[-1][0] if len(rows) == _STEP else newest
    seen = sorted({answer_id for _, answer_id in rows})
    mine: set[int] = set()
    for some in in_batches(seen):
        own = by_their_ids(Node.objects.filter(pk__in=some), workspace.pk)
        mine |= set(own.values_list("pk", flat=True))
    return high, mine


def _look(workspace: Workspace, incident: Incident, answer_ids: Collection[int], high: int) -> int:
    """Note which of the answers are new to the incident, and that it was watched up to `high`."""
    here = Incident.objects.filter(pk=incident.pk, watched_to=incident.watched_to)
    if not here.exists():
        # Another worker is at it and ahead of us.
        incident.watched_to = high
        return 0
    try:
        fallen = fallen_since(
            _viewer(workspace), question_from_json(incident.question), answer_ids, incident
        )
    except (NotFound, QuestionInvalid):
        # What it asks about is gone: nothing can fall under it any more.
        fallen = set()
    with transaction.atomic():
        moved = here.update(watched_to=high)
        incident.watched_to = high
        return _found(incident, fallen) if moved and fallen else 0


def _found(incident: Incident, fallen: Collection[int]) -> int:
    """Keep and tell those that were not found before, in the caller's transaction; how many."""
    new = _keep(incident, fallen)
    if new:
        Incident.objects.filter(pk=incident.pk).update(found=F("found") + len(new))
        incident.refresh_from_db()
        _tell(incident, new)
    return len(new)


def _keep(incident: Incident, fallen: Collection[int]) -> list[int]:
    """Keep those that were not found before; these."""
    known: set[int] = set()
    for some in in_batches(fallen):
        mine = IncidentAnswer.objects.filter(incident=incident, answer_id__in=some)
        known |= set(mine.values_list("answer_id", flat=True))
    new = sorted(set(fallen) - known)
    now = clock.now()
    IncidentAnswer.objects.bulk_create(
        [IncidentAnswer(incident=incident, answer_id=pk, found_at=now) for pk in new],
        batch_size=1_000,
    )
    return new


def _tell(incident: Incident, new: Sequence[int]) -> None:
    """One event for all that a look has found; the newest of them by uid."""
    last = Node.objects.filter(pk__in=new[-events.MOST_NAMED :]).order_by("-pk")
    events.tell(
        incident,
        events.NEW_ANSWERS,
        new=len(new),
        found=incident.found,
        answers=list(last.values_list("uid", flat=True)),
    )


def _viewer(workspace: Workspace) -> Viewer:
    """Nobody in particular, who sees what every member sees of impact: which answers, not what they say."""
    return Viewer(workspace.pk, workspace.hash_key, workspace.slug)
