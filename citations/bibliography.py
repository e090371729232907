"""The facts of a source as it states them: creators, publisher, title, dates, licence.

A fact that the source does not state is None; a page says "not stated by the source".
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from citations.rights import Licence, licence_of
from lineage.models import Node, Reference
from lineage.types import JsonValue
from lineage.vocabulary import Edge

_PUBLISHER: Final = "publisher"
# Credits of one work that are read; a page says how many there are in the record.
_MOST_CREDITS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Creator:
    """Who made the work, in the order stated; `role` creator, editor or translator."""

    name: str | None
    role: str
    orcid: str | None
    agent_uid: str | None


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


@dataclass(frozen=True, slots=True)
class Credits:
    """Creators in the order stated, by the node (work or version) that states them; publishers."""

    creators: Mapping[int, tuple[Creator, ...]]
    publishers: Mapping[int, Publisher]


def credits_of(workspace_id: int, node_ids: Collection[int]) -> Credits:
    """The agents that works and versions name, in one query."""
    creators: dict[int, list[Creator]] = defaultdict(list)
    publishers: dict[int, Publisher] = {}
    rows = (
        Reference.objects.filter(
            workspace_id=workspace_id,
            from_node_id__in=node_ids,
            edge=Edge.WAS_ATTRIBUTED_TO,
            to_node__isnull=False,
        )
        .order_by("from_node_id", "relation", "ordinal", "pk")
        .values_list("from_node_id", "relation", "properties", "to_node__uid", "to_node__fields")[
            :_MOST_CREDITS
        ]
    )
    for node_id, relation, properties, uid, fields in rows:
        name = _text(fields.get("name"))
        if relation.startswith(_PUBLISHER):
            publishers.setdefault(node_id, Publisher(name, _text(fields.get("ror")), uid))
        else:
            role = _text(properties.get("role")) or "creator"
            creators[node_id].append(Creator(name, role, _text(fields.get("orcid")), uid))
    return Credits({pk: tuple(some) for pk, some in creators.items()}, publishers)


def bibliography_of(version: Node | None, source: Node | None, credits_: Credits) -> Bibliography:
    """What is stated of a version and its work; where both state a role, the version's holds."""
    own = version.fields if version is not None else {}
    work = source.fields if source is not None else {}
    return Bibliography(
        source_uid=source.uid if source is not None else None,
        version_uid=version.uid if version is not None else None,
        resolved=all(node.resolved for node in (version, source) if node is not None),
        title=_text(work.get("title")),
        source_kind=_text(work.get("source_kind")),
        container_title=_text(work.get("container_title")),
        creators=_creators(version, source, credits_),
        publisher=_publisher(version, source, credits_),
        version=_text(own.get("version")),
        published_at=_text(own.get("published_at")),
        modified_at=_text(own.get("modified_at")),
        valid_from=_text(own.get("valid_from")),
        valid_until=_text(own.get("valid_until")),
        license=licence_of(
            _text(own.get("license")), _text(own.get("license_uri")), _text(own.get("rights"))
        ),
        rights=_text(own.get("rights")),
        uri=_text(work.get("uri")),
        doi=_text(work.get("doi")),
        pmid=_text(work.get("pmid")),
        language=_text(work.get("language")),
        jurisdiction=_text(work.get("jurisdiction")),
        consent=own.get("consent"),
    )


def _creators(version: Node | None, source: Node | None, credits_: Credits) -> tuple[Creator, ...]:
    own = credits_.creators.get(version.pk, ()) if version is not None else ()
    work = credits_.creators.get(source.pk, ()) if source is not None else ()
    stated = {creator.role for creator in own}
    return own + tuple(creator for creator in work if creator.role not in stated)


def _publisher(version: Node | None, source: Node | None, credits_: Credits) -> Publisher | None:
    for node in (version, source):
        if node is not None and node.pk in credits_.publishers:
            return credits_.publishers[node.pk]
    return None


def _text(value: JsonValue) -> str | None:
    """A stated string; None for what is absent, empty or of another type."""
    return value if isinstance(value, str) and value.strip() else None
