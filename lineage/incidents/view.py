"""An incident as those who work on it see it, and the list of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Q

from lineage.cases.targets import MOST_TARGETS
from lineage.identifiers import kind_of_uid
from lineage.impact.question import Question, question_from_json
from lineage.impact.question_values import QuestionInvalid
from lineage.incidents.course import author_of
from lineage.incidents.falling import standing
from lineage.incidents.workflow import MOVES, require
from lineage.models import Case, Incident
from lineage.nodes.paging import DEFAULT_LIMIT, after_instant, bounded, write_cursor
from lineage.types import NotFound, Viewer
from lineage.vocabulary import CASE_KINDS, CASE_TARGET_KINDS

# Whom a list of incidents is filtered by, besides the name of a person.
NOBODY: Final = "-"
# Newest cases among which those are looked for that name the incident as their evidence.
_CASES_SEARCHED: Final = 200
_MACHINES: Final = frozenset({"component", "run", "index_snapshot"})


@dataclass(frozen=True, slots=True)
class LinkedCase:
    """A case filed because of an incident; `reinstated_by`: the case that has lifted it, or None."""

    uid: str
    kind: str
    state: str
    created_at: datetime
    reinstated_by: str | None


@dataclass(frozen=True, slots=True)
class IncidentRow:
    """An incident in a list; `new`: answers found since, of which nobody has taken note."""

    uid: str
    title: str
    state: str
    assignee: str
    opened_at: datetime
    changed_at: datetime
    total: int
    counts: Mapping[str, int]
    found: int
    new: int
    watching: bool


@dataclass(frozen=True, slots=True)
class IncidentList:
    """A page of incidents; `total` of those asked for, `by_state` of the whole workspace."""

    items: tuple[IncidentRow, ...]
    next: str | None
    total: int
    by_state: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class IncidentView:
    """One incident. Counts are by grade before the question's filters, totals after them.

    `counts_now` and `total_now` are of this moment; both None where the question cannot be
    asked any more: something that it names was erased. `targets`: what of the question a case
    can name, `case_kinds` the kinds that fit it. `may`: the states that can follow.
    """

    row: IncidentRow
    question: Question
    opened_by: str | None
    closed_at: datetime | None
    counts_now: Mapping[str, int] | None
    total_now: int | None
    targets: tuple[str, ...]
    case_kinds: tuple[str, ...]
    cases: tuple[LinkedCase, ...]
    may: tuple[str, ...]


def incident_view(viewer: Viewer, uid: str) -> IncidentView:
    """One incident, counted anew. Raises NotFound, ScopeMissing."""
    require(viewer)
    incident = _with_people(viewer, uid)
    question = question_from_json(incident.question)
    now = standing_now(viewer, question)
    targets = _targets(question)
    return IncidentView(
        row=_row(incident),
        question=question,
        opened_by=author_of(incident.opened_by, by_key=incident.opened_by_key_id is not None),
        closed_at=incident.closed_at,
        counts_now=now[0] if now else None,
        total_now=now[1] if now else None,
        targets=targets,
        case_kinds=_fitting(targets),
        cases=_cases(viewer, incident),
        may=MOVES[incident.state],
    )


def incident_row(viewer: Viewer, uid: str) -> IncidentRow:
    """One incident as it stands in the list. Raises NotFound, ScopeMissing."""
    require(viewer)
    return _row(_with_people(viewer, uid))


def standing_now(viewer: Viewer, question: Question) -> tuple[Mapping[str, int], int] | None:
    """Counts by grade and the total of this moment; None where the question has lost its ground."""
    try:
        found = standing(viewer, question)
    except (NotFound, QuestionInvalid):
        return None
    return found.counts, found.total


def incidents(
    viewer: Viewer,
    *,
    states: Collection[str] = (),
    assignee: str = "",
    oldest: bool = False,
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> IncidentList:
    """Incidents of the workspace, newest first (or oldest), in these states or all.

    `assignee`: the name of an account, or "-" for those that nobody has. Raises
    CursorInvalid, ScopeMissing.
    """
    require(viewer)
    mine = Incident.objects.filter(workspace_id=viewer.workspace_id)
    given = _given_to(assignee)
    numbers = mine.filter(given).order_by("state").values_list("state")
    by_state = dict.fromkeys(Incident.State.values, 0) | dict(numbers.annotate(n=Count("id")))
    chosen = mine.filter(given, state__in=states) if states else mine.filter(given)
    order = "opened_at" if oldest else "-opened_at"
    size = bounded(limit)
    rows = list(
        chosen.filter(after_instant(cursor, "opened_at", oldest=oldest))
        .select_related("assignee")
        .order_by(order, "uid")[: size + 1]
    )
    page = rows[:size]
    following = len(rows) > size
    return IncidentList(
        items=tuple(_row(incident) for incident in page),
        next=write_cursor(page[-1].opened_at.isoformat(), page[-1].uid) if following else None,
        total=sum(by_state[state] for state in set(states) & by_state.keys())
        if states
        else sum(by_state.values()),
        by_state=by_state,
    )


def _with_people(viewer: Viewer, uid: str) -> Incident:
    found = (
        Incident.objects.filter(workspace_id=viewer.workspace_id, uid=uid)
        .select_related("assignee", "opened_by")
        .first()
    )
    if found is None:
        raise NotFound
    return found


def _given_to(assignee: str) -> Q:
    if not assignee:
        return Q()
    if assignee == NOBODY:
        return Q(assignee__isnull=True)
    return Q(assignee__username=assignee[:200])


def _row(incident: Incident) -> IncidentRow:
    return IncidentRow(
        uid=incident.uid,
        title=incident.title,
        state=incident.state,
        assignee=incident.assignee.username if incident.assignee else "",
        opened_at=incident.opened_at,
        changed_at=incident.changed_at,
        total=incident.total,
        counts=incident.counts,
        found=incident.found,
        new=max(0, incident.found - incident.noticed),
        watching=incident.watching,
    )


def _targets(question: Question) -> tuple[str, ...]:
    """What the question names itself and a case can be about, as many as a case can name."""
    # Of what a component made in some time a case is about these runs, not about all that it ever made.
    maker = question.made_by if question.made is None else ""
    named = question.nodes or (maker,)
    kinds = ((uid, kind_of_uid(uid)) for uid in named)
    fitting = [uid for uid, kind in kinds if kind and kind.name in CASE_TARGET_KINDS]
    return tuple(fitting[:MOST_TARGETS])


def _fitting(targets: Collection[str]) -> tuple[str, ...]:
    """The kinds of case that fit what is named: a machine is defective, a work is corrected."""
    kinds = {kind.name for uid in targets if (kind := kind_of_uid(uid))}
    if kinds & _MACHINES:
        return ("defective_component",)
    return tuple(kind for kind in CASE_KINDS if kind != "defective_component")


def _cases(viewer: Viewer, incident: Incident) -> tuple[LinkedCase, ...]:
    """The cases linked to it, and those since its opening that name its address as evidence."""
    linked = Case.objects.filter(
        workspace_id=viewer.workspace_id,
        pk__in=incident.cases.order_by("pk").values("case_id")[:_CASES_SEARCHED],
    )
    found = {case.pk: case for case in linked.order_by("pk")}
    newest = Case.objects.filter(
        workspace_id=viewer.workspace_id, created_at__gte=incident.opened_at
    ).order_by("-created_at", "uid")[:_CASES_SEARCHED]
    for case in newest:
        if any(incident.uid in str(piece) for piece in case.evidence):
            found[case.pk] = case
    ordered = sorted(found.values(), key=lambda case: (case.created_at, case.uid))
    lifting = Case.objects.filter(workspace_id=viewer.workspace_id, reinstates__in=ordered)
    lifted = dict(lifting.order_by("-pk").values_list("reinstates_id", "uid"))
    return tuple(
        LinkedCase(case.uid, case.kind, case.state, case.created_at, lifted.get(case.pk))
        for case in ordered
    )
