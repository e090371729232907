"""What a role may do: each role carries the scopes of those before it, `admin` all of them."""

from collections.abc import Collection
from typing import Final

from django.utils.translation import gettext_lazy as _

from provexplorer.workspaces.models import Role

# Carries all the others, for a key as for a role.
ADMIN: Final = "admin"
SCOPES: Final = ("ingest", "read", "operate", "edit", ADMIN)
# A key may be kept to some formats: `ingest:otlp`; `ingest` carries them all.
INGEST_FORMATS: Final = ("native", "openlineage", "otlp", "prov", "crossref")
KEY_SCOPES: Final = (*SCOPES, *(f"ingest:{each}" for each in INGEST_FORMATS))

# What each lets a key do, in words.
WORDS: Final = {
    "ingest": _("Send records, in every format"),
    "read": _("Read"),
    "operate": _("Draft cases, follow defects"),
    "edit": _("Approve cases"),
    ADMIN: _("Everything, of every group"),
    "ingest:native": _("Send native records"),
    "ingest:openlineage": _("Send OpenLineage events"),
    "ingest:otlp": _("Send OpenTelemetry traces"),
    "ingest:prov": _("Send PROV documents"),
    "ingest:crossref": _("Send works of Crossref"),
}

# The scope that a role adds to those of the roles before it.
SCOPE_OF_ROLE: Final[dict[str, str]] = {
    Role.READER: "read",
    Role.OPERATOR: "operate",
    Role.EDITOR: "edit",
    Role.ADMIN: "admin",
}
_ORDER: Final = tuple(SCOPE_OF_ROLE)


def carries(scopes: Collection[str], scope: str) -> bool:
    """Whether these scopes allow what needs `scope`: `ingest:otlp` is in `ingest`, all in `admin`."""
    return any(each in scopes for each in (scope, scope.partition(":")[0], ADMIN))


def scopes_of(role: str) -> frozenset[str]:
    """The scopes of a role; none for a word that is no role."""
    if role == Role.ADMIN:
        return frozenset(SCOPES)
    if role not in SCOPE_OF_ROLE:
        return frozenset()
    return frozenset(SCOPE_OF_ROLE[each] for each in _ORDER[: _ORDER.index(role) + 1])
