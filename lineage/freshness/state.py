"""How fresh sources are known to be, for cards, lists and dashboards."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from lineage.models import FreshnessRules, SourceWatch
from lineage.types import Viewer

_FIELDS = (
    "source_id", "outcome", "checked_at", "confirmed_at", "changed_at", "failing_since",
    "next_at", "paused", "comparable", "looks", "changes", "cited", "drifted", "answers",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Freshness:
    """What is known of one source by looking at it; `outcome` "" where nobody has looked yet.

    `outcome` is one of lineage.models.freshness.Outcome. `checked_at` is the last look,
    `confirmed_at` the last that has read the content or was told that it is unchanged,
    `failing_since` since when none could. `drifted` of the `cited` passages were changed or gone when it
    was last compared. `next_at` None: it is not looked at, because the workspace has
    switched it off or it is paused.
    """

    outcome: str
    checked_at: datetime | None
    confirmed_at: datetime | None
    changed_at: datetime | None
    failing_since: datetime | None
    next_at: datetime | None
    paused: bool
    comparable: bool
    looks: int
    changes: int
    cited: int
    drifted: int
    answers: int


def is_watching(workspace_id: int) -> bool:
    """Whether the sources of the workspace are watched."""
    return FreshnessRules.objects.filter(pk=workspace_id, watching=True).exists()


def freshness_of(viewer: Viewer, source_ids: Collection[int]) -> dict[int, Freshness]:
    """What is known of these sources, by node id; one that was never taken up is missing.

    Two statements, whatever their number. Who may see a source is for the caller to ask.
    """
    if not source_ids:
        return {}
    watching = is_watching(viewer.workspace_id)
    rows = SourceWatch.objects.filter(workspace_id=viewer.workspace_id, pk__in=source_ids)
    found = {}
    for row in rows.order_by("pk").values(*_FIELDS):
        pk = row.pop("source_id")
        if not watching or row["paused"]:
            row["next_at"] = None
        found[pk] = Freshness(**row)
    return found
