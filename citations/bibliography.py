"""The facts of a source as it states them: creators, publisher, title, dates, licence.

A fact that the source does not state is None; a page says "not stated by the source".
"""

from dataclasses import dataclass
from typing import Final

from citations.licence_terms import LicenceTerm, terms_of
from citations.rights import Licence, licence_of
from citations.stated import stated
from citations.upstream import Upstream
from lineage.models import Node
from lineage.types import JsonValue
from lineage.vocabulary import Edge
from provexplorer import clock

_PUBLISHER: Final = "publisher"


@dataclass(frozen=True, slots=True)
class Creator:
    """Who made the work, in the order stated; `role` creator, editor or translator."""

    name: str | None
    role: str
    orcid: str | None
    agent_uid: str | None
    ror: str | None = None  # of an organisation


@dataclass(frozen=True, slots=True)
class Publisher:
    name: str | None
    ror: str | None
    agent_uid: str | None


@dataclass(frozen=True, slots=True)
class Bibliography:
    """A version of a work with what the work itself states; the version's own statement wins.

    Dates are as stated (a year, a month, a day or an instant). `version_uid` is None where
    only the work is known, both uids where a placeholder stands for what nobody has sent yet.
    """

    source_uid: str | None
    version_uid: str | None
    resolved: bool
    title: str | None
    source_kind: str | None
    container_title: str | None
    creators: tuple[Creator, ...]
    publisher: Publisher | None
    version: str | None
    published_at: str | None
    modified_at: str | None
    valid_from: str | None
    valid_until: str | None
    license: Licence | None
    rights: str | None
    uri: str | None
    doi: str | None
    pmid: str | None
    language: str | None
    jurisdiction: str | None
    consent: JsonValue
    retention_until: str | None = None
    # Every licence that a catalogue lists of it, by form and day.
    licences: tuple[LicenceTerm, ...] = ()


def bibliography_of(version: Node | None, source: Node | None, upstream: Upstream) -> Bibliography:
    """What is stated of a version and its work; where both state a role, the version's holds."""
    own = version.fields if version is not None else {}
    work = source.fields if source is not None else {}
    return Bibliography(
        source_uid=source.uid if source is not None else None,
        version_uid=version.uid if version is not None else None,
        resolved=all(node.resolved for node in (version, source) if node is not None),
        title=stated(work.get("title")),
        source_kind=stated(work.get("source_kind")),
        container_title=stated(work.get("container_title")),
        creators=_creators(version, source, upstream),
        publisher=_publisher(version, source, upstream),
        version=stated(own.get("version")),
        published_at=stated(own.get("published_at")),
        modified_at=stated(own.get("modified_at")),
        valid_from=stated(own.get("valid_from")),
        valid_until=stated(own.get("valid_until")),
        license=licence_of(
            stated(own.get("license")), stated(own.get("license_uri")), stated(own.get("rights"))
        ),
        rights=stated(own.get("rights")),
        uri=stated(work.get("uri")),
        doi=stated(work.get("doi")),
        pmid=stated(work.get("pmid")),
        language=stated(work.get("language")),
        jurisdiction=stated(work.get("jurisdiction")),
        consent=own.get("consent"),
        retention_until=stated(own.get("retention_until")),
        licences=terms_of(version.attributes, clock.now().date()) if version is not None else (),
    )


def _creators(version: Node | None, source: Node | None, upstream: Upstream) -> tuple[Creator, ...]:
    own, work = (_named_by(node, upstream) for node in (version, source))
    roles = {creator.role for creator in own}
    return (*own, *(creator for creator in work if creator.role not in roles))


def _named_by(node: Node | None, upstream: Upstream) -> list[Creator]:
    """The creators that a work or version names itself, in its order."""
    if node is None:
        return []
    creators = []
    for row in upstream.rows(node.pk, Edge.WAS_ATTRIBUTED_TO):
        agent = upstream.nodes.get(row.to_id)
        if agent is not None and not row.relation.startswith(_PUBLISHER):
            role = stated(row.properties.get("role")) or "creator"
            said = agent.fields
            creators.append(
                Creator(
                    stated(said.get("name")),
                    role,
                    stated(said.get("orcid")),
                    agent.uid,
                    stated(said.get("ror")),
                )
            )
    return creators


def _publisher(version: Node | None, source: Node | None, upstream: Upstream) -> Publisher | None:
    for node in (version, source):
        for row in upstream.rows(node.pk, Edge.WAS_ATTRIBUTED_TO) if node is not None else ():
            agent = upstream.nodes.get(row.to_id)
            if agent is not None and row.relation.startswith(_PUBLISHER):
                said = agent.fields
                return Publisher(stated(said.get("name")), stated(said.get("ror")), agent.uid)
    return None
