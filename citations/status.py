"""The one status that a source shows, by the precedence of what can be wrong with it."""

from dataclasses import dataclass
from datetime import datetime


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
    superseded, drifted, under_review, unreachable, not_checked, current. `at` is since when;
    the case is None where the status comes from no case.
    """

    code: str
    at: datetime | None
    case_uid: str | None
    case_kind: str | None
