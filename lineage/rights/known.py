"""What a workspace may demand that a source states: a creator, and a licence that is known. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lineage.formats.licenses import read_license

Lacking = Literal["creator", "licence"]


@dataclass(frozen=True, slots=True)
class Rules:
    """What is demanded before anything of a source is indexed."""

    creator: bool = False
    licence: bool = False

    def __bool__(self) -> bool:
        return self.creator or self.licence


def names_creator(fields: Mapping[str, Any]) -> bool:
    """Whether a source or version names who made it; a publisher alone is no creator."""
    creators = fields.get("creators")
    return isinstance(creators, list) and bool(creators)


def licence_known(fields: Mapping[str, Any]) -> bool:
    """Whether a version states a licence that means an SPDX expression or an own LicenseRef."""
    said, address = (
        value if isinstance(value, str) else None
        for value in (fields.get("license"), fields.get("license_uri"))
    )
    return read_license(said, address).expression is not None


def lacking(
    rules: Rules, source: Mapping[str, Any], version: Mapping[str, Any]
) -> tuple[Lacking, ...]:
    """What of the demanded a version and its source do not state."""
    missing: list[Lacking] = []
    if rules.creator and not (names_creator(source) or names_creator(version)):
        missing.append("creator")
    if rules.licence and not licence_known(version):
        missing.append("licence")
    return tuple(missing)
