"""The register of withdrawals, as reads obey it: right from the commit of an approval on.

A row of the register is active while it has begun and not ended. What propagation
has materialised (AnswerEffect) adds to it and, where it compared the claims of an
answer with a corrected text, refines it; it is never needed for safety. Every
function takes a constant number of queries for a page, one where the workspace
has no active row at all.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from lineage.cases import effects
from lineage.cases.ancestry import ancestry, sliced
from lineage.compiled import Compiled
from lineage.models import AnswerEffect, Case, Node, RestsOn, Withdrawal
from lineage.vocabulary import AnswerState, Grade
from provexplorer import clock


@dataclass(frozen=True, slots=True)
class Reason:
    """One case that touches an answer: how strongly, since when, and what it alone makes of it.

    `grade` and `origin_grade` are words of lineage.vocabulary.Grade; `origin_grade` is
    empty unless the answer was served from another.
    """

    case_uid: str
    case_kind: str
    grade: str
    origin_grade: str
    at: datetime
    state: AnswerState


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of an answer and the set of its reasons, the gravest first.

    Cases that only list the answer (it retrieved the target and dropped it) are no reasons.
    """

    state: AnswerState = AnswerState.CURRENT
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Active:
    """A case in effect on a node, which is the one asked about or one upstream of it."""

    case_uid: str
    case_kind: str
    at: datetime
    node_uid: str


CURRENT: Final = Standing()
# States of a case that does not wait for its instant.
_BEGUN: Final = (
    Case.State.APPROVED, Case.State.PROPAGATING, Case.State.PAUSED, Case.State.VERIFIED,
    Case.State.INCOMPLETE,
)  # fmt: skip


# From so many answers on it is looked which nodes are withdrawn at all, and whether they are few.
_MANY_ANSWERS: Final = 100
_FEW_NODES: Final = 20


def active(now: datetime, prefix: str = "") -> Q:
    """Register rows in effect; `prefix` is the lookup path to them.

    Those of a case that was approved for at once are, whatever a clock says: that of another
    machine may be behind, and a clock may be put back.
    """
    begun = Q(**{f"{prefix}at__lte": now}) | Q(**{f"{prefix}case__state__in": _BEGUN})
    return Q(**{f"{prefix}ended_at__isnull": True}) & begun


_ACTIVE: Final = Compiled(
    lambda given: Withdrawal.objects.filter(
        active(given.instant("now")), workspace_id=given.id("workspace")
    ).values_list("pk")[:1]
)


def has_active(workspace_id: int) -> bool:
    """Whether any case is in effect: where none is, nothing needs to be walked or joined."""
    return bool(_ACTIVE.rows(now=clock.now(), workspace=workspace_id))


def states_of(
    workspace_id: int, answer_ids: Collection[int], *, any_active: bool | None = None
) -> dict[int, Standing]:
    """State and reasons of each answer (by node id), fail closed; every id asked for is in the result.

    `any_active`: what `has_active` said for this page, where it has been asked.
    """
    standings = dict.fromkeys(answer_ids, CURRENT)
    if not standings or not (has_active(workspace_id) if any_active is None else any_active):
        return standings
    found: dict[int, dict[int, _Touch]] = defaultdict(dict)
    for ids in sliced(standings):
        refined = _materialised(workspace_id, ids, found)
        _registered(workspace_id, ids, refined, found)
    for answer_id, touches in found.items():
        reasons = sorted(
            (touch.reason() for touch in touches.values()),
            key=lambda reason: (-reason.state, -reason.at.timestamp(), reason.case_uid),
        )
        telling = tuple(reason for reason in reasons if reason.state > AnswerState.CURRENT)
        if telling:
            standings[answer_id] = Standing(telling[0].state, telling)
    return standings


