"""Brings the nodes of touched keys in line with their sightings, kind by kind in stage order.

A node's place (Kind.parent) is part of its identity, so that a parent which
arrives late, settles or moves carries its children with it.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat

from lineage import bulk_rows
from lineage.identifiers import anywhere_of, text_digest
from lineage.ingest.keys import PARKED, Keys, in_chunks
from lineage.ingest.named_by_uid import WaitingForUids
from lineage.ingest.node_rows import (
    COLUMNS,
    WITHIN_PARENT,
    ParentTexts,
    Row,
    RowFiller,
    matters_to_children,
    state,
    unsay,
)
from lineage.ingest.placeholders import placeholder_for
from lineage.ingest.relations import IDENTITY_RELATION
from lineage.ingest.revisions import REFS, Group, Merged, RefRow, Seen, group, merge
from lineage.ingest.search_forget import forget_words
from lineage.ingest.sightings import Recorded
from lineage.ingest.surroundings import PLACES, Surroundings
from lineage.models import Node, Sighting, UidAlias
from lineage.vocabulary import APPLY_ORDER, KINDS
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

_EVERY_COLUMN = (
    "workspace_id", "kind", "namespace", "key", "address", "anywhere", "event_at", "recorded_at",
    *COLUMNS,
)  # fmt: skip


@dataclass(slots=True)
class Touched:
    """What bringing nodes in line has changed, for the steps after it."""

    waiting: WaitingForUids
    nodes: dict[int, Node] = field(default_factory=dict)
    merged: dict[int, Merged] = field(default_factory=dict)
    # Keys whose revisions came, went or moved: references to them bind again.
    addresses: set[str] = field(default_factory=set)
    anywhere: set[str] = field(default_factory=set)
    # Nodes whose own row changed: the graph must learn of them.
    changed: set[int] = field(default_factory=set)
    # Nodes that have another uid now: the edges that lead to them are others.
    moved: set[int] = field(default_factory=set)
    # Nodes that no sighting makes any more → their uid, and the node that has their sightings now.
    left_over: dict[int, tuple[str, Node | None]] = field(default_factory=dict)
    # (kind, parent, start, end) of intervals that a chunk or a part had and has no more.
    vacated: set[tuple[str, int, int, int]] = field(default_factory=set)
    # Nodes of keys that nobody speaks of any more: placeholders now, until nothing names them.
    unsaid: set[int] = field(default_factory=set)
    # Nodes made by this request: nothing stands in the store about them yet.
    new: set[int] = field(default_factory=set)
    # Address → the only node of its key, where this request made it.
    only: dict[str, Node] = field(default_factory=dict)


class NodeKeeper:
    """Keeps the nodes of one workspace while one request is applied.

    `recorded`: what the request has added to the sightings.
    """

    def __init__(
        self,
        workspace: Workspace,
        keys: Keys,
        recorded: Recorded,
    ) -> None:
        self._workspace = workspace
        self._keys = keys
        self._names = recorded.names
        self._first = recorded.first
        self._withdrawn = recorded.withdrawn
        self._texts = ParentTexts(recorded.texts)
        self._filler = RowFiller(workspace, recorded.texts, self._texts)
        self.touched = Touched(WaitingForUids(workspace))

        self._new_at = recorded.addresses
        self._now = clock.now()
        self._around = Surroundings(workspace, recorded.names)

    def bring_in_line(self) -> Touched:
        """Bring the keys of new sightings in line, and those that have their place in them."""
        dirty: dict[str, set[str]] = defaultdict(set)
        for kind, some in self._new_at.items():
            dirty[kind] |= some
        self._around.look_at({address for some in dirty.values() for address in some})
        for kind in APPLY_ORDER:
            if dirty[kind]:
                changed = self._kind(kind, dirty[kind])
                if kind in PLACES:
                    for child_kind, child_address in self._children(changed):
                        dirty[child_kind].add(child_address)
        self._filler.store_kept()
        self._filler.let_go(self._withdrawn)
        return self.touched

    def _children(self, changed: Sequence[Node]) -> set[tuple[str, str]]:
        """(kind, address) of the keys that have their place in one of the changed nodes."""
        by_alias = self._keys.aliases.leading_to({node.address for node in changed})
        found = self._around.placed_in(changed, also=by_alias)
        for naming in self.touched.waiting.naming({node.uid for node in changed}):
            if IDENTITY_RELATION.get(naming.holder_kind) == naming.relation:
                found.add((naming.holder_kind, naming.holder_address))
        return found

    def _kind(self, kind: str, addresses: set[str]) -> list[Node]:
        """Bring one kind in line; the nodes that their children must follow."""
        sightings: dict[str, list[Sighting]] = defaultdict(list)
        for address in addresses & self._first.keys():
            sightings[address] = self._first[address]
        for chunk in in_chunks(addresses - self._first.keys()):
            for sighting in Sighting.objects.filter(
                workspace=self._workspace, address__in=chunk
            ).order_by("pk"):
                sightings[sighting.address].append(sighting)
        existing = self._around.nodes_at(addresses)
        parents = self._parents(kind, [one for some in sightings.values() for one in some])
        by_id = {parent.pk: parent for parent in parents.values()}
        if kind in WITHIN_PARENT:
            self._texts.load(list(by_id.values()))
        rows: list[Row] = []
        left_over: list[Node] = []
        for address in sorted(sightings):
            seen = [self._seen(kind, one, parents.get(one.pk)) for one in sightings[address]]
            free = {node.pk: node for node in existing[address]}
            orphans = free.keys() - {one.node_id for one in seen}
            for place, found in enumerate(group(seen, own_digest=KINDS[kind].own_digest)):
                node = _row_for(found, free, orphans) or self._blank(
                    kind, address, existing[address]
                )
                rows.append(
                    Row(
                        node,
                        found,
                        merge(kind, found.seen),
                        by_id.get(found.parent_id or 0),
                        place > 0,
                    )
                )
            left_over += [node for node in free.values() if node.resolved]
        for node in left_over:
            self.touched.vacated |= _place(node)
        self._park(left_over)
        heirs = {seen.node_id: row.node for row in rows for seen in row.group.seen}
        self.touched.left_over |= {node.pk: (node.uid, heirs.get(node.pk)) for node in left_over}
        owners = {node.pk: node.owner_id for some in existing.values() for node in some}
        changed = self._settle(kind, rows, owners)
        changed += self._unsaid(
            [node for address in addresses - sightings.keys() for node in existing[address]]
        )
        self._keys.forget(addresses)
        self._note_only(rows, existing)
        self._texts.forget(changed)
        # Among several revisions, a new sighting of one may take references from another.
        several = {row.node.address for row in rows if row.later}
        in_several = [row.node for row in rows if row.node.address in several]
        return [*changed, *left_over, *in_several]

    def _note_only(self, rows: Sequence[Row], existing: Mapping[str, Sequence[Node]]) -> None:
        """Note the keys that have one node, made just now, and nothing else in the store."""
        several = {row.node.address for row in rows if row.later}
        only = {
            row.node.address: row.node
            for row in rows
            if row.node.address not in several and not existing.get(row.node.address)
        }
        self.touched.only |= only
        self._keys.know(only)

    def _parents(self, kind: str, sightings: Sequence[Sighting]) -> dict[int, Node]:
        """The node that is the place of each sighting, by sighting id; a placeholder where it is unknown."""
        relation = IDENTITY_RELATION.get(kind)
        if relation is None:
            return {}
        rows: dict[int, RefRow] = {
            sighting.pk: row
            for sighting in sightings
            for row in sighting.fields.get(REFS, {}).get(relation, ())
        }
        self._keys.load(rows.values())
        found: dict[int, Node] = {}
        for sighting in sightings:
            row = rows.get(sighting.pk)
            if row is None:
                continue
            bound = self._keys.bind(row, sighting.occurred_at)
            if bound.node_id is not None:
                found[sighting.pk] = self._keys.node(bound.node_id, row)
            elif placeholder := placeholder_for(self._workspace, self._keys, row):
                found[sighting.pk] = placeholder
                self.touched.only.pop(placeholder.address, None)
                self._around.came(placeholder)
        return found

    def _seen(self, kind: str, sighting: Sighting, parent: Node | None) -> Seen:
        digest = sighting.content_digest
        if not digest and kind in WITHIN_PARENT and parent is not None:
            digest = self._texts.slice_digest(sighting.fields, parent)
        elif not digest and kind in ("embedding", "fact"):
            own = sorted((name, value) for name, value in sighting.fields.items() if name != REFS)
            digest = text_digest(repr(own))
        return Seen(
            sighting_id=sighting.pk,
            occurred_at=sighting.occurred_at,
            record_digest=sighting.digest,
            digest=digest,
            parent_id=parent.pk if parent is not None else None,
            fields=sighting.fields,
            attributes=sighting.attributes,
            flags=sighting.flags,
            node_id=sighting.node_id,
        )

    def _blank(self, kind: str, address: str, siblings: Sequence[Node]) -> Node:
        if address in self._names:
            _, namespace, key = self._names[address]
        else:
            namespace, key = siblings[0].namespace, siblings[0].key
        return bulk_rows.instance(
            Node,
            workspace_id=self._workspace.pk,
            kind=kind,
            namespace=namespace,
            key=key,
            address=address,
            anywhere=anywhere_of(self._workspace.hash_key, kind, key),
            recorded_at=self._now,
        )

    @staticmethod
    def _park(nodes: Sequence[Node]) -> None:
        """Free the uids of nodes that leave or move: another node may take them in the same request."""
        for chunk in in_chunks([node.pk for node in nodes]):
            Node.objects.filter(pk__in=chunk).update(
                uid=Concat(Value(PARKED), Cast("pk", CharField()))
            )

    def _settle(
        self, kind: str, rows: Sequence[Row], owners: Mapping[int, int | None]
    ) -> list[Node]:
        """Write the rows; the nodes whose children must follow."""
        new = [row.node for row in rows if row.node.pk is None]
        updated: list[Node] = []
        moving: list[Node] = []
        aliases: list[tuple[str, Node]] = []
        changed: list[Node] = list(new)
        self._filler.read_quotes(kind, rows)
        for row in rows:
            node = row.node
            if node.pk is None:
                self._filler.fill(kind, row)
                continue
            before, for_children = state(node), matters_to_children(node)
            old_uid, place = node.uid, _place(node)
            self._filler.fill(kind, row)
            if kind == "source_version":
                node.version_id = node.pk
            if node.owner_id is None:
                node.owner_id = node.pk
            if state(node) != before:
                updated.append(node)
            if matters_to_children(node) != for_children:
                changed.append(node)
            if place != _place(node):
                self.touched.vacated |= place
            if old_uid != node.uid:
                moving.append(node)
                aliases.append((old_uid, node))
        self._park(moving)
        _insert(kind, new)
        bulk_rows.update(Node, COLUMNS, [(*state(node), node.pk) for node in updated])
        self._lead_on(aliases)
        self._filler.keep_texts(rows, owners)
        _assign(rows)
        for row in rows:
            self.touched.nodes[row.node.pk] = row.node
            self.touched.merged[row.node.pk] = row.merged
            # A new sighting may change where references of its time bind.
            self.touched.addresses.add(row.node.address)
            self.touched.anywhere.add(row.node.anywhere)
        self.touched.changed |= {node.pk for node in (*new, *updated)}
        self.touched.new |= {node.pk for node in new}
        self.touched.moved |= {node.pk for node in moving}
        return changed

    def _unsaid(self, nodes: Sequence[Node]) -> list[Node]:
        """Make placeholders of nodes whose every sighting has gone; whatever names them still does."""
        unsaid = [node for node in nodes if node.resolved]
        touched = self.touched
        for node in unsaid:
            old_uid = node.uid
            touched.vacated |= _place(node)
            unsay(node)
            # Of several revisions one is enough; the others leave, and it is their heir.
            heir = Node.objects.filter(uid=node.uid).exclude(pk=node.pk).first()
            if heir is not None:
                self._park([node])
                touched.left_over[node.pk] = (old_uid, heir)
                continue
            node.save(update_fields=[*COLUMNS, "event_at"])
            forget_words(self._workspace.pk, [node.pk])
            if old_uid != node.uid:
                self._lead_on([(old_uid, node)])
                touched.moved.add(node.pk)
            touched.nodes[node.pk] = node
            touched.merged[node.pk] = merge(node.kind, ())
            touched.addresses.add(node.address)
            touched.anywhere.add(node.anywhere)
            touched.changed.add(node.pk)
            touched.unsaid.add(node.pk)
        return unsaid

    def _lead_on(self, moved: Sequence[tuple[str, Node]]) -> None:
        """Former addresses lead on to their nodes, unless another node has one of them now."""
        for some in in_chunks([node.uid for _, node in moved]):
            UidAlias.objects.filter(uid__in=some).delete()
        for pairs in in_chunks(moved):
            held = Node.objects.filter(uid__in=[old_uid for old_uid, _ in pairs])
            taken = set(held.values_list("uid", flat=True))
            UidAlias.objects.bulk_create(
                [
                    UidAlias(uid=old_uid, workspace=self._workspace, node=node)
                    for old_uid, node in pairs
                    if old_uid not in taken
                ],
                update_conflicts=True,
                update_fields=["workspace", "node"],
                unique_fields=["uid"],
            )


def _place(node: Node) -> set[tuple[str, int, int, int]]:
    """The interval that a chunk or part has in its document, if it has one."""
    if node.kind not in ("chunk", "part") or None in (node.parent_id, node.start, node.end):
        return set()
    return {(node.kind, node.parent_id or 0, node.start or 0, node.end or 0)}


def _insert(kind: str, nodes: Sequence[Node]) -> None:
    """Write nodes that have no id yet, and tell them theirs.

    Nodes that own their texts, and versions that guard themselves, name themselves.
    """
    for node, pk in zip(nodes, bulk_rows.reserve(Node, len(nodes)), strict=True):
        node.pk = pk
        if node.owner_id is None:
            node.owner_id = pk
        if kind == "source_version":
            node.version_id = pk
    bulk_rows.insert(
        Node,
        ("pk", *_EVERY_COLUMN),
        [(node.pk, *(getattr(node, name) for name in _EVERY_COLUMN)) for node in nodes],
    )


def _row_for(found: Group, free: dict[int, Node], orphans: Collection[int]) -> Node | None:
    """The row that stays this revision's: one of its sightings', else the key's placeholder, else an orphan.

    Orphans are rows that no sighting makes any more.
    """
    for seen in found.seen:
        if seen.node_id in free:
            return free.pop(seen.node_id)
    for node in free.values():
        if not node.resolved:
            return free.pop(node.pk)
    for pk in sorted(free.keys() & set(orphans)):
        return free.pop(pk)
    return None


def _assign(rows: Sequence[Row]) -> None:
    """Tell each sighting which node it belongs to."""
    pairs = [
        (row.node.pk, seen.sighting_id)
        for row in rows
        for seen in row.group.seen
        if seen.node_id != row.node.pk
    ]
    bulk_rows.update(Sighting, ["node_id"], pairs)
