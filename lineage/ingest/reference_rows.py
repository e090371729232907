"""Reference rows brought in line with what is wanted: the edge table changes only where it differs."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from lineage import bulk_rows
from lineage.impact.made import OutEdge
from lineage.ingest.keys import in_chunks
from lineage.ingest.rebound import Rebound
from lineage.ingest.reference_history import SaidNow, dropped, moved, other_end
from lineage.ingest.relations import Relation
from lineage.ingest.revisions import RefRow
from lineage.models import Node, Rebinding, Reference
from lineage.vocabulary import EDGE_PROPERTIES, Edge
from provexplorer.workspaces.models import Workspace


class Wanted(NamedTuple):
    """A reference as it should stand: what it says, what it means, the edge it makes."""

    holder: Node
    row: RefRow
    relation: Relation
    target: Node | None
    event_at: datetime | None
    resolved: bool = True
    ambiguous: bool = False

    @property
    def status(self) -> str:
        if self.resolved:
            return Reference.Status.BOUND
        return Reference.Status.AMBIGUOUS if self.ambiguous else Reference.Status.UNRESOLVED

    @property
    def ends(self) -> tuple[int | None, int | None]:
        """(from, to) of the edge."""
        target = self.target.id if self.target is not None else None
        ends = (self.holder.id, target)
        return (ends[1], ends[0]) if self.relation.reverse else ends

    @property
    def properties(self) -> dict[str, Any]:
        """Properties of the edge; a number that is not finite was already refused."""
        allowed = EDGE_PROPERTIES.get(self.relation.edge, frozenset())
        properties = {
            name: value for name, value in self.row["properties"].items() if name in allowed
        }
        if self.row["relation"] == "position":
            properties["position"] = self.row["properties"]["position"]
        if self.relation.edge is Edge.WAS_INFLUENCED_BY:
            properties["role"] = self.row["relation"]
        return properties


_REBOUND = ("from_node_id", "to_node_id", "status", "event_at", "properties")
_COLUMNS = (
    "workspace_id", "holder_id", "relation", "ordinal", "pointer", "edge", "kind", "address",
    "anywhere", "digest", "uid_named", *_REBOUND,
)  # fmt: skip


def _place(row: RefRow) -> tuple[Any, ...]:
    return (
        row["relation"], row["ordinal"], row["kind"], row["address"], row["anywhere"],
        row["digest"], row["uid"],
    )  # fmt: skip


def row_of(reference: Reference) -> tuple[RefRow, datetime | None]:
    """A stored reference as it was said, to bind it again."""
    target = other_end(reference)
    return (
        {
            "relation": reference.relation,
            "kind": reference.kind,
            "namespace": None if reference.anywhere else (target.namespace if target else ""),
            "key": target.key if target else "",
            "address": reference.address,
            "anywhere": reference.anywhere,
            "digest": reference.digest,
            "uid": reference.uid_named,
            "ordinal": reference.ordinal,
            "pointer": reference.pointer,
            "properties": reference.properties,
        },
        reference.event_at,
    )


def is_strayed(reference: Reference) -> bool:
    """Whether it is bound to a node of another key than it names: by an alias."""
    target = other_end(reference)
    if target is None or reference.uid_named:
        return False
    if reference.anywhere:
        return target.anywhere != reference.anywhere
    return target.address != reference.address


def bring_rows_in_line(
    workspace: Workspace,
    wanted: Sequence[Wanted],
    old_rows: Mapping[int, Sequence[Reference]],
    rebound: Rebound,
) -> set[int]:
    """Write the difference; the holders whose references changed. Tells `rebound` which edges came or went."""
    old = {
        (row.holder_id, *_place(row_of(row)[0])): row for rows in old_rows.values() for row in rows
    }
    new: list[bulk_rows.Row] = []
    updated: list[bulk_rows.Row] = []
    history: list[Rebinding] = []
    changed: set[int] = set()
    for want in wanted:
        row = old.pop((want.holder.id, *_place(want.row)), None) if old else None
        from_id, to_id = want.ends
        says = (from_id, to_id, want.status, want.event_at, want.properties)
        if row is None:
            new.append(_columns(workspace, want, says))
            _remember(rebound, want, says)
            tell(rebound, want.relation.edge, from_id, to_id)
            changed.add(want.holder.id)
            continue
        if (row.from_node_id, row.to_node_id, row.status, row.event_at, row.properties) == says:
            continue
        changed.add(want.holder.id)
        updated.append((*says, row.pk))
        if (row.from_node_id, row.to_node_id, row.status, row.properties) == (
            from_id, to_id, want.status, want.properties,
        ):  # fmt: skip
            # Said again at another time, it is the edge that it was.
            continue
        if (row.from_node_id, row.to_node_id) != (from_id, to_id):
            tell(rebound, want.relation.edge, row.from_node_id, row.to_node_id)
            rebound.let_go |= {one for one in (row.from_node_id, row.to_node_id) if one}
            history.append(moved(workspace, row, want.target))
        tell(rebound, want.relation.edge, from_id, to_id)
        rebound.made.doubt((row.from_node_id, from_id))
    history += _dropped(workspace, wanted, old.values())
    for row in old.values():
        rebound.made.doubt((row.from_node_id,))
        tell(rebound, row.edge, row.from_node_id, row.to_node_id)
        rebound.let_go |= {one for one in (row.from_node_id, row.to_node_id) if one}
        changed.add(row.holder_id)
    for chunk in in_chunks([row.pk for row in old.values()]):
        Reference.objects.filter(pk__in=chunk).delete()
    bulk_rows.insert(Reference, _COLUMNS, new)
    bulk_rows.update(Reference, _REBOUND, updated)
    Rebinding.objects.bulk_create(history)
    return changed


def remove_rows_of(holders: Collection[int], rebound: Rebound) -> None:
    """Remove all that these nodes say, as they leave. Tells `rebound` which edges went."""
    for chunk in in_chunks(holders):
        held = Reference.objects.filter(holder_id__in=chunk)
        for edge, from_id, to_id in held.order_by("pk").values_list(
            "edge", "from_node_id", "to_node_id"
        ):
            tell(rebound, edge, from_id, to_id)
            rebound.let_go |= {one for one in (from_id, to_id) if one}
        held.delete()


def _columns(workspace: Workspace, want: Wanted, says: tuple[Any, ...]) -> bulk_rows.Row:
    """A new row in the order of _COLUMNS; `says` are its last ones."""
    row = want.row
    return (
        workspace.pk, want.holder.id, row["relation"], row["ordinal"], row["pointer"][:200],
        want.relation.edge.value, row["kind"], row["address"], row["anywhere"], row["digest"],
        row["uid"], *says,
    )  # fmt: skip


def _remember(rebound: Rebound, want: Wanted, says: tuple[Any, ...]) -> None:
    """Tell `rebound` of a new row that makes an edge; `says` as `_columns` has it."""
    target = want.target
    if target is None:
        return
    start, end = (target, want.holder) if want.relation.reverse else (want.holder, target)
    relation, ordinal = want.row["relation"], want.row["ordinal"]
    edge = want.relation.edge.value
    rebound.made.add(
        start.id, OutEdge(edge, end.id, end.kind, end.uid, relation, ordinal, says[-1])
    )


def _dropped(
    workspace: Workspace, wanted: Sequence[Wanted], gone: Collection[Reference]
) -> list[Rebinding]:
    holders = {row.holder_id for row in gone}
    says = (
        SaidNow(want.holder.id, want.row["relation"], want.row["ordinal"], want.target)
        for want in (wanted if holders else ())
        if want.target is not None and want.holder.id in holders
    )
    return dropped(workspace, gone, says)


def tell(rebound: Rebound, edge: str, from_id: int | None, to_id: int | None) -> None:
    """Note that an edge between these nodes has come or gone."""
    if from_id is None or to_id is None:
        return
    rebound.from_nodes.add(from_id)
    if edge == Edge.STATED_IN:
        rebound.answers.add(to_id)
    elif edge == Edge.USED:
        rebound.runs.add(from_id)
    elif edge == Edge.WAS_GENERATED_BY:
        rebound.runs.add(to_id)
    elif edge == Edge.WAS_REVISION_OF:
        rebound.revisions.add((from_id, to_id))
