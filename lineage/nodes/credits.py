"""Who made a source and who published it, by the names that it states."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lineage.models import Node, Reference
from lineage.types import Viewer

_RELATIONS = ("creators.agent", "publisher.agent")
# Credits of the sources of one page.
_MOST = 20_000


@dataclass(frozen=True, slots=True)
class Credit:
    """A person or organisation; `uid` None where no agent stands behind the name."""

    name: str
    role: str
    uid: str | None


Credits = tuple[tuple[Credit, ...], Credit | None]


def credits_of(viewer: Viewer, nodes: Sequence[Node]) -> dict[int, Credits]:
    """Creators in the order stated, and the publisher, of each source or version, by node id."""
    rows = (
        Reference.objects.filter(
            workspace_id=viewer.workspace_id,
            holder_id__in=[node.pk for node in nodes],
            relation__in=_RELATIONS,
        )
        .order_by("holder_id", "relation", "ordinal", "pk")
        .values_list("holder_id", "relation", "ordinal", "to_node__uid", "to_node__label")[:_MOST]
    )
    agents = {tuple(row[:3]): (row[3], row[4] or "") for row in rows}
    return {node.pk: _credits(node, agents) for node in nodes}


def _credits(node: Node, agents: Mapping[Any, tuple[str | None, str]]) -> Credits:
    stated = node.fields.get("creators")
    creators = [
        _credit(each, "creator", agents.get((node.pk, "creators.agent", ordinal)))
        for ordinal, each in enumerate(stated if isinstance(stated, list) else ())
    ]
    publisher = _credit(
        node.fields.get("publisher"), "publisher", agents.get((node.pk, "publisher.agent", 0))
    )
    return tuple(credit for credit in creators if credit is not None), publisher


def _credit(stated: Any, role: str, agent: tuple[str | None, str] | None) -> Credit | None:
    """The name as stated, else that of the agent; None where there is neither."""
    if not isinstance(stated, Mapping):
        return None
    uid, label = agent or (None, "")
    name = stated.get("name") or label
    if not name:
        return None
    return Credit(str(name), str(stated.get("role") or role), uid)
