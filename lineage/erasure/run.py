"""An erasure at work: place after place, each tried again until it is done, whatever fails.

The rows of the ledger say what is left; messages of the broker only hint. One process at a
time works on an erasure; one that dies leaves it to the next after its lease. When every
place is done the case, which waited for it, is taken up again and becomes verified.
"""

import logging
import random
import time
from datetime import timedelta
from typing import Final

from django.db import DatabaseError, transaction
from django.db.models import F, Q, QuerySet

from lineage import outbox
from lineage.content import sealed
from lineage.content.keys import MasterKeyError
from lineage.erasure import hold
from lineage.erasure.begin import TASK, begin, in_effect
from lineage.erasure.external import NotTaken
from lineage.erasure.hold import LostErasure
from lineage.erasure.ledger import EXTERNAL, LAST, rows_of
from lineage.erasure.lift import lift_due
from lineage.erasure.places import WORK, PayloadsWaiting
from lineage.erasure.probes import BY_WINDOW, TextFound
from lineage.erasure.rewriting import FilesInUse
from lineage.erasure.work import Work
from lineage.models import Case, Erasure, ErasurePlace, ErasureProbe
from lineage.types import GraphAway, Viewer
from provexplorer import clock
from provexplorer.workspaces.audit import recording as audit

logger = logging.getLogger(__name__)

# After the first failure, then twice as long each time, up to an hour.
_FIRST_WAIT: Final = timedelta(seconds=5)
_LONGEST_WAIT: Final = timedelta(hours=1)
_JITTER: Final = 0.2
# How long an approval waits for another process that has the keys in hand.
_KEY_SECONDS: Final = 5.0
_SWEEP: Final = 100
# What the ledger says of failures that are known; of others the name of their class.
_ERRORS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (GraphAway, "graph_away"),
    (MasterKeyError, "master_key"),
    (TextFound, "text_found"),
    (FilesInUse, "files_in_use"),
    (PayloadsWaiting, "payloads_waiting"),
    (DatabaseError, "store_busy"),
)
_State = ErasurePlace.State
# Why a case that waits for its erasure is incomplete (lineage.cases.closing).
WAITED_FOR: Final = "text_not_erased"


def begin_now(viewer: Viewer, case_uid: str) -> None:
    """Begin the erasure of a case that has just been approved, and destroy the keys at once.

    For whoever approves, so that nothing waits for a worker. Does nothing for other cases;
    what fails is left to the sweeper, and never fails the approval.
    """
    mine = Case.objects.filter(workspace_id=viewer.workspace_id, uid=case_uid, kind="erasure")
    case_id = mine.values_list("pk", flat=True).first()
    if case_id is None:
        return
    try:
        # A worker that was asked already would take it from here, and have the key when it likes.
        erasure = begin(case_id, ask=False)
        if erasure is not None and erasure.state == Erasure.State.RUNNING:
            erase(case_id, only=("key",))
            _wait_for_key(case_id)
            outbox.enqueue(TASK, case_id=case_id)
    except Exception as error:  # noqa: BLE001 - the approval stands; the sweeper takes it up
        logger.warning("erasure not begun", extra={"case": case_id, "error": type(error).__name__})


def _wait_for_key(case_id: int) -> None:
    """Until the worker that was faster, if one was (the sweeper had it told), has destroyed the keys.

    Its key place comes first; where it takes longer than `_KEY_SECONDS`, the ledger says so.
    """
    end = time.monotonic() + _KEY_SECONDS
    key = ErasurePlace.objects.filter(erasure_id=case_id, name="key", state=_State.PENDING)
    while key.exists() and time.monotonic() < end:
        time.sleep(0.05)


def erase(case_id: int, *, only: tuple[str, ...] = ()) -> bool:
    """One run: every place that is due; whether the erasure is done now.

    `only`: these places alone. Does nothing where another process works on it, and stops
    before the next step where its case is reinstated meanwhile or its workspace deleted.
    """
    begin(case_id)
    erasure = hold.take(case_id)
    if erasure is None:
        return False
    try:
        _work(erasure, only)
        return _finish(erasure)
    except LostErasure:
        _forget_working(erasure)
        return False
    finally:
        hold.let_go(erasure)


def _forget_working(erasure: Erasure) -> None:
    """Leave no key behind of an erasure that has gone with its workspace."""
    gone = not Erasure.objects.filter(pk=erasure.pk).exists()
    if gone and erasure.working_owner is not None:
        sealed.destroy([erasure.working_owner])


def sweep() -> int:
    """Begin what has come into effect, go on with what is due, lift what was reinstated; how many."""
    lifted = lift_due()
    waiting = in_effect().filter(Q(erasure=None) | Q(erasure__state=Erasure.State.CHOSEN))
    due = Q(places__next_at__lte=clock.now()) | ~Q(places__state__in=_OPEN)
    running = Erasure.objects.filter(due, state=Erasure.State.RUNNING, case__reinstatements=None)
    ids = {
        *waiting.order_by("pk").values_list("pk", flat=True)[:_SWEEP],
        *running.order_by("pk").values_list("pk", flat=True)[:_SWEEP],
    }
    for case_id in sorted(ids):
        outbox.enqueue_soon(TASK, case_id=case_id)
    return lifted + len(ids)