def withdrawals_of(
    workspace_id: int, node_ids: Collection[int], *, any_active: bool | None = None
) -> dict[int, list[Active]]:
    """Cases in effect on each node or on anything upstream of it; nodes without any are left out.

    One entry a case and node, the latest case first. Of an answer, everything that it
    rests on counts as upstream, with what its claims cite. `any_active`: as for `states_of`.
    """
    if not node_ids or not (has_active(workspace_id) if any_active is None else any_active):
        return {}
    tree = ancestry(workspace_id, node_ids)
    rows = _active_on(workspace_id, tree.reached)
    result: dict[int, list[Active]] = {}
    resting = _answers_rest_on(workspace_id, node_ids)
    for node_id in node_ids:
        touching = set(resting.get(node_id, ()))
        for cause in tree.upstream_of(node_id) & rows.keys():
            touching |= rows[cause]
        if touching:
            result[node_id] = sorted(
                touching, key=lambda row: (-row.at.timestamp(), row.case_uid, row.node_uid)
            )
    return result


def passage_hidden(withdrawals: Iterable[Active]) -> Active | None:
    """The case that takes a passage out of sight (erasure before revocation), or None."""
    hiding = [row for row in withdrawals if row.case_kind in effects.HIDES_PASSAGE]
    return min(hiding, key=lambda row: (row.case_kind != "erasure", row.at), default=None)


def in_state(state: AnswerState, *, answer: str = "pk") -> Q:
    """Condition for lists: answers in this state, by the same rules as `states_of`.

    `answer` is the lookup path from the filtered rows to the answer's id ("pk" for
    nodes, "answer_id" for what answers rest on). Rows must be scoped by the caller.
    """
    if state is AnswerState.CURRENT:
        return ~_at_least(AnswerState.REVIEW, answer)
    if state is AnswerState.REVIEW:
        return _at_least(AnswerState.REVIEW, answer) & ~_at_least(AnswerState.STALE, answer)
    return _at_least(AnswerState.STALE, answer)


def answers_in_state(workspace_id: int, state: AnswerState) -> QuerySet[Node]:
    """The workspace's answers in this state, unordered; agrees with `states_of`."""
    return Node.objects.filter(in_state(state), workspace_id=workspace_id, kind="answer")


def in_effect(now: datetime) -> Exists:
    """Condition for effects: their case still has an active row, however far its ending has got."""
    return Exists(Withdrawal.objects.filter(active(now), case=OuterRef("case")))


@dataclass(slots=True)
class _Touch:
    """What a case is to an answer: the strongest grade and the gravest state of its targets."""

    case_uid: str
    case_kind: str
    at: datetime
    strength: tuple[int, int] = (0, 0)
    state: AnswerState = AnswerState.CURRENT

    def add(self, grade: int, origin_grade: int, state: AnswerState) -> None:
        self.strength = max(self.strength, (grade, origin_grade))
        self.state = max(self.state, state)

    def reason(self) -> Reason:
        grade, origin = self.strength
        served_from = Grade(origin).word if grade == Grade.SERVED and origin else ""
        return Reason(
            self.case_uid, self.case_kind, Grade(grade).word, served_from, self.at, self.state
        )


def _materialised(
    workspace_id: int, ids: list[int], found: dict[int, dict[int, _Touch]]
) -> set[tuple[int, int]]:
    """Add the effects in force; returns the (answer, case) whose claims have been compared."""
    compared = set()
    rows = AnswerEffect.objects.filter(
        in_effect(clock.now()),
        answer_id__in=ids,
        answer__workspace_id=workspace_id,
        ended_at__isnull=True,
    ).values_list(
        "answer_id", "case_id", "case__uid", "case__kind", "at", "grade", "origin_grade", "state"
    )
    for answer_id, case_id, uid, kind, at, grade, origin, state in rows:
        touch = found[answer_id].setdefault(case_id, _Touch(uid, kind, at))
        touch.add(grade, origin, AnswerState(state))
        if effects.depends_on_claims(kind, grade, origin):
            compared.add((answer_id, case_id))
    return compared


