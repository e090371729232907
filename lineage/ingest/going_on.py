"""Keys that a request only goes on with: its sightings of them come after all that they have.

What a key makes follows from all its sightings, but what later ones need to know of the earlier
its nodes hold: what they say, and the instant of the last of them. So a table that was seen ten
thousand times is brought in line by its nodes and the one sighting more, and that gives what
all ten thousand and one would give.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Final

from lineage.content.tombstones import ERASED
from lineage.ingest.keys import in_chunks
from lineage.ingest.node_rows import KEY_REUSED, LATER_CODES, Row
from lineage.ingest.relations import IDENTITY_RELATION
from lineage.ingest.revisions import Group, Merged, Seen, group, merge
from lineage.models import Node, Sighting
from lineage.vocabulary import KINDS
from provexplorer.clock import BEFORE_ALL

# Kinds of which a node says all that its sightings do: they have no interval in a text.
GOING_ON: Final = frozenset(
    {"agent", "component", "run", "source", "source_version", "acquisition", "index_snapshot"}
)
# What a node says, beside what binding asks of it: read only of those that are gone on with.
SAYING: Final = ("fields", "attributes", "flags", "label")
# Warnings that do not come from the sightings themselves.
_FOLLOWING: Final = frozenset({KEY_REUSED, *LATER_CODES})
_NOTHING: Final = Merged({}, {}, (), [], None)


def goes_on(kind: str, nodes: Sequence[Node], added: Sequence[Sighting]) -> bool:
    """Whether what is added follows after all that these nodes, every one of a key, were made of.

    Where two revisions ended at the same instant, or one is of unknown content, it takes all
    sightings to tell.
    """
    if not nodes or not all(node.resolved for node in nodes):
        return False
    *earlier, last = sorted(node.occurred_at or BEFORE_ALL for node in nodes)
    if last in earlier:
        return False
    if any(one.occurred_at is None or one.occurred_at <= last for one in added):
        return False
    if not KINDS[kind].own_digest:
        return len(nodes) == 1
    if any(node.digest.startswith(ERASED) for node in nodes):
        return False
    if all(node.digest for node in nodes):
        return True
    return len(nodes) == 1 and not any(one.content_digest for one in added)


def moved_elsewhere(
    kind: str,
    keys: Collection[str],
    sightings: Mapping[str, Sequence[Sighting]],
    parents: Mapping[int, Node],
    existing: Mapping[str, Sequence[Node]],
) -> set[str]:
    """Those of the keys of which a sighting has another place than the nodes have."""
    if kind not in IDENTITY_RELATION:
        return set()
    return {
        address
        for address in keys
        for places in [{node.parent_id for node in existing[address]}]
        for one in sightings[address]
        if one.pk not in parents or places != {parents[one.pk].pk}
    }


def rows_gone_on(
    kind: str,
    keys: Mapping[str, tuple[Sequence[Node], Sequence[Seen]]],
    parents: Mapping[int, Node],
    blank: Callable[[str], Node],
) -> dict[str, list[Row]]:
    """The rows of keys that are gone on with, by address, all revisions of each.

    `keys`: their nodes, and what is added; `parents`: the places of the nodes by id; `blank`
    makes a node for a new revision. Only nodes to which something is added are read whole.
    """
    groups = {
        address: group([*map(_stands_in, nodes), *added], own_digest=KINDS[kind].own_digest)
        for address, (nodes, added) in keys.items()
    }
    by_id = {node.pk: node for nodes, _ in keys.values() for node in nodes}
    load_saying(
        [
            by_id[found.seen[0].node_id or 0]
            for some in groups.values()
            for found in some
            if found.seen[0].node_id and len(found.seen) > 1
        ]
    )
    return {
        address: [_row(kind, found, by_id, parents, partial(blank, address)) for found in some]
        for address, some in groups.items()
    }


def _row(
    kind: str,
    found: Group,
    nodes: Mapping[int, Node],
    parents: Mapping[int, Node],
    blank: Callable[[], Node],
) -> Row:
    parent = parents.get(found.parent_id or 0)
    node = nodes.get(found.seen[0].node_id or 0)
    if node is None:
        return Row(blank(), found, merge(kind, found.seen), parent, later=True)
    if len(found.seen) == 1:
        return Row(node, found, _NOTHING, parent, later=False, gone_on=True)
    later = any(flag["code"] == KEY_REUSED for flag in node.flags)
    said = [_saying(found.seen[0], node), *found.seen[1:]]
    return Row(node, found, merge(kind, said), parent, later, gone_on=True)


def _stands_in(node: Node) -> Seen:
    """A node in the place of its sightings, as far as grouping them with later ones goes."""
    return Seen(
        sighting_id=0,
        occurred_at=node.occurred_at,
        record_digest="",
        digest=node.digest,
        parent_id=node.parent_id,
        fields={},
        attributes={},
        flags=(),
        node_id=node.pk,
    )


def _saying(seen: Seen, node: Node) -> Seen:
    """What stands in for the sightings of a node, with all that they say but references."""
    flags = [flag for flag in node.flags if flag["code"] not in _FOLLOWING]
    return seen._replace(fields=node.fields, attributes=node.attributes, flags=flags)


def load_saying(nodes: Collection[Node]) -> None:
    """Read what these nodes say, where that was left out."""
    by_id = {node.pk: node for node in nodes}
    for some in in_chunks(by_id):
        rows = Node.objects.filter(pk__in=some).order_by("pk").values_list("pk", *SAYING)
        for pk, *values in rows:
            by_id[pk].__dict__.update(zip(SAYING, values, strict=True))
