"""Secrets for sites and stores that want to know who asks: named in the environment, stored nowhere.

`PROVEXPLORER_CREDENTIAL_NAME="WORKSPACE ORIGIN HEADER: VALUE"` gives the header to that origin
alone, for sources of that workspace alone: nobody can turn it to a site of their own, or read
through another workspace what it opens. `"WORKSPACE s3://BUCKET {JSON}"` are the options that
the store's reader is opened with for that bucket. Records name it by its NAME.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from lineage.outside import AddressRefused, Place, place_of


@dataclass(frozen=True, slots=True)
class Credential:
    """A header with its value, and the name by which records tell of it."""

    name: str
    header: str
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """How a store is opened, and the name by which records tell of it."""

    name: str
    options: Mapping[str, Any] = field(repr=False)


def credential_for(workspace: str, place: Place) -> Credential | None:
    """The secret for a place, where the environment names one for it and this workspace (slug)."""
    for name, said in sorted(settings.FETCH_SECRETS.items()):
        slug, origin, header = [*said.split(" ", 2), "", ""][:3]
        key, _, value = header.partition(":")
        if slug == workspace and key.strip() and _origin(origin) == place.origin:
            return Credential(name, key.strip(), value.strip())
    return None


def store_options_for(workspace: str, scheme: str, path: str) -> StoreOptions | None:
    """The options for a bucket (the first part of `path`), where the environment names some for this workspace.

    Raises AddressRefused where they cannot be read: without them somebody else would be asking.
    """
    bucket = f"{scheme}://{path.partition('/')[0]}"
    for name, said in sorted(settings.FETCH_SECRETS.items()):
        slug, place, options = [*said.split(" ", 2), "", ""][:3]
        if slug == workspace and place.rstrip("/") == bucket:
            return StoreOptions(name, _options(options))
    return None


def _options(said: str) -> Mapping[str, Any]:
    try:
        options = json.loads(said)
    except ValueError as error:
        raise AddressRefused("address_refused") from error
    if not isinstance(options, dict):
        raise AddressRefused("address_refused")
    return options


def _origin(said: str) -> str | None:
    try:
        return place_of(said, schemes=("https", "http"), any_port=True).origin
    except AddressRefused:
        return None
