"""Attributes of PROV elements that fields of records have a place for; the others stay attributes."""

from collections.abc import Mapping, Sequence
from typing import Final

from lineage.formats.groups import CREATOR_ROLES
from lineage.formats.prov_statements import PROV, RDFS, Statement, named, split, texts
from lineage.types import JsonValue

_DC: Final = "http://purl.org/dc/elements/1.1/"
_DCTERMS: Final = "http://purl.org/dc/terms/"
_SCHEMA: Final = ("http://schema.org/", "https://schema.org/")
_FOAF: Final = "http://xmlns.com/foaf/0.1/"

_TITLES: Final = (
    f"{PROV}label", f"{_DCTERMS}title", f"{_DC}title", *(f"{one}name" for one in _SCHEMA),
    f"{RDFS}label", f"{_FOAF}name",
)  # fmt: skip
_NAMES: Final = (
    f"{_FOAF}name", *(f"{one}name" for one in _SCHEMA), f"{PROV}label", f"{RDFS}label",
)  # fmt: skip
_VERSIONS: Final = (f"{_DCTERMS}hasVersion", *(f"{one}version" for one in _SCHEMA),
                    *(f"{one}softwareVersion" for one in _SCHEMA))  # fmt: skip
_AGENT_KINDS: Final = {
    f"{PROV}Person": "person",
    f"{PROV}Organization": "organization",
    f"{PROV}SoftwareAgent": "software",
}
_MAILTO: Final = "mailto:"

Said = Mapping[str, Sequence[JsonValue]]


def work_fields(kind: str, said: Said) -> dict[str, JsonValue]:
    """Fields of a source or a version."""
    if kind == "source_version":
        licenses = named(said.get(f"{_DCTERMS}license", ()))
        rights = texts(said.get(f"{_DCTERMS}rights", ()))
        return _stated(
            version=title_of(said, _VERSIONS),
            license_uri=licenses[0] if len(licenses) == 1 else "",
            rights=rights[0] if len(rights) == 1 else "",
        )
    places = [
        place
        for place in [
            *named(said.get(f"{PROV}location", ())),
            *texts(said.get(f"{PROV}location", ())),
        ]
        if place.startswith(("http://", "https://"))
    ]
    return _stated(title=title_of(said, _TITLES), uri=places[0] if len(places) == 1 else "")


def agent_fields(said: Said) -> dict[str, JsonValue]:
    """Fields of an agent."""
    types = named(said.get(f"{PROV}type", ()))
    kinds = [_AGENT_KINDS[one] for one in types if one in _AGENT_KINDS]
    mails = [one.removeprefix(_MAILTO) for one in named(said.get(f"{_FOAF}mbox", ()))]
    return _stated(
        name=title_of(said, _NAMES),
        agent_kind=kinds[0] if len(set(kinds)) == 1 else "",
        email=mails[0] if len(mails) == 1 else "",
    )


def component_fields(said: Said) -> dict[str, JsonValue]:
    """Fields of software that activities were associated with; its version only where stated."""
    return _stated(name=title_of(said, _NAMES), version=title_of(said, _VERSIONS))


def role_of(attribution: Statement) -> str:
    """As what an agent is credited: a role that is one of ours by its name, else creator."""
    said = [
        *attribution.attributes.get(f"{PROV}role", ()),
        *attribution.attributes.get(f"{PROV}type", ()),
    ]
    words = [split(iri)[1].lower() for iri in named(said)] + [one.lower() for one in texts(said)]
    return next((word for word in words if word in (*CREATOR_ROLES, "publisher")), "creator")


def title_of(said: Said, names: Sequence[str]) -> str:
    """The first of these attributes that has words."""
    for name in names:
        for value in said.get(name, ()):
            text = value["$"] if isinstance(value, dict) else value
            if isinstance(text, str) and text.strip():
                return text
    return ""


def _stated(**fields: str) -> dict[str, JsonValue]:
    return {name: value for name, value in fields.items() if value}
