"""What people and keys do with an incident: open, note, move on, give, watch, link, delete.

Every change is one conditional update with its note and its events in one transaction, so
that a double click or two people at once change nothing twice.
"""

import secrets
from collections.abc import Callable, Mapping
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from lineage.cases.errors import ScopeMissing
from lineage.content import apart
from lineage.formats.storable import is_storable
from lineage.identifiers import keyed_hash
from lineage.impact.question import Question, question_to_json
from lineage.incidents import events, growing
from lineage.incidents.errors import IncidentConflict, IncidentRefused
from lineage.incidents.falling import newest_row, standing
from lineage.incidents.people import person
from lineage.models import Case, Incident, IncidentCase, IncidentNote
from lineage.models.turns import turn
from lineage.types import NotFound, Viewer
from provexplorer import clock
from provexplorer.workspaces.audit import recording as audit

PREFIX: Final = "inc"
LONGEST_TITLE: Final = 200
LONGEST_NOTE: Final = 10_000
# Enough for anything that people write; whoever needs more writes a document.
MOST_NOTES: Final = 5_000
MOST_CASES: Final = 200

_State = Incident.State
# State → those that may follow it.
MOVES: Final[Mapping[str, tuple[str, ...]]] = {
    _State.OPEN: (_State.INVESTIGATING, _State.MITIGATED, _State.CLOSED),
    _State.INVESTIGATING: (_State.MITIGATED, _State.CLOSED, _State.OPEN),
    _State.MITIGATED: (_State.CLOSED, _State.INVESTIGATING),
    _State.CLOSED: (_State.INVESTIGATING,),
}


def open_incident(
    viewer: Viewer,
    *,
    title: str,
    question: Question,
    note: str = "",
    assignee: str = "",
    watching: bool = True,
) -> str:
    """Save a question as an incident, with the counts of this moment; its uid.

    Raises ScopeMissing, IncidentRefused; NotFound and Moved for a node that the question names.
    """
    require(viewer)
    title = _title(title)
    if not question.names_something:
        raise IncidentRefused("/question", _("Say what the answers are to rest on."))
    if note:
        _check_note(note)
    assignee_id = person(viewer, assignee) if assignee else None
    with turn(viewer.workspace_id):
        # Nobody is writing rows of this workspace: those below are there, those to come are above.
        now, mark = clock.now(), newest_row()
    # Outside of the turn, since it may take a while: what comes meanwhile is above the mark, and new.
    found = standing(viewer, question, mark)
    owner_id = apart.new_owner()
    try:
        with transaction.atomic():
            incident = Incident.objects.create(
                workspace_id=viewer.workspace_id,
                uid=f"{PREFIX}_{keyed_hash(viewer.hash_key, PREFIX, secrets.token_hex(16))}",
                title=title,
                question=question_to_json(question),
                owner_id=owner_id,
                opened_by_id=viewer.user_id,
                opened_by_key_id=viewer.key_id,
                assignee_id=assignee_id,
                opened_at=now,
                changed_at=now,
                counts=dict(found.counts),
                total=found.total,
                watching=watching,
                mark=mark,
                watched_to=mark,
            )
            growing.keep(incident, found.targets)
            if note:
                _write(viewer, incident, IncidentNote.What.NOTE, digest=apart.keep_text(viewer, owner_id, note))  # fmt: skip
            audit.record("incident.opened", viewer, object_uid=incident.uid)
            events.tell(incident, events.OPENED, counts=incident.counts, total=incident.total)
    except BaseException:
        apart.destroy([owner_id])
        raise
    return incident.uid


def change(viewer: Viewer, uid: str, changes: Mapping[str, Any]) -> None:
    """Set `title`, `state`, `assignee` (a name; empty: nobody), `watching`: those that are given.

    What is as it was already is left alone. All or nothing. Raises NotFound, ScopeMissing,
    IncidentRefused, IncidentConflict.
    """
    require(viewer)
    incident = incident_of(viewer, uid)
    with transaction.atomic():
        changed = [name for name, set_to in _SETTERS.items() if name in changes and set_to(viewer, incident, changes[name])]  # fmt: skip
        if changed:
            incident.refresh_from_db()
            events.tell(incident, events.CHANGED, changed=changed)


def note(viewer: Viewer, uid: str, text: str) -> None:
    """Add a note; nobody can change or remove it. Raises NotFound, ScopeMissing, IncidentRefused."""
    require(viewer)
    incident = incident_of(viewer, uid)
    _check_note(text)
    if IncidentNote.objects.filter(incident=incident)[:MOST_NOTES].count() >= MOST_NOTES:
        raise IncidentRefused("/text", _("This incident has as many notes as it can hold."))
    with transaction.atomic():
        digest = apart.keep_text(viewer, incident.owner_id, text)
        _write(viewer, incident, IncidentNote.What.NOTE, digest=digest)


def notice(viewer: Viewer, uid: str, found: int) -> None:
    """Take note of the first `found` new answers: they are not told as new any more.

    The number is the one that was shown, so that what arrived meanwhile stays new.
    """
    require(viewer)
    incident = incident_of(viewer, uid)
    with transaction.atomic():
        noticed = Incident.objects.filter(pk=incident.pk, noticed__lt=found, found__gte=found)
        if noticed.update(noticed=found):
            _write(viewer, incident, IncidentNote.What.NOTICED, became=str(found))


