"""How a workspace decides cases, and which of its members want mail about them."""

from typing import Final

from django.db import transaction

from lineage.cases.steps import require
from lineage.models import Case, CaseMailOff, CaseRules
from lineage.types import Viewer
from provexplorer.workspaces.audit.recording import record
from provexplorer.workspaces.models import Membership

# Codes of what keeps a viewer from approving; the first two are conflicts, told before the click.
DRAFTED_IT: Final = "another_person"
A_KEY: Final = "a_person"


def another_person_decides(workspace_id: int) -> bool:
    """Whether whoever drafted a case may not approve it."""
    rules = CaseRules.objects.filter(workspace_id=workspace_id, another_person=True)
    return rules.exists()


def set_another_person(viewer: Viewer, *, demanded: bool) -> None:
    """Demand another person's approval, or no longer. Raises ScopeMissing for who is no administrator."""
    require(viewer, "admin")
    if another_person_decides(viewer.workspace_id) == demanded:
        return
    with transaction.atomic():
        CaseRules.objects.update_or_create(
            workspace_id=viewer.workspace_id, defaults={"another_person": demanded}
        )
        code = "another_person" if demanded else "same_person"
        record("policy.changed", viewer, code=code)


def barred(viewer: Viewer, case: Case) -> str:
    """Why the viewer may not approve this case, in a code; empty where nothing bars it.

    Where another person decides, whoever drafted it may not, and a key is nobody.
    """
    if not another_person_decides(case.workspace_id):
        return ""
    if viewer.key_id is not None:
        return A_KEY
    if viewer.user_id is not None and viewer.user_id == case.drafted_by_id:
        return DRAFTED_IT
    return ""


def wants_mail(viewer: Viewer) -> bool:
    """Whether the member is told of cases by mail; a key never is."""
    return not CaseMailOff.objects.filter(membership__in=_membership(viewer)).exists()


def set_mail(viewer: Viewer, *, wanted: bool) -> None:
    """Let the member be told of cases by mail, or no longer. Raises ScopeMissing for who is no member."""
    require(viewer, "read")
    for membership_id in _membership(viewer):
        if wanted:
            CaseMailOff.objects.filter(membership_id=membership_id).delete()
        else:
            CaseMailOff.objects.get_or_create(membership_id=membership_id)


def _membership(viewer: Viewer) -> list[int]:
    """The id of the viewer's membership here; none for a key."""
    if viewer.user_id is None:
        return []
    rows = Membership.objects.filter(workspace_id=viewer.workspace_id, user_id=viewer.user_id)
    return list(rows.order_by("pk").values_list("pk", flat=True)[:1])
