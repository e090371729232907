"""The page of a person or organisation: the works that name them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from citations.stated import stated
from lineage.models import Node, Reference
from lineage.nodes.find import find
from lineage.nodes.visible import visible
from lineage.types import JsonValue, NotFound, Viewer
from lineage.vocabulary import Edge

MOST_WORKS: Final = 200


@dataclass(frozen=True, slots=True)
class WorkOfCreator:
    """A work attributed to an agent; hidden works keep their place without a title."""

    source_uid: str
    hidden: bool
    title: str | None
    role: str
    version_uid: str | None  # where the version states it, not the work


@dataclass(frozen=True, slots=True)
class CreatorPage:
    """An agent as this reader may see it; hidden where every work that names it is."""

    uid: str
    hidden: bool
    name: str | None
    agent_kind: str | None
    orcid: str | None
    ror: str | None
    works: tuple[WorkOfCreator, ...]
    works_total: int
    attributes: Mapping[str, JsonValue]


def creator_page(viewer: Viewer, uid: str) -> CreatorPage:
    """The page of one agent.

    Raises lineage.types.NotFound for an unknown or foreign uid, Moved for an alias.
    """
    agent = find(viewer, uid)
    if agent.kind != "agent":
        raise NotFound(uid)
    credits_ = Reference.objects.filter(
        workspace_id=viewer.workspace_id,
        to_node_id=agent.pk,
        edge=Edge.WAS_ATTRIBUTED_TO,
        from_node__isnull=False,
    )
    rows = list(
        credits_.select_related("from_node", "from_node__parent").order_by(
            "from_node__label", "from_node_id", "relation", "ordinal"
        )[:MOST_WORKS]
    )
    seen = visible(viewer, [node for row in rows for node in _named(row)])
    works = tuple(dict.fromkeys(work for row in rows if (work := _work(row, seen)) is not None))
    hidden = bool(works) and all(work.hidden for work in works)
    said = agent.fields
    return CreatorPage(
        uid=agent.uid,
        hidden=hidden,
        name=None if hidden else stated(said.get("name")),
        agent_kind=None if hidden else stated(said.get("agent_kind")),
        orcid=None if hidden else stated(said.get("orcid")),
        ror=None if hidden else stated(said.get("ror")),
        works=works,
        works_total=credits_.count() if len(rows) == MOST_WORKS else len(works),
        attributes={} if hidden else agent.attributes,
    )


def _named(row: Reference) -> list[Node]:
    """The work or version that names the agent, and the version's work."""
    node = row.from_node
    return [each for each in (node, node.parent if node else None) if each is not None]


def _work(row: Reference, seen: Mapping[int, bool]) -> WorkOfCreator | None:
    named = _named(row)
    source = next((node for node in named if node.kind == "source"), None)
    if source is None:
        return None
    version = next((node for node in named if node.kind == "source_version"), None)
    hidden = not all(seen[node.pk] for node in named)
    role = "publisher" if row.relation.startswith("publisher") else row.properties.get("role")
    return WorkOfCreator(
        source_uid=source.uid,
        hidden=hidden,
        title=None if hidden else stated(source.fields.get("title")),
        role=str(role or "creator"),
        version_uid=version.uid if version is not None else None,
    )
