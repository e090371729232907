"""Who works on incidents: members of the workspace who may operate, by their account names."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from lineage.incidents.errors import IncidentRefused
from lineage.types import Viewer
from provexplorer.workspaces.models import Membership, Role

# Whoever may open an incident may be given one.
_WORKING: Final = (Role.OPERATOR, Role.EDITOR, Role.ADMIN)
MOST_NAMED: Final = 200


@dataclass(frozen=True, slots=True)
class Person:
    """A member as others see them: the name of the account and the person's own, where stated."""

    id: int
    name: str
    full_name: str


def people(viewer: Viewer) -> tuple[Person, ...]:
    """The members who may be given an incident, by name; at most 200."""
    rows = (
        Membership.objects.filter(
            workspace_id=viewer.workspace_id, role__in=_WORKING, user__is_active=True
        )
        .select_related("user")
        .order_by("user__username")[:MOST_NAMED]
    )
    return tuple(Person(row.user.pk, row.user.username, row.user.get_full_name()) for row in rows)


def person(viewer: Viewer, name: str, pointer: str = "/assignee") -> int:
    """The id of the member of this name. Raises IncidentRefused where there is none who may operate."""
    found = (
        Membership.objects.filter(
            workspace_id=viewer.workspace_id, role__in=_WORKING, user__is_active=True,
            user__username=name[:200],
        )
        .order_by("pk")
        .values_list("user_id", flat=True)
        .first()
    )  # fmt: skip
    if found is None:
        raise IncidentRefused(pointer, _("No member of this name may work on incidents."))
    return found
