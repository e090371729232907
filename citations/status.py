"""The one status that a source shows, by the precedence of what can be wrong with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lineage.cases.register import Active

# What each kind of case makes of a source, the gravest first (design §7).
_STATUS_OF_CASE: Final[dict[str, str]] = {
    "erasure": "erased",
    "revocation": "revoked",
    "retraction": "retracted",
    "expiry": "expired",
    "license_change": "rights_changed",
    "concern": "concern",
    "correction": "corrected",
    "supersession": "superseded",
    "defective_component": "defective",
}
_PRECEDENCE: Final = {code: rank for rank, code in enumerate(_STATUS_OF_CASE.values())}


@dataclass(frozen=True, slots=True)
class Notice:
    """An active case on a node or upstream of it; `node_uid` is the node that the case names."""

    case_uid: str
    case_kind: str
    at: datetime
    node_uid: str


@dataclass(frozen=True, slots=True)
class Status:
    """What a reader may make of a source now.

    `code` is one of erased, revoked, retracted, expired, rights_changed, concern, corrected,
    superseded, defective, drifted, under_review, unreachable, not_checked, current; `unknown`
    where no source is known, `hidden` where the reader may not see it. `at` is since when; the
    case is None where the status comes from no case; that of under_review is not in effect. `because` says more of what the watch
    has found: changed or gone of drifted; gone, paywall, unreachable, unreadable of unreachable.
    """

    code: str
    at: datetime | None = None
    case_uid: str | None = None
    case_kind: str | None = None
    because: str | None = None


HIDDEN: Final = Status("hidden")
UNKNOWN: Final = Status("unknown")
# Nobody has compared the source with its origin since it was retrieved.
NOT_CHECKED: Final = Status("not_checked")


def status_of(cases: Sequence[Active]) -> Status:
    """The gravest status that the cases in effect give; of equal ones the latest case's."""
    if not cases:
        return NOT_CHECKED
    worst = min(
        cases,
        key=lambda case: (
            _PRECEDENCE.get(_code(case), len(_PRECEDENCE)),
            -case.at.timestamp(),
            case.case_uid,
        ),
    )
    return Status(_code(worst), worst.at, worst.case_uid, worst.case_kind)


def _code(case: Active) -> str:
    return _STATUS_OF_CASE.get(case.case_kind, "under_review")


def notices_of(cases: Sequence[Active]) -> tuple[Notice, ...]:
    """The cases in effect, in their order (the latest first)."""
    return tuple(Notice(case.case_uid, case.case_kind, case.at, case.node_uid) for case in cases)
