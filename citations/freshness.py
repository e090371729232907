"""What is known of sources and cited passages beyond cases in effect, as statuses: by looking, and by notices."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db.models import OuterRef, QuerySet, Subquery

from citations.status import NOT_CHECKED, Status
from lineage.compiled import Compiled, Given, by_their_ids
from lineage.formats.notice_kinds import CASE_KIND
from lineage.models import Case, Node, NoticeMatch, PassageVerdict
from lineage.models.freshness import Outcome, Verdict

# A case that a published notice has opened, and that nobody has decided yet.
_UNDECIDED: Final = (Case.State.DRAFT, Case.State.READY, Case.State.SCHEDULED)


def _known(given: Given) -> "QuerySet[Node, Any]":
    """What the watch knows of each source, and the latest case that a notice asks for about it."""
    asked = NoticeMatch.objects.filter(
        source=OuterRef("pk"),
        state=NoticeMatch.State.MATCHED,
        notice__kind__in=sorted(CASE_KIND),
        case__state__in=_UNDECIDED,
    )
    rows = by_their_ids(Node.objects.filter(pk__in=given.ids("sources")), given.id("workspace"))
    return (
        rows.annotate(asked=Subquery(asked.order_by("-case_id").values("case_id")[:1]))
        .order_by("pk")
        .values_list(
            "pk", "asked", "watch__outcome", "watch__confirmed_at", "watch__failing_since",
            "watch__comparable", "watch__drifted",
        )
    )  # fmt: skip


_KNOWN: Final = Compiled(_known)
_CASES: Final = Compiled(
    lambda given: (
        Case.objects.filter(pk__in=given.ids("cases"))
        .order_by("pk")
        .values_list("pk", "created_at", "uid", "kind")
    )
)
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
    """What is known of some sources and passages, by node id.

    `reviews`: the status of sources about which a notice was published whose case nobody has
    decided yet. It hides nothing.
    """

    sources: Mapping[int, SourceLook] = field(default_factory=dict)
    verdicts: Mapping[int, tuple[str, datetime]] = field(default_factory=dict)
    reviews: Mapping[int, Status] = field(default_factory=dict)

    def of_passage(self, status: Status, source_id: int | None, passage_id: int) -> Status:
        """The status of a cited passage, where cases leave it open."""
        status = self._reviewed(status, source_id or 0)
        seen = self.sources.get(source_id or 0)
        if seen is None or status.code not in _OPEN:
            return status
        verdict, at = self.verdicts.get(passage_id, ("", None))
        if verdict in _DRIFTED and seen.outcome != Outcome.GONE:
            return Status("drifted", at, because=verdict)
        if status.code != NOT_CHECKED.code:
            return status
        if seen.outcome in _AWAY:
            return Status("unreachable", seen.failing_since, because=seen.outcome)
        return Status("current", seen.confirmed_at) if verdict in _HOLDS else status

    def of_source(self, status: Status, source_id: int) -> Status:
        """The status of a source: drifted where any cited passage of it is, where cases leave it open."""
        status = self._reviewed(status, source_id)
        seen = self.sources.get(source_id)
        if seen is None or status.code not in _OPEN:
            return status
        if seen.drifted and seen.outcome != Outcome.GONE:
            return Status("drifted", seen.confirmed_at, because=Verdict.CHANGED)
        if status.code != NOT_CHECKED.code:
            return status
        if seen.outcome in _AWAY:
            return Status("unreachable", seen.failing_since, because=seen.outcome)
        held = seen.comparable and seen.confirmed_at is not None
        return Status("current", seen.confirmed_at) if held else status

    def _reviewed(self, status: Status, source_id: int) -> Status:
        return self.reviews.get(source_id, status) if status.code == NOT_CHECKED.code else status

    def compared_at(self, source_id: int | None, passage_id: int) -> datetime | None:
        """When a passage was last known to be what its verdict says; None where it was never compared."""
        seen = self.sources.get(source_id or 0)
        return seen.confirmed_at if seen is not None and passage_id in self.verdicts else None


NO_LOOKS: Final = Looks()


def looks_at(
    workspace_id: int, source_ids: Collection[int], passage_ids: Collection[int] = ()
) -> Looks:
    """What is known of these sources and passages; one statement where none is watched or under review."""
    if not source_ids:
        return NO_LOOKS
    rows = _KNOWN.rows(workspace=workspace_id, sources=list(source_ids))
    sources = {row[0]: SourceLook(*row[2:]) for row in rows if row[2]}
    asked = {row[0]: row[1] for row in rows if row[1]}
    if not sources and not asked:
        return NO_LOOKS
    judged = _JUDGED.rows(passages=list(passage_ids)) if passage_ids and sources else []
    cases = {
        pk: Status("under_review", *told)
        for pk, *told in (_CASES.rows(cases=sorted(set(asked.values()))) if asked else ())
    }
    return Looks(
        sources,
        {pk: (verdict, at) for pk, verdict, at in judged},
        {pk: cases[case] for pk, case in asked.items() if case in cases},
    )
