"""What is said about a case and who works on it: comments, encrypted under a key of the case's own."""

from django.db import transaction
from django.utils.translation import gettext as _

from lineage.cases.errors import DraftRefused
from lineage.cases.history import record
from lineage.cases.steps import case_of, require
from lineage.content import apart
from lineage.formats.storable import is_storable
from lineage.incidents.errors import IncidentRefused
from lineage.incidents.people import person
from lineage.models import Case, CaseEvent
from lineage.types import Viewer

LONGEST_COMMENT = 10_000
# Enough for anything that people write about one case.
MOST_COMMENTS = 2_000


def comment(viewer: Viewer, uid: str, text: str) -> None:
    """Say something about a case to those who work on it; nobody can change it afterwards.

    Raises CaseNotFound, ScopeMissing, DraftRefused.
    """
    require(viewer, "operate")
    case = case_of(viewer, uid)
    if not text.strip():
        raise DraftRefused("/text", _("A comment says something."))
    said = CaseEvent.objects.filter(case=case, what=CaseEvent.What.COMMENT)
    if said[:MOST_COMMENTS].count() >= MOST_COMMENTS:
        raise DraftRefused("/text", _("This case has as many comments as it can hold."))
    digest = keep_words(viewer, case, text.strip(), "/text")
    with transaction.atomic():
        record(case, CaseEvent.What.COMMENT, viewer, digest=digest)


def assign(viewer: Viewer, uid: str, name: str) -> None:
    """Give the case to the member of this account name; empty: to nobody. Twice is once.

    Raises CaseNotFound, ScopeMissing, DraftRefused for a name that may not work on cases.
    """
    require(viewer, "operate")
    case = case_of(viewer, uid)
    assignee_id = None
    if name:
        try:
            assignee_id = person(viewer, name)
        except IncidentRefused as refused:
            detail = _("No member of this name may work on cases.")
            raise DraftRefused("/assignee", detail) from refused
    mine = Case.objects.filter(id=case.id)
    others = (
        mine.filter(assignee__isnull=False)
        if assignee_id is None
        else mine.exclude(assignee_id=assignee_id)
    )
    with transaction.atomic():
        if others.update(assignee_id=assignee_id):
            record(case, CaseEvent.What.ASSIGNED, viewer, assigned_id=assignee_id)


def keep_words(viewer: Viewer, case: Case, text: str, pointer: str) -> str:
    """Keep a text under the case's key; the digest by which it is found. Raises DraftRefused."""
    if len(text) > LONGEST_COMMENT or not is_storable(text):
        raise DraftRefused(pointer, _("At most 10,000 characters."))
    return apart.keep_text(viewer, owner_of(case), text)


def owner_of(case: Case) -> int:
    """Under whose key the case's texts and files are kept; made when the first of them comes."""
    if case.owner_id is None:
        owner_id = apart.new_owner()
        # Of two at once one has made the key; the other's holds nothing.
        if not Case.objects.filter(id=case.id, owner_id__isnull=True).update(owner_id=owner_id):
            apart.destroy([owner_id])
        case.refresh_from_db(fields=["owner_id"])
    assert case.owner_id is not None  # written above
    return case.owner_id
