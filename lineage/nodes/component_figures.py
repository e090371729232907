"""The figures of component versions: answers, runs, failures, last run; one query for a page of them."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db.models import DateTimeField, F, Func, IntegerField, Max, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Lower

from lineage.compiled import by_their_ids
from lineage.models import Node, Reference, RestsOn
from lineage.nodes.counting import AtLeast, at_least, counted
from lineage.nodes.run_outcomes import FAILED_SPELLINGS
from lineage.types import Viewer
from lineage.vocabulary import Edge

# Answers and runs of one version are counted so far in a list; its own page counts all.
MOST_COUNTED: Final = 10_000
# Runs recorded last, of which failures and the last run are told.
MOST_RECENT: Final = 200
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Figures:
    """Of the `recent` runs recorded last `stated` have a status, and of these `failed`. `used_at`: of the latest of these, else of the latest answer."""

    answers: AtLeast
    runs: AtLeast
    recent: int
    stated: int
    failed: int
    used_at: datetime | None

    @property
    def failure_rate(self) -> float | None:
        """Between 0 and 1; None where no run states how it ended."""
        return self.failed / self.stated if self.stated else None


class _FailedOf(Func):
    """Of rows with a `word`, those whose word is one of failure."""

    _words = ", ".join(f"'{word}'" for word in sorted(FAILED_SPELLINGS))
    template = f"(SELECT COUNT(*) FROM %(expressions)s AS recent WHERE recent.word IN ({_words}))"  # noqa: S608 - constant words
    output_field = IntegerField()


class _StatedOf(Func):
    """Of rows with a `word`, those that have one."""

    template = "(SELECT COUNT(recent.word) FROM %(expressions)s AS recent)"
    output_field = IntegerField()


class _LatestOf(Func):
    """The greatest `at` of rows."""

    template = "(SELECT MAX(recent.at) FROM %(expressions)s AS recent)"
    output_field = DateTimeField()


def runs_of(workspace_id: int, component: Any) -> "QuerySet[Reference, Any]":
    """The references by which runs name a component (an id, or an expression for one)."""
    return by_their_ids(Reference.objects.all(), workspace_id).filter(
        to_node_id=component, edge=Edge.WAS_ASSOCIATED_WITH, from_node__isnull=False
    )


def figures_of(viewer: Viewer, component_ids: Collection[int]) -> dict[int, Figures]:
    """The figures of each component (or index snapshot), by node id; one query, and one for answers."""
    workspace = viewer.workspace_id
    runs = runs_of(workspace, OuterRef("pk"))
    recent = runs.order_by("-pk")
    words = recent.values(word=Lower(KeyTextTransform("status", "from_node__fields")))[:MOST_RECENT]
    times = recent.values(at=F("from_node__occurred_at"))[:MOST_RECENT]
    rows = (
        by_their_ids(Node.objects.filter(pk__in=component_ids), workspace)
        .annotate(
            runs=counted(runs, MOST_COUNTED),
            answers=counted(RestsOn.objects.filter(target_id=OuterRef("pk")), MOST_COUNTED),
            stated=_StatedOf(Subquery(words)),
            failed=_FailedOf(Subquery(words)),
            ran_at=_LatestOf(Subquery(times)),
        )
        .order_by("pk")
        .values_list("pk", "answers", "runs", "stated", "failed", "ran_at")
    )
    found = list(rows)
    answered = _last_answers([pk for pk, answers, *_, at in found if answers and at is None])
    return {
        pk: Figures(
            answers=at_least(answers, MOST_COUNTED),
            runs=at_least(runs, MOST_COUNTED),
            recent=min(runs, MOST_RECENT),
            stated=stated,
            failed=failed,
            used_at=ran_at or answered.get(pk),
        )
        for pk, answers, runs, stated, failed, ran_at in found
    }


def _last_answers(component_ids: Collection[int]) -> dict[int, datetime]:
    """When the latest answer that rests on each was given; components without one are missing."""
    rows = RestsOn.objects.filter(target_id__in=component_ids, at__gte=0)
    latest = rows.values("target_id").annotate(latest=Max("at")).order_by("target_id")
    return {
        pk: _EPOCH + timedelta(microseconds=at)
        for pk, at in latest.values_list("target_id", "latest")
    }
