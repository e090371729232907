"""What references meant before: kept as they change, so that a past moment can be told as it was.

Read by lineage.impact.as_of, which undoes it. A reference that a record added needs no row: of a
record that came later it is known that it did.
"""

from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from lineage.ingest.keys import in_chunks
from lineage.models import Node, Rebinding, Reference
from lineage.vocabulary import UPSTREAM_EDGES, Edge
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

# What never bears on an answer leaves no history: a snapshot may drop a million members.
_BEARING: Final = frozenset(UPSTREAM_EDGES)


class SaidNow(NamedTuple):
    """A reference as it stands now, with the node that it means."""

    holder_id: int
    relation: str
    ordinal: int
    target: Node


def other_end(reference: Reference) -> Node | None:
    """The node that a stored reference means."""
    return reference.from_node if reference.edge == Edge.CITES else reference.to_node


def moved(workspace: Workspace, row: Reference, target: Node | None) -> Rebinding:
    """The history of a reference that means this node from now on."""
    old = other_end(row)
    return _kept(workspace, row.holder_id, row.relation, old, target)


def dropped(
    workspace: Workspace, rows: Collection[Reference], says: Iterable[SaidNow]
) -> list[Rebinding]:
    """The history of references that go; `says`: what their holders say from now on.

    What a holder still says in the same field, in another place or by another name, has not
    gone. Where something new stands in the place of what has, that is what it became.
    """
    standing: dict[tuple[int, str], dict[int, Node]] = {}
    still: set[tuple[int, str, int]] = set()
    for one in says:
        standing.setdefault((one.holder_id, one.relation), {})[one.ordinal] = one.target
        still.add((one.holder_id, one.relation, one.target.id))
    ends = [(row, other) for row in rows if (other := other_end(row)) is not None]
    before = {(row.holder_id, row.relation, other.id) for row, other in ends}
    history: list[Rebinding] = []
    for row, other in ends:
        field = (row.holder_id, row.relation)
        if row.edge not in _BEARING or (*field, other.id) in still:
            continue
        # Said twice, it was one edge.
        still.add((*field, other.id))
        became = standing.get(field, {}).get(row.ordinal)
        if became is not None and (*field, became.id) in before:
            became = None
        history.append(_kept(workspace, *field, other, became))
    return history


def recomputed(
    workspace: Workspace,
    relation: str,
    gone: Iterable[tuple[int, int]],
    come: Iterable[tuple[int, int]],
    new: AbstractSet[int],
) -> None:
    """Keep which computed edges went and came, as (holder, node). `new`: nodes that were not there before.

    An edge at a new node needs no row: before, the node was not there.
    """
    changed = [
        (pair, came)
        for pairs, came in ((gone, False), (come, True))
        for pair in sorted(pairs)
        if pair[0] not in new and pair[1] not in new
    ]
    if not changed:
        return
    nodes: dict[int, Node] = {}
    for some in in_chunks({node for (_, node), _ in changed}):
        nodes |= Node.objects.filter(pk__in=some).only("pk", "uid").in_bulk()
    Rebinding.objects.bulk_create(
        _kept(workspace, holder, relation, *((None, node) if came else (node, None)))
        for (holder, to_node), came in changed
        if (node := nodes.get(to_node)) is not None
    )


def _kept(
    workspace: Workspace, holder_id: int, relation: str, old: Node | None, new: Node | None
) -> Rebinding:
    return Rebinding(
        workspace=workspace,
        holder_id=holder_id,
        relation=relation,
        old_uid=old.uid if old is not None else "",
        new_uid=new.uid if new is not None else "",
        recorded_at=clock.now(),
    )
