"""What looking at sources has told of them and of the passages that are cited, as statuses."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from citations.status import NOT_CHECKED, Status
from lineage.compiled import Compiled
from lineage.models import PassageVerdict, SourceWatch
from lineage.models.freshness import Outcome, Verdict

_WATCHED: Final = Compiled(
    lambda given: SourceWatch.objects.filter(
        pk__in=given.ids("sources"), workspace_id=given.id("workspace")
    ).order_by("pk").values_list(
        "pk", "outcome", "confirmed_at", "failing_since", "comparable", "drifted"
    )
)  # fmt: skip
_JUDGED: Final = Compiled(
    lambda given: (
        PassageVerdict.objects.filter(pk__in=given.ids("passages"))
        .order_by("pk")
        .values_list("pk", "verdict", "at")
    )
)
_DRIFTED: Final = frozenset({Verdict.CHANGED, Verdict.GONE})
_HOLDS: Final = frozenset({Verdict.UNCHANGED, Verdict.COSMETIC})
# Outcomes that say that what is cited cannot be looked up where it was found.
_AWAY: Final = frozenset(
    {Outcome.GONE, Outcome.PAYWALL, Outcome.UNREACHABLE, Outcome.UNREADABLE}
)  # fmt: skip
# Whatever a case says weighs more than these, but for the last word "under review".
_OPEN: Final = frozenset({"under_review", NOT_CHECKED.code})


@dataclass(frozen=True, slots=True)
class SourceLook:
    """What is known of a source: the last outcome, when its content was last confirmed, and since when it cannot be read."""

    outcome: str
    confirmed_at: datetime | None
    failing_since: datetime | None
    comparable: bool
    drifted: int


@dataclass(frozen=True, slots=True)
class Looks:
    """What is known of some sources and passages, by node id."""

    sources: Mapping[int, SourceLook] = field(default_factory=dict)
    verdicts: Mapping[int, tuple[str, datetime]] = field(default_factory=dict)

    def of_passage(self, status: Status, source_id: int | None, passage_id: int) -> Status:
        """The status of a cited passage, where cases leave it open."""
        seen = self.sources.get(source_id or 0)
        if seen is None or status.code not in _OPEN:
            return status
        verdict, at = self.verdicts.get(passage_id, ("", None))
        if verdict in _DRIFTED and seen.outcome != Outcome.GONE:
            return replace(status, code="drifted", at=at, because=verdict)
        if status.code != NOT_CHECKED.code:
            return status
        if seen.outcome in _AWAY:
            return Status("unreachable", seen.failing_since, because=seen.outcome)
        return Status("current", seen.confirmed_at) if verdict in _HOLDS else status

    def of_source(self, status: Status, source_id: int) -> Status:
        """The status of a source: drifted where any cited passage of it is, where cases leave it open."""
        seen = self.sources.get(source_id)
        if seen is None or status.code not in _OPEN:
            return status
        if seen.drifted and seen.outcome != Outcome.GONE:
            return replace(status, code="drifted", at=seen.confirmed_at, because=Verdict.CHANGED)
        if status.code != NOT_CHECKED.code:
            return status
        if seen.outcome in _AWAY:
            return Status("unreachable", seen.failing_since, because=seen.outcome)
        held = seen.comparable and seen.confirmed_at is not None
        return Status("current", seen.confirmed_at) if held else status

    def compared_at(self, source_id: int | None, passage_id: int) -> datetime | None:
        """When a passage was last known to be what its verdict says; None where it was never compared."""
        seen = self.sources.get(source_id or 0)
        return seen.confirmed_at if seen is not None and passage_id in self.verdicts else None


NO_LOOKS: Final = Looks()


def looks_at(
    workspace_id: int, source_ids: Collection[int], passage_ids: Collection[int] = ()
) -> Looks:
    """What is known of these sources and passages; one statement where none is watched."""
    if not source_ids:
        return NO_LOOKS
    rows = _WATCHED.rows(workspace=workspace_id, sources=list(source_ids))
    sources = {row[0]: SourceLook(*row[1:]) for row in rows if row[1]}
    if not sources:
        return NO_LOOKS
    judged = _JUDGED.rows(passages=list(passage_ids)) if passage_ids else []
    return Looks(sources, {pk: (verdict, at) for pk, verdict, at in judged})