_OPEN: Final = (_State.PENDING, _State.FAILED, _State.WAITING)


def _work(erasure: Erasure, only: tuple[str, ...]) -> None:
    blocked = False
    for row in rows_of(erasure):
        if row.state == _State.DONE or (only and row.name not in only):
            continue
        external = row.name.startswith(EXTERNAL)
        # Files and probes are looked at when all of ours has gone.
        waits = blocked and row.name in LAST
        if not waits and (row.next_at is None or row.next_at <= clock.now()):
            hold.keep(erasure)
            _attempt(erasure, row)
        blocked = blocked or (not external and row.state != _State.DONE)


def _attempt(erasure: Erasure, row: ErasurePlace) -> None:
    row.erasure = erasure
    external = row.name.startswith(EXTERNAL)
    work = Work(erasure, row)
    now = clock.now()
    ErasurePlace.objects.filter(pk=row.pk).update(attempts=F("attempts") + 1, tried_at=now)
    row.attempts += 1
    try:
        cleared = WORK["external" if external else row.name](work)
    except LostErasure:
        raise
    except NotTaken as error:
        _failed(row, error.code)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is tried again
        known = next((word for kind, word in _ERRORS if isinstance(error, kind)), None)
        logger.warning(
            "place not cleared", extra={"place": row.name, "error": type(error).__name__}
        )
        if isinstance(error, TextFound):
            _look_through_again(row.erasure)
        _failed(row, known or type(error).__name__)
    else:
        _done(row, cleared, waits=external)


def _look_through_again(erasure: Erasure) -> None:
    """Have answers cleared once more, where one repeats it: it has come since theirs were."""
    repeating = ErasureProbe.objects.filter(erasure=erasure, name=BY_WINDOW, found__gt=0)
    with transaction.atomic():
        hold.keep_to_note(erasure)
        if repeating.exists():
            ErasurePlace.objects.filter(erasure=erasure, name="answers").update(
                state=_State.PENDING, cursor=0, next_at=None, done_at=None
            )


def _note(row: ErasurePlace, verb: str) -> None:
    """Have the audit log tell of a place, once for what comes to the same."""
    name, case_uid = row.name.partition(":")[0], row.erasure.case.uid
    audit.record(
        verb,
        None,
        workspace_id=row.erasure.workspace_id,
        object_uid=case_uid,
        code=name,
        once=f"{verb}:{case_uid}:{row.pk}:{row.erasure.again}",
    )


def _failed(row: ErasurePlace, error: str) -> None:
    wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(row.attempts - 1, 20))
    spread = random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 - no secret
    row.state = _State.FAILED
    with transaction.atomic():
        hold.keep_to_note(row.erasure)
        _note(row, "erasure.place_failed")
        _open(row).update(state=row.state, error=error[:60], next_at=clock.now() + wait * spread)


def _done(row: ErasurePlace, cleared: int, *, waits: bool) -> None:
    now = clock.now()
    with transaction.atomic():
        hold.keep_to_note(row.erasure)
        if waits:
            # Told; told again until it is acknowledged.
            row.state = _State.WAITING
            again = now + _LONGEST_WAIT
            _open(row).update(state=row.state, error="not_acknowledged", next_at=again)
            return
        row.state = _State.DONE
        verbs = {"key": "erasure.key_destroyed", "probes": "erasure.probed"}
        _note(row, verbs.get(row.name, "erasure.place_cleared"))
        _open(row).update(state=row.state, error="", cleared=cleared, next_at=None, done_at=now)


def _open(row: ErasurePlace) -> QuerySet[ErasurePlace]:
    """The row, unless its message was acknowledged or its target removed meanwhile."""
    return ErasurePlace.objects.filter(pk=row.pk, message=row.message).exclude(state=_State.DONE)


def _finish(erasure: Erasure) -> bool:
    """End it where every place is done, and have its case taken up again."""
    rows = rows_of(erasure)
    if not rows or any(row.state != _State.DONE for row in rows):
        return False
    with transaction.atomic():
        hold.keep(erasure)
        Erasure.objects.filter(pk=erasure.pk).update(state=Erasure.State.DONE, done_at=clock.now())
        short = Case.objects.filter(
            pk=erasure.pk, state=Case.State.INCOMPLETE, counts__shortfall__code=WAITED_FOR
        )
        if short.update(
            state=Case.State.PROPAGATING, fence=F("fence") + 1, lease_until=None, attempts=0
        ):
            outbox.enqueue("lineage.propagate_case", case_id=erasure.pk)
        if erasure.working_owner is not None:
            sealed.destroy([erasure.working_owner])
    return True
