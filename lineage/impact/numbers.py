"""The numbers of a report beside its list: counted at once where that is quick, else in the background.

What takes long is counted step by step by a task and kept for whoever asked (KeptReport), for
a day after it was last looked at. Kept numbers say of which instant they are; they are thrown
away as soon as a case begins or ends, and counted again when answers have come or gone.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction

from lineage.cases.register import active
from lineage.identifiers import keyed_hash
from lineage.impact.affected import Affected, by_grade
from lineage.impact.facets import FACETS, Facet, facet, facet_from_json, facet_to_json
from lineage.impact.independent import Independence, citing, independence
from lineage.impact.question import question_to_json, write_question
from lineage.impact.readers import Readers, readers_of
from lineage.impact.report import total_of
from lineage.impact.stages import Downstream, downstream_of_several
from lineage.models import KeptReport, Node, RegisterEpoch, Withdrawal
from lineage.outbox import enqueue
from lineage.types import JsonValue, Viewer
from provexplorer import clock

# Rows that join answers to what is asked about: so many are counted while the page waits.
QUICK_ROWS: Final = 5_000
# Answers whose claims are judged while the page waits.
QUICK_CLAIMS: Final = 50
TASK: Final = "lineage.count_report"
KEPT: Final = timedelta(days=1)
# Numbers of a living workspace are never quite new; more often would only cost.
_RECOUNTED_AFTER: Final = timedelta(minutes=1)
# While cases are in effect, what they do to answers is refined without a sign.
_OLD: Final = timedelta(minutes=10)
MOST_ATTEMPTS: Final = 3

# Nodes from which the walk downstream is made; of more no stages are told.
MOST_STARTS: Final = 50

COUNTS, TOTAL, READERS, CLAIMS, STAGES = "counts", "total", "readers", "claims", "stages"


@dataclass(frozen=True, slots=True)
class Numbers:
    """What is known of a report by now; None, or not among the facets: not counted yet.

    `counts` by grade before the filters, `total` after them; `stages`: nodes downstream by kind,
    before them, None too where more than 50 nodes are asked about. `counted_at`: the instant of
    kept numbers, None where everything was counted just now. `done` of `steps` are counted;
    `failed`: the rest cannot be.
    """

    counts: dict[str, int] | None
    total: int | None
    facets: tuple[Facet, ...]
    readers: Readers | None
    claims: Independence | None
    stages: Downstream | None
    done: int
    steps: int
    counted_at: datetime | None = None
    failed: bool = False

    @property
    def pending(self) -> bool:
        """Whether more will come by itself."""
        return self.done < self.steps and not self.failed


# Of a report of which the list alone is asked for.
NOT_COUNTED: Final = Numbers(None, None, (), None, None, None, done=0, steps=0)


def numbers_of(found: Affected) -> Numbers:
    """The numbers of a question, at once; those that take long as far as they have been counted.

    The first to ask has them counted.
    """
    rows = found.joining().order_by().values("pk")
    quick = rows[: QUICK_ROWS + 1].count() <= QUICK_ROWS
    later = set() if quick else set(STEPS)
    if quick and citing(found).order_by().values("pk")[: QUICK_CLAIMS + 1].count() > QUICK_CLAIMS:
        later.add(CLAIMS)
    if found.single:
        later -= {COUNTS, STAGES}
        if found.conditions.keys() <= {"grade"}:
            later.discard(TOTAL)
    now = {name: STEPS[name](found) for name in STEPS if name not in later}
    if not later:
        return _numbers(found, now, len(STEPS), None)
    row, values, counted_at = _kept(found, later)
    numbers = _numbers(found, now | values, len(now) + len(values), counted_at)
    stuck = row.finished_at is None and row.attempts >= MOST_ATTEMPTS and not _held(row)
    return replace(numbers, failed=stuck)


def _numbers(
    found: Affected, values: Mapping[str, JsonValue], done: int, counted_at: datetime | None
) -> Numbers:
    readers, claims, stages = values.get(READERS), values.get(CLAIMS), values.get(STAGES)
    return Numbers(
        counts=values.get(COUNTS),
        total=values.get(TOTAL),
        facets=tuple(
            facet_from_json(found, name, values[name]) for name in FACETS if name in values
        ),
        readers=None if readers is None else Readers(**readers),
        claims=None if claims is None else Independence(**claims),
        stages=None if stages is None else Downstream(**stages),
        done=done,
        steps=len(STEPS),
        counted_at=counted_at,
    )


def _kept(
    found: Affected, later: set[str]
) -> tuple[KeptReport, dict[str, JsonValue], datetime | None]:
    """The row of this question for whoever asks, what it knows, and of when; asks for what is missing.

    Written only where something is to be counted: a page that only looks waits for no writer.
    """
    now, mark = clock.now(), mark_of(found)
    owner = _owner(found.viewer)
    row = KeptReport.objects.filter(
        workspace_id=found.viewer.workspace_id, owner=owner, digest=_digest(found)
    ).first()
    if row is None or not _stands(row, found, mark):
        row = _ask(found, later, mark, {})
    elif not later <= set(row.numbers["steps"]) or _is_old(row, mark, now):
        # What is whole is shown until what is counted now has taken its place.
        row = _ask(found, later | set(row.numbers["whole"]), mark, row.numbers)
    elif row.finished_at is None and not _held(row) and row.attempts < MOST_ATTEMPTS:
        _send(row, now)
    elif row.expires_at < now + KEPT / 2:
        KeptReport.objects.filter(pk=row.pk).update(expires_at=now + KEPT)
    whole, part = row.numbers["whole"], row.numbers["part"]
    values = {name: value for name, value in (part | whole).items() if name in later}
    return row, values, datetime.fromisoformat(row.numbers["at"]) if whole else row.asked_at


def _ask(
    found: Affected, steps: set[str], mark: Mapping[str, Any], before: Mapping[str, Any]
) -> KeptReport:
    """Have these steps counted; what was whole before stays until then."""
    viewer, now = found.viewer, clock.now()
    with transaction.atomic():
        row, _ = KeptReport.objects.select_for_update().get_or_create(
            workspace_id=viewer.workspace_id,
            owner=_owner(viewer),
            digest=_digest(found),
            defaults={
                "user_id": viewer.user_id if viewer.key_id is None else None,
                "api_key_id": viewer.key_id,
                "question": question_to_json(replace(found.question, sort="newest")),
                "asked_at": now,
                "expires_at": now + KEPT,
            },
        )
        row.numbers = {
            "whole": before.get("whole", {}),
            "at": before.get("at"),
            "part": {},
            "steps": [name for name in STEPS if name in steps],
        }
        row.groups, row.sees_all = sorted(viewer.groups), viewer.sees_all
        row.epoch, row.counts = mark["epoch"], {"rows": mark["rows"], "cases": mark["cases"]}
        row.asked_at, row.finished_at, row.attempts = now, None, 0
        row.expires_at = now + KEPT
        row.fence += 1
        row.save()
        _send(row, now)
    return row


def _send(row: KeptReport, now: datetime) -> None:
    with transaction.atomic():
        # Until then somebody has surely begun.
        lease = now + _RECOUNTED_AFTER
        if KeptReport.objects.filter(pk=row.pk, fence=row.fence).update(lease_until=lease):
            enqueue(TASK, kept_id=row.pk, fence=row.fence)
    row.lease_until = lease


def _owner(viewer: Viewer) -> str:
    return f"user:{viewer.user_id}" if viewer.key_id is None else f"key:{viewer.key_id}"


def _stands(row: KeptReport, found: Affected, mark: Mapping[str, Any]) -> bool:
    """Whether what it counted may still be shown: the same eyes, the same cases in effect."""
    seen = (sorted(found.viewer.groups), found.viewer.sees_all)
    return (
        (row.groups, row.sees_all) == seen
        and row.epoch == mark["epoch"]
        and row.counts.get("cases") == mark["cases"]
    )


def _held(row: KeptReport) -> bool:
    return row.lease_until is not None and row.lease_until > clock.now()


def _is_old(row: KeptReport, mark: Mapping[str, Any], now: datetime) -> bool:
    if row.finished_at is None:
        return False
    age = now - row.asked_at
    others = row.counts.get("rows") != mark["rows"]
    return (age > _RECOUNTED_AFTER and others) or (age > _OLD and bool(mark["cases"]))


def mark_of(found: Affected) -> dict[str, Any]:
    """By what one sees whether kept numbers still hold: rows by grade, and which cases are in effect."""
    workspace = found.viewer.workspace_id
    epoch = RegisterEpoch.objects.filter(workspace_id=workspace).values_list("epoch", flat=True)
    cases = Withdrawal.objects.filter(active(clock.now()), workspace_id=workspace).count()
    return {"rows": by_grade(found.joining()), "epoch": epoch.first() or 0, "cases": cases}


def _digest(found: Affected) -> str:
    asked = write_question(replace(found.question, sort="newest"))
    return keyed_hash(found.viewer.hash_key, "report", asked)


def _claims(found: Affected) -> JsonValue:
    judged = independence(found)
    return None if judged is None else asdict(judged)


def _stages(found: Affected) -> JsonValue:
    ids = found.targets.ids
    if ids is None or len(ids) > MOST_STARTS:
        return None
    starts = Node.objects.filter(workspace_id=found.viewer.workspace_id, pk__in=ids)
    answers = sum(found.counts().values())
    return asdict(downstream_of_several(found.viewer, list(starts.order_by("pk")), answers))


def _facet(name: str) -> Callable[[Affected], JsonValue]:
    return lambda found: facet_to_json(facet(found, name))


# Every number by its name, and how it is counted; as JSON. What is asked for first comes first.
STEPS: Final[Mapping[str, Callable[[Affected], JsonValue]]] = {
    COUNTS: lambda found: found.counts(),
    TOTAL: lambda found: total_of(found, found.counts()) if found.single else found.count(),
    **{name: _facet(name) for name in FACETS},
    READERS: lambda found: asdict(readers_of(found)),
    CLAIMS: _claims,
    STAGES: _stages,
}
