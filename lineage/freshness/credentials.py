"""Secrets for sites that want to know who asks: named in the environment, stored nowhere.

`PROVEXPLORER_CREDENTIAL_NAME="WORKSPACE ORIGIN HEADER: VALUE"` gives the header to that origin
alone, for sources of that workspace alone: nobody can turn it to a site of their own, or read
through another workspace what it opens. Records name it by its NAME.
"""

from dataclasses import dataclass, field

from django.conf import settings

from lineage.outside import AddressRefused, Place, place_of


@dataclass(frozen=True, slots=True)
class Credential:
    """A header with its value, and the name by which records tell of it."""

    name: str
    header: str
    value: str = field(repr=False)


def credential_for(workspace: str, place: Place) -> Credential | None:
    """The secret for a place, where the environment names one for it and this workspace (slug)."""
    for name, said in sorted(settings.FETCH_SECRETS.items()):
        slug, origin, header = [*said.split(" ", 2), "", ""][:3]
        key, _, value = header.partition(":")
        if slug == workspace and key.strip() and _origin(origin) == place.origin:
            return Credential(name, key.strip(), value.strip())
    return None


def _origin(said: str) -> str | None:
    try:
        return place_of(said, schemes=("https", "http"), any_port=True).origin
    except AddressRefused:
        return None
