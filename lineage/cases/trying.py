"""Trying a case out: its counts kept, what has changed since the last time, and whether it has at all.

An approval is of the numbers that somebody saw. Those that are old are counted again before
it; where they have changed, it is asked for again.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from lineage.cases.dry_run import dry_run_counts, stands_still
from lineage.cases.history import numbers_of, record
from lineage.cases.steps import conflict
from lineage.models import Case, CaseEvent
from lineage.types import JsonValue, Viewer
from provexplorer import clock

_State = Case.State
# Numbers of the last minutes are those that an approval is of. Longer, so that a workspace
# into which answers stream can decide at all; shorter, so that nobody approves what was.
FRESH: Final = timedelta(minutes=2)
# What of the counts people decide by.
_WEIGHED: Final = ("grades", "states", "claims")
_NUMBERS: Final = ("readers", "unstated", "units")


def try_out(viewer: Viewer, case: Case) -> bool:
    """Count what a draft would do and keep it, the draft then being ready; whether any number changed.

    Nothing else is written. Of two at once the first counts.
    """
    now, counts = clock.now(), dry_run_counts(case)
    changed = case.tried_at is None or not _same(case.counts, counts)
    if case.tried_at is not None:
        counts["changed"] = difference(case.counts, counts, case.tried_at.isoformat())
    columns: dict[str, Any] = {
        "counts": counts,
        "total": counts["answers"],
        "tried_at": now,
        "stale": counts["states"]["stale"],
        "review": counts["states"]["review"],
        "readers": counts["readers"],
    }
    if changed:
        columns["dry_runs"] = F("dry_runs") + 1
    with transaction.atomic():
        as_read = Case.objects.filter(id=case.id, dry_runs=case.dry_runs)
        first = as_read.filter(state=_State.DRAFT).update(state=_State.READY, **columns)
        kept = 0
        if not first:
            kept = as_read.filter(state=_State.READY).update(**columns)
        if first or (kept and changed):
            record(case, CaseEvent.What.TRIED, viewer, numbers=numbers_of(counts))
    return changed


def check_numbers(viewer: Viewer, case: Case, seen: int | None) -> None:
    """Let an approval through that is of the numbers as they are. Raises CaseConflict.

    `seen`: the number of the dry run whose counts were looked at; None: the last one.
    Counts that are older than two minutes are taken again, and kept where they differ.
    """
    if seen is not None and seen != case.dry_runs:
        raise conflict(
            case,
            "numbers_changed",
            _("It was tried out again since. Look at the numbers, then approve it."),
        )
    now = clock.now()
    if case.tried_at is not None and case.tried_at > now - FRESH:
        return
    if stands_still(case):
        return
    if try_out(viewer, case):
        raise conflict(
            case,
            "numbers_changed",
            _("The numbers have changed since the dry run. Look at them, then approve it again."),
        )


def difference(
    before: Mapping[str, JsonValue], now: Mapping[str, JsonValue], since: str
) -> dict[str, JsonValue]:
    """What has changed from one dry run to the next: by word, those alone that differ.

    `since`: when the earlier one was; `added` and `left`: answers.
    """
    found: dict[str, JsonValue] = {"since": since, "added": now["added"], "left": now["left"]}
    for part in _WEIGHED:
        was, is_now = before.get(part, {}), now[part]
        found[part] = {
            word: number - was.get(word, 0)
            for word, number in is_now.items()
            if number != was.get(word, 0)
        }
    for name in _NUMBERS:
        found[name] = now[name] - before.get(name, 0)
    return found


def _same(before: Mapping[str, JsonValue], now: Mapping[str, JsonValue]) -> bool:
    """Whether two dry runs have the same numbers, answers that came and went included."""
    parts = (*_WEIGHED, "readers", "units")
    same = all(before.get(part) == now[part] for part in parts)
    return same and not (now["added"] or now["left"])
