"""What a component has done over time: its latest runs, how they ended, what they made and its flags."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db.models import TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from lineage.compiled import by_their_ids
from lineage.models import Node, Reference
from lineage.nodes.component_figures import runs_of
from lineage.nodes.run_outcomes import RunOutcome, outcome_of
from lineage.types import Viewer
from lineage.vocabulary import KINDS, Edge

# Runs recorded last that are looked at, and what these made.
MOST_RUNS: Final = 5_000
MOST_OUTPUTS: Final = 20_000
# Runs whose outputs are asked for together: a few have made enough to look at.
_SLICE: Final = 500
_NONE: Final = ("", "[]", None)
# Steps of a plot at most; the step grows until they suffice.
MOST_STEPS: Final = 40
_STEPS: Final = (
    ("hour", timedelta(hours=1)),
    ("day", timedelta(days=1)),
    ("week", timedelta(days=7)),
    ("month", timedelta(days=30)),
    ("year", timedelta(days=365)),
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of time from `start` on: runs by how they ended, and what they made."""

    start: datetime
    runs: int
    failed: int
    outputs: int


@dataclass(frozen=True, slots=True)
class Work:
    """The `runs` recorded last, of `total`, and their outputs.

    `more_outputs`: they made more than was looked at; `outputs` and `flags` are then at
    least what they say. `step` names the length of the steps; `undated` runs are in none.
    """

    runs: int
    total: int
    outcomes: Mapping[RunOutcome, int]
    outputs: Mapping[str, int]
    more_outputs: bool
    flags: Mapping[str, int]
    quality: Mapping[str, int]
    step: str
    steps: tuple[Step, ...]
    undated: int

    @property
    def ended(self) -> int:
        """Runs of which it is known how they ended."""
        return self.outcomes.get(RunOutcome.COMPLETED, 0) + self.outcomes.get(RunOutcome.FAILED, 0)

    @property
    def failed(self) -> int:
        return self.outcomes.get(RunOutcome.FAILED, 0)


def component_work(viewer: Viewer, component: Node) -> Work:
    """What the latest runs of a component did; three queries, bounded by MOST_RUNS and MOST_OUTPUTS."""
    named = runs_of(viewer.workspace_id, component.pk)
    status = KeyTextTransform("status", "from_node__fields")
    rows = named.order_by("-pk").values_list("from_node_id", "from_node__occurred_at", status)
    runs = {pk: (at, outcome_of(said)) for pk, at, said in rows[:MOST_RUNS] if pk is not None}
    made = _made(viewer, runs)
    outputs = Counter(kind for _, kind, _, _ in made)
    flags = Counter(code for *_, said, _ in made for code in _codes(said))
    quality = Counter(name for *_, said in made for name in _poor(said))
    step, steps = in_steps(
        [(at, outcome) for at, outcome in runs.values() if at is not None],
        [
            (at, number)
            for run, number in Counter(run for run, *_ in made).items()
            if (at := runs[run][0]) is not None
        ],
    )
    return Work(
        runs=len(runs),
        total=len(runs) if len(runs) < MOST_RUNS else named.count(),
        outcomes=Counter(outcome for _, outcome in runs.values()),
        outputs={kind: outputs[kind] for kind in KINDS if outputs[kind]},
        more_outputs=len(made) >= MOST_OUTPUTS,
        flags=dict(sorted(flags.items(), key=lambda item: (-item[1], item[0]))),
        quality=dict(sorted(quality.items(), key=lambda item: (-item[1], item[0]))),
        step=step,
        steps=steps,
        undated=sum(at is None for at, _ in runs.values()),
    )


def in_steps(
    runs: Sequence[tuple[datetime, RunOutcome]], outputs: Sequence[tuple[datetime, int]]
) -> tuple[str, tuple[Step, ...]]:
    """Runs and outputs by steps of time without a gap, and the name of the step; pure.

    `outputs`: when a run was, and how much it made. Where even years would be too many, the latest are kept.
    """
    if not runs:
        return "day", ()
    first, last = min(at for at, _ in runs), max(at for at, _ in runs)
    step = next(
        (name for name, length in _STEPS if (last - first) / length < MOST_STEPS - 2), "year"
    )
    done: dict[datetime, list[int]] = defaultdict(lambda: [0, 0, 0])
    for at, outcome in runs:
        found = done[begin_of(step, at)]
        found[0] += 1
        found[1] += outcome is RunOutcome.FAILED
    for at, number in outputs:
        done[begin_of(step, at)][2] += number
    starts = [begin_of(step, last)]
    while starts[-1] > begin_of(step, first) and len(starts) < MOST_STEPS:
        starts.append(begin_of(step, starts[-1] - timedelta(seconds=1)))
    return step, tuple(Step(start, *done[start]) for start in reversed(starts))


def begin_of(step: str, at: datetime) -> datetime:
    """The beginning of the hour, day, week (a Monday), month or year of an instant, in UTC."""
    hour = at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    if step == "hour":
        return hour
    day = hour.replace(hour=0)
    if step == "week" and day.toordinal() > day.weekday():
        return day - timedelta(days=day.weekday())
    if step == "month":
        return day.replace(day=1)
    return day.replace(month=1, day=1) if step == "year" else day


def _made(viewer: Viewer, runs: Collection[int]) -> list[tuple[int, str, str, str | None]]:
    """(run, kind, flags, quality) of what these runs made, those recorded last first.

    Flags and quality as JSON text: of most nodes there is nothing to read in them.
    """
    found: list[Any] = []
    ids = sorted(runs, reverse=True)
    for begin in range(0, len(ids), _SLICE):
        room = MOST_OUTPUTS - len(found)
        if room <= 0:
            break
        rows = by_their_ids(Reference.objects.all(), viewer.workspace_id).filter(
            to_node_id__in=ids[begin : begin + _SLICE],
            edge=Edge.WAS_GENERATED_BY,
            from_node__isnull=False,
        )
        flags = Cast("from_node__flags", TextField())
        quality = KeyTextTransform("quality", "from_node__fields")
        found += rows.order_by("-to_node_id", "pk").values_list(
            "to_node_id", "from_node__kind", flags, quality
        )[:room]
    return found


def _codes(flags: str) -> set[str]:
    """The codes of a node's flags, each once."""
    return {flag["code"] for flag in json.loads(flags)} if flags not in _NONE else set()


def _poor(quality: str | None) -> list[str]:
    """The flags that a document's quality states and does not deny."""
    said = json.loads(quality) if quality and quality[0] == "{" else {}
    return [str(name) for name, value in said.items() if value not in (False, None, 0, "")]
