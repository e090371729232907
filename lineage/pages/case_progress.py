"""A case as its page shows it: the way it goes, where it stands, and the answers by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from lineage.cases.effects import HIDES_PASSAGE
from lineage.cases.queue import CaseRow
from lineage.cases.view import CaseView
from lineage.models import CaseTarget
from lineage.pages.names import name_of, nodes_of
from lineage.types import Viewer
from lineage.vocabulary import REINSTATEMENT

# Targets of the cases of one page that are looked at for the first of each.
_MOST_TARGETS: Final = 5_000
# The states that the queue filters by, in the order of the way.
QUEUE_STATES: Final = (
    "draft", "ready", "scheduled", "propagating", "paused", "verified", "incomplete", "rejected",
    "cancelled",
)  # fmt: skip
_UNDER_WAY: Final = frozenset({"approved", "propagating"})
_AHEAD: Final = frozenset({"ready", "scheduled"})
_WAY: Final = ("draft", "ready", "propagating", "verified")
_REINSTATEMENT_WAY: Final = ("propagating", "verified")
# Where each state stands on the way; what was closed before effect stands nowhere.
_PLACE: Final = {
    "draft": "draft", "ready": "ready", "scheduled": "ready", "approved": "propagating",
    "propagating": "propagating", "paused": "propagating", "verified": "verified",
    "incomplete": "verified",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class WayStep:
    """A step of the way a case goes."""

    name: str
    place: Literal["done", "now", "ahead"]


@dataclass(frozen=True, slots=True)
class CasePage:
    """A case, its way, and the names of the answers that its dry run met.

    `hides`: passages under such a case are not shown; `ahead`: it has been tried out, and
    has not taken effect.
    """

    case: CaseView
    way: tuple[WayStep, ...]
    names: Mapping[str, str]
    under_way: bool
    is_reinstatement: bool
    tried: bool
    hides: bool
    ahead: bool


def targets_named(viewer: Viewer, cases: Sequence[CaseRow]) -> dict[str, str]:
    """The name of the first target of each case, by the case's uid; two queries for a list."""
    rows = (
        CaseTarget.objects.filter(
            case__workspace_id=viewer.workspace_id, case__uid__in=[case.uid for case in cases]
        )
        .order_by("-id")
        .values_list("case__uid", "node__uid")[:_MOST_TARGETS]
    )
    first = dict(rows)
    named = nodes_of(viewer, set(first.values()))
    return {case: name_of(named[uid]) for case, uid in first.items() if uid in named}


def is_under_way(state: str) -> bool:
    """Whether propagation is at work, so that the page should be asked for again."""
    return state in _UNDER_WAY


def page_of(viewer: Viewer, case: CaseView) -> CasePage:
    """The page of a case; one bulk query for the names."""
    named = nodes_of(viewer, {row.uid for row in case.sample})
    is_reinstatement = case.kind == REINSTATEMENT
    return CasePage(
        case=case,
        way=_way(case.state, _REINSTATEMENT_WAY if is_reinstatement else _WAY),
        names={uid: name_of(node) for uid, node in named.items()},
        under_way=is_under_way(case.state),
        is_reinstatement=is_reinstatement,
        tried=bool(case.counts) and not is_reinstatement,
        hides=case.kind in HIDES_PASSAGE,
        ahead=case.state in _AHEAD,
    )


def _way(state: str, names: tuple[str, ...]) -> tuple[WayStep, ...]:
    here = _PLACE.get(state)
    if here is None or here not in names:
        return ()
    at = names.index(here)
    over = here == names[-1]
    return tuple(
        WayStep(
            # The last step bears the name of how it ended.
            state if name == names[-1] and over else name,
            "done" if number < at else "now" if number == at else "ahead",
        )
        for number, name in enumerate(names)
    )