def link_case(viewer: Viewer, uid: str, case_uid: str) -> None:
    """Say that a case was filed because of the incident; twice is once.

    Raises NotFound, ScopeMissing, IncidentRefused for a case that is unknown here.
    """
    require(viewer)
    incident = incident_of(viewer, uid)
    case = Case.objects.filter(workspace_id=viewer.workspace_id, uid=case_uid).first()
    if case is None:
        raise IncidentRefused("/case", _("No such case here."))
    if IncidentCase.objects.filter(incident=incident)[:MOST_CASES].count() >= MOST_CASES:
        raise IncidentRefused("/case", _("This incident has as many cases as it can hold."))
    with transaction.atomic():
        _link, linked = IncidentCase.objects.get_or_create(incident=incident, case=case)
        if linked:
            _write(viewer, incident, IncidentNote.What.CASE, case_id=case.pk)


def delete(viewer: Viewer, uid: str) -> None:
    """Delete a closed incident with its notes, whose key is destroyed.

    Raises NotFound, ScopeMissing, IncidentConflict for one that is not closed.
    """
    require(viewer)
    incident = incident_of(viewer, uid)
    hooks = list(incident.webhooks.order_by("pk").values_list("owner_id", flat=True))
    with transaction.atomic():
        gone, _rows = Incident.objects.filter(pk=incident.pk, state=_State.CLOSED).delete()
        if gone:
            audit.record("incident.deleted", viewer, object_uid=uid)
    if not gone:
        incident.refresh_from_db()
        raise IncidentConflict(
            "not_closed", _("Only a closed incident can be deleted."), state=incident.state
        )
    apart.destroy([incident.owner_id, *hooks])


def incident_of(viewer: Viewer, uid: str) -> Incident:
    """The incident with this uid in the viewer's workspace. Raises NotFound."""
    found = Incident.objects.filter(workspace_id=viewer.workspace_id, uid=uid).first()
    if found is None:
        raise NotFound
    return found


def require(viewer: Viewer) -> None:
    """Let through whoever may work on incidents. Raises ScopeMissing."""
    if "operate" not in viewer.scopes:
        raise ScopeMissing("operate")


def _set_state(viewer: Viewer, incident: Incident, state: str) -> bool:
    if state not in MOVES:
        raise IncidentRefused("/state", _("This is no state of an incident."))
    now = clock.now()
    sources = [each for each, following in MOVES.items() if state in following]
    closed_at = now if state == _State.CLOSED else None
    moved = Incident.objects.filter(pk=incident.pk, state__in=sources).update(
        state=state, changed_at=now, closed_at=closed_at
    )
    if moved:
        _write(viewer, incident, IncidentNote.What.STATE, became=state)
        return True
    incident.refresh_from_db()
    if incident.state != state:
        raise IncidentConflict(
            "wrong_state", _("An incident cannot go from its state to this one."),
            state=incident.state,
        )  # fmt: skip
    return False


def _set_assignee(viewer: Viewer, incident: Incident, name: str) -> bool:
    assignee_id = person(viewer, name) if name else None
    others = Incident.objects.filter(pk=incident.pk).exclude(assignee_id=assignee_id)
    if assignee_id is not None:
        # NULL is not unequal to anything in SQL.
        others = others | Incident.objects.filter(pk=incident.pk, assignee_id__isnull=True)
    if not others.update(assignee_id=assignee_id, changed_at=clock.now()):
        return False
    _write(viewer, incident, IncidentNote.What.ASSIGNEE, assigned_id=assignee_id)
    return True


def _set_title(viewer: Viewer, incident: Incident, title: str) -> bool:
    title = _title(title)
    others = Incident.objects.filter(pk=incident.pk).exclude(title=title)
    if not others.update(title=title, changed_at=clock.now()):
        return False
    _write(viewer, incident, IncidentNote.What.TITLE)
    return True


def _set_watching(viewer: Viewer, incident: Incident, watching: bool) -> bool:  # noqa: FBT001 - called by name of the field
    others = Incident.objects.filter(pk=incident.pk, watching=not watching)
    if not others.update(watching=watching, changed_at=clock.now()):
        return False
    _write(viewer, incident, IncidentNote.What.WATCH, became="on" if watching else "off")
    return True


_SETTERS: Final[Mapping[str, Callable[[Viewer, Incident, Any], bool]]] = {
    "title": _set_title,
    "state": _set_state,
    "assignee": _set_assignee,
    "watching": _set_watching,
}


# What of a course is no change of the incident itself.
_VERBS: Final[Mapping[str, str]] = {
    IncidentNote.What.NOTE: "incident.noted",
    IncidentNote.What.CASE: "incident.linked",
}


def _write(viewer: Viewer, incident: Incident, what: IncidentNote.What, **more: Any) -> None:
    IncidentNote.objects.create(
        incident=incident,
        what=what,
        at=clock.now(),
        author_id=viewer.user_id,
        by_key=viewer.key_id is not None,
        **more,
    )
    verb = _VERBS.get(what, "incident.changed")
    audit.record(verb, viewer, object_uid=incident.uid, code=what.value)


def _title(title: str) -> str:
    """The title in one line. Raises IncidentRefused."""
    line = " ".join(title.split())
    if not line:
        raise IncidentRefused("/title", _("Give it a title."))
    if len(line) > LONGEST_TITLE or not is_storable(line):
        raise IncidentRefused("/title", _("A title has at most 200 characters."))
    return line


def _check_note(text: str) -> None:
    if not text.strip():
        raise IncidentRefused("/text", _("A note says something."))
    if len(text) > LONGEST_NOTE or not is_storable(text):
        raise IncidentRefused("/text", _("A note has at most 10,000 characters."))