def _registered(
    workspace_id: int,
    ids: list[int],
    compared: set[tuple[int, int]],
    found: dict[int, dict[int, _Touch]],
) -> None:
    """Add what the register says of what the answers rest on."""
    row = "target__withdrawals__"
    resting = RestsOn.objects.filter(
        active(clock.now(), row), answer_id__in=ids, answer__workspace_id=workspace_id
    )
    if len(ids) > _MANY_ANSWERS and (nodes := _few_withdrawn(workspace_id)) is not None:
        resting = resting.filter(target_id__in=nodes)
    rows = resting.values_list(
        "answer_id", "grade", "origin_grade",
        f"{row}case_id", f"{row}case__uid", f"{row}case__kind", f"{row}at",
    )  # fmt: skip
    for answer_id, grade, origin, case_id, uid, kind, at in rows:
        touch = found[answer_id].setdefault(case_id, _Touch(uid, kind, at))
        state = effects.effect(kind, grade, origin)
        if (answer_id, case_id) in compared and effects.depends_on_claims(kind, grade, origin):
            state = AnswerState.CURRENT  # the effect, which has compared the claims, says it
        touch.add(grade, origin, state)


def _few_withdrawn(workspace_id: int) -> list[int] | None:
    """The nodes that a case in effect is on, where they are few: quicker begun from than from many answers."""
    rows = Withdrawal.objects.filter(active(clock.now()), workspace_id=workspace_id)
    nodes = list(rows.order_by("node_id").values_list("node_id", flat=True)[: _FEW_NODES + 1])
    return nodes if len(nodes) <= _FEW_NODES else None


def _active_on(workspace_id: int, node_ids: Collection[int]) -> dict[int, set[Active]]:
    rows: dict[int, set[Active]] = defaultdict(set)
    for ids in sliced(node_ids):
        found = Withdrawal.objects.filter(
            active(clock.now()), node_id__in=ids, workspace_id=workspace_id
        ).values_list("node_id", "case__uid", "case__kind", "at", "node__uid")
        for node_id, uid, kind, at, node_uid in found:
            rows[node_id].add(Active(uid, kind, at, node_uid))
    return rows


def _answers_rest_on(workspace_id: int, node_ids: Collection[int]) -> dict[int, set[Active]]:
    row = "target__withdrawals__"
    rows: dict[int, set[Active]] = defaultdict(set)
    for ids in sliced(node_ids):
        found = RestsOn.objects.filter(
            active(clock.now(), row), answer_id__in=ids, answer__workspace_id=workspace_id
        ).values_list("answer_id", f"{row}case__uid", f"{row}case__kind", f"{row}at", "target__uid")
        for answer_id, uid, kind, at, node_uid in found:
            rows[answer_id].add(Active(uid, kind, at, node_uid))
    return rows


def _at_least(state: AnswerState, answer: str) -> Q:
    """Answers with a reason of at least this gravity, materialised or by the register."""
    materialised = AnswerEffect.objects.filter(
        in_effect(clock.now()),
        answer_id=OuterRef(answer),
        ended_at__isnull=True,
        state__gte=state,
    )
    registered = Q(pk__in=[])
    for grade in effects.ACTING_GRADES:
        kinds = effects.kinds_with_effect(state, grade)
        if kinds:
            registered |= effects.acting(grade) & Q(Exists(_rows_on_target(kinds, grade, state)))
    rests = RestsOn.objects.filter(registered, answer_id=OuterRef(answer))
    return Q(Exists(materialised)) | Q(Exists(rests))


def _rows_on_target(kinds: list[str], grade: Grade, state: AnswerState) -> QuerySet[Withdrawal]:
    """Active rows of these kinds on the target of an outer RestsOn row.

    At `stale`, rows whose case has compared the answer's claims are left to the effect.
    """
    rows = Withdrawal.objects.filter(
        active(clock.now()), node_id=OuterRef("target_id"), case__kind__in=kinds
    )
    if grade is not Grade.CITED or state < AnswerState.STALE:
        return rows
    compared = AnswerEffect.objects.filter(
        effects.acting(Grade.CITED),
        answer_id=OuterRef(OuterRef("answer_id")),
        case_id=OuterRef("case_id"),
        ended_at__isnull=True,
    )
    return rows.filter(
        Q(case__kind__in=set(kinds) - effects.UNLESS_CLAIMS_STAND) | ~Q(Exists(compared))
    )
