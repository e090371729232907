"""The inbox as operators see it: what came, what became of it, what waits."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from django.db.models import Count, Q, QuerySet

from lineage.inbox.keeping import body_of, outcomes_of
from lineage.inbox.outcomes import noteworthy
from lineage.inbox.replay import REPLAYABLE
from lineage.models import GraphDirty, InboxPayload
from lineage.nodes.paging import DEFAULT_LIMIT, before_id, bounded, write_cursor
from lineage.types import JsonValue, NotFound, Outcome, Viewer
from lineage.vocabulary import KINDS
from provexplorer.workspaces.models import Workspace

# Counting ends here: a page says "10,000 and more".
MOST_COUNTED: Final = 10_000
# Outcomes and bytes of a body that one page shows.
_OUTCOMES: Final = 200
_BODY_BYTES: Final = 64 << 10


@dataclass(frozen=True, slots=True)
class PayloadRow:
    """A payload in the list. `reasons`: [{"code", "pointer", "count", "refused"}], the weightiest first."""

    uid: str
    format: str
    state: str
    key_label: str | None  # None: no key, or one that was deleted
    received_at: datetime
    applied_at: datetime | None
    next_at: datetime | None
    attempts: int
    failure: str
    size: int
    items: int
    stored: int
    unchanged: int
    rejected: int
    warned: int
    reasons: tuple[Mapping[str, JsonValue], ...]
    body_gone_at: datetime | None
    replayable: bool

    @property
    def told(self) -> str:
        """The state in the word that fits best: `refused` where nothing else was, `empty` without items."""
        if self.state == InboxPayload.State.PARTLY_APPLIED and self.rejected == self.items:
            return "refused"
        if self.state == InboxPayload.State.APPLIED and not self.items:
            return "empty"
        return self.state


@dataclass(frozen=True, slots=True)
class Inbox:
    """A page of payloads, newest first; counts are of the workspace, each at most MOST_COUNTED.

    `by_format` counts those of the states asked for; `behind` are nodes that the graph
    does not hold yet as they are.
    """

    items: tuple[PayloadRow, ...]
    next: str | None
    by_state: Mapping[str, int]
    by_format: Mapping[str, int]
    behind: int


@dataclass(frozen=True, slots=True)
class PayloadDetail:
    """One payload: its row, the outcomes that were refused or warned of, and for `admin` its body.

    Keys and details stand in outcomes only for who sees everything: they may be of nodes
    that are hidden. `body` is the beginning as text, None where it is not for the viewer,
    was destroyed, or is no text.
    """

    row: PayloadRow
    outcomes: tuple[Outcome, ...]
    body: str | None
    cut: bool
    may_read: bool


def inbox(
    viewer: Viewer,
    *,
    states: Collection[str] = (),
    formats: Collection[str] = (),
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> Inbox:
    """Payloads of the workspace in these states and formats (or all). Raises CursorInvalid."""
    mine = InboxPayload.objects.filter(workspace_id=viewer.workspace_id)
    by_state = {state: _numbers(mine, state) for state in InboxPayload.State.values}
    by_format: dict[str, int] = {}
    for state, numbers in by_state.items():
        if not states or state in states:
            for each, number in numbers.items():
                by_format[each] = min(by_format.get(each, 0) + number, MOST_COUNTED)
    chosen = Q(state__in=states) if states else Q()
    chosen &= Q(format__in=formats) if formats else Q()
    after = before_id(cursor)
    size = bounded(limit)
    found = list(mine.filter(chosen & after).select_related("api_key").order_by("-id")[: size + 1])
    page = found[:size]
    return Inbox(
        items=tuple(_row(row) for row in page),
        next=write_cursor(page[-1].pk) if len(found) > size else None,
        by_state={state: sum(numbers.values()) for state, numbers in by_state.items()},
        by_format=dict(sorted(by_format.items())),
        behind=_behind(viewer.workspace_id),
    )


def payload(viewer: Viewer, uid: str) -> PayloadDetail:
    """One payload of the workspace. Raises NotFound."""
    found = (
        InboxPayload.objects.select_related("api_key")
        .filter(workspace_id=viewer.workspace_id, uid=uid)
        .first()
    )
    if found is None:
        raise NotFound
    workspace = Workspace.objects.get(pk=viewer.workspace_id)
    kept = outcomes_of(workspace, found.pk)
    outcomes = noteworthy(kept[0])[:_OUTCOMES] if kept else []
    if not viewer.sees_all:
        outcomes = [_without_text(each) for each in outcomes]
    body = body_of(workspace, found.pk) if viewer.sees_all else None
    return PayloadDetail(
        row=_row(found),
        outcomes=tuple(outcomes),
        body=_as_text(body),
        cut=body is not None and len(body) > _BODY_BYTES,
        may_read=viewer.sees_all,
    )


def waiting() -> dict[str, int]:
    """What the whole installation has not done yet: payloads to apply, nodes to project.

    Each is counted up to MOST_COUNTED.
    """
    due = InboxPayload.objects.filter(next_at__isnull=False).order_by("next_at")
    dirty = GraphDirty.objects.order_by("pk")
    return {"payloads": due[:MOST_COUNTED].count(), "nodes": dirty[:MOST_COUNTED].count()}


def _numbers(mine: QuerySet[InboxPayload], state: str) -> dict[str, int]:
    """How many payloads of a state there are by format, looking at the newest alone."""
    newest = mine.filter(state=state).order_by("-id").values("pk")[:MOST_COUNTED]
    counted = InboxPayload.objects.filter(pk__in=newest).order_by("format").values_list("format")
    return dict(counted.annotate(number=Count("pk")))


def _behind(workspace_id: int) -> int:
    mine = GraphDirty.objects.filter(workspace_id=workspace_id).order_by("pk")
    return mine[:MOST_COUNTED].count()


def _row(found: InboxPayload) -> PayloadRow:
    return PayloadRow(
        uid=found.uid,
        format=found.format,
        state=found.state,
        key_label=(found.api_key.label or found.api_key.public_id) if found.api_key else None,
        received_at=found.received_at,
        applied_at=found.applied_at,
        next_at=found.next_at,
        attempts=found.attempts,
        failure=found.failure,
        size=found.size,
        items=found.items,
        stored=found.stored,
        unchanged=found.unchanged,
        rejected=found.rejected,
        warned=found.warned,
        reasons=tuple(found.reasons),
        body_gone_at=found.body_gone_at,
        replayable=found.state in REPLAYABLE and found.body_gone_at is None,
    )


def _without_text(outcome: Outcome) -> Outcome:
    """The outcome without what a client wrote."""
    return replace(
        outcome,
        kind=outcome.kind if outcome.kind in KINDS else "",
        key="",
        warnings=tuple(replace(each, detail="") for each in outcome.warnings),
        problem=outcome.problem and replace(outcome.problem, detail=""),
    )


def _as_text(body: bytes | None) -> str | None:
    """The beginning as text; None for what is none (protobuf)."""
    if body is None or b"\0" in body[:_BODY_BYTES]:
        return None
    return body[:_BODY_BYTES].decode("utf-8", "replace")
