"""How a run ended, whatever word its client has for it; pure."""

from enum import StrEnum
from typing import Final

from lineage.types import JsonValue


class RunOutcome(StrEnum):
    """Of its status: `OTHER` is a word that says neither, `UNSTATED` none at all."""

    COMPLETED = "completed"
    FAILED = "failed"
    RUNNING = "running"
    OTHER = "other"
    UNSTATED = "unstated"


# Words of OpenLineage, OpenTelemetry and common schedulers, without case and separators.
_COMPLETED: Final = frozenset(
    {
        "complete",
        "completed",
        "done",
        "finished",
        "ok",
        "passed",
        "success",
        "succeeded",
        "successful",
    }
)
_FAILED: Final = frozenset(
    {
        "abort", "aborted", "crashed", "error", "errored", "exception", "fail", "failed",
        "failure", "killed", "timedout", "timeout",
    }
)  # fmt: skip
# The same words as databases compare them, in small letters and with their separators.
FAILED_SPELLINGS: Final = _FAILED | {"timed out", "timed-out", "timed_out"}
_RUNNING: Final = frozenset({"inprogress", "pending", "queued", "running", "start", "started"})


def outcome_of(status: JsonValue) -> RunOutcome:
    """What a run's status says of its end."""
    if not isinstance(status, str) or not status.strip():
        return RunOutcome.UNSTATED
    word = "".join(status.casefold().replace("_", " ").replace("-", " ").split())
    if word in _FAILED:
        return RunOutcome.FAILED
    if word in _COMPLETED:
        return RunOutcome.COMPLETED
    return RunOutcome.RUNNING if word in _RUNNING else RunOutcome.OTHER
