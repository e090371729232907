"""Brings the nodes of touched keys in line with their sightings, kind by kind in stage order.

A node's place (Kind.parent) is part of its identity, so that a parent which
arrives late, settles or moves carries its children with it.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

from lineage import bulk_rows
from lineage.identifiers import anywhere_of, text_digest
from lineage.ingest.bound_again import Known, bound_again_from, known_of
from lineage.ingest.going_on import (
    GOING_ON,
    SAYING,
    goes_on,
    load_saying,
    moved_elsewhere,
    rows_gone_on,
)
from lineage.ingest.keys import Keys
from lineage.ingest.named_by_uid import WaitingForUids
from lineage.ingest.node_rows import WITHIN_PARENT, ParentTexts, Row, RowFiller
from lineage.ingest.node_settling import Settling, place_of
from lineage.ingest.node_writes import park
from lineage.ingest.placeholders import placeholder_for
from lineage.ingest.relations import IDENTITY_RELATION
from lineage.ingest.revisions import REFS, Group, RefRow, Seen, group, merge
from lineage.ingest.seen_before import sightings_of
from lineage.ingest.sightings import Recorded, append
from lineage.ingest.surroundings import PLACES, Surroundings
from lineage.ingest.touched import Touched
from lineage.models import Node, Sighting
from lineage.vocabulary import APPLY_ORDER, KINDS
from provexplorer import clock
from provexplorer.clock import BEFORE_ALL
from provexplorer.workspaces.models import Workspace


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
        self._fewer = recorded.fewer
        self._added = recorded.added
        # Keys that follow their place, which has changed.
        self._carried: set[str] = set()
        self._texts = ParentTexts(recorded.texts)
        self._filler = RowFiller(workspace, recorded.texts, self._texts)
        self.touched = Touched(WaitingForUids(workspace))
        self._settling = Settling(workspace, self._filler, recorded, self.touched)

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
                        self._carried.add(child_address)
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
        existing, going_on = self._existing(kind, addresses)
        sightings = self._sightings(addresses - going_on) | {
            address: self._added[address] for address in going_on
        }
        parents = self._parents(kind, [one for some in sightings.values() for one in some])
        if moved := moved_elsewhere(kind, going_on, sightings, parents, existing):
            going_on -= moved
            whole = self._sightings(moved)
            sightings |= whole
            parents |= self._parents(kind, [one for some in whole.values() for one in some])
            load_saying([node for address in moved for node in existing[address]])
        by_id = {parent.pk: parent for parent in parents.values()}
        if kind in WITHIN_PARENT:
            self._texts.load(list(by_id.values()))
        of_key: dict[str, list[Row]] = {}
        left_over: list[Node] = []
        seen = {
            address: [self._seen(kind, one, parents.get(one.pk)) for one in some]
            for address, some in sightings.items()
        }
        for address in sorted(seen.keys() - going_on):
            free = {node.pk: node for node in existing[address]}
            orphans = free.keys() - {one.node_id for one in seen[address]}
            of_key[address] = [
                Row(
                    _row_for(found, free, orphans) or self._blank(kind, address, existing[address]),
                    found,
                    merge(kind, found.seen),
                    by_id.get(found.parent_id or 0),
                    place > 0,
                )
                for place, found in enumerate(
                    group(seen[address], own_digest=KINDS[kind].own_digest)
                )
            ]
            left_over += [node for node in free.values() if node.resolved]
        of_key |= rows_gone_on(
            kind, {at: (existing[at], seen[at]) for at in going_on}, by_id,
            lambda address: self._blank(kind, address, existing[address]),
        )  # fmt: skip
        rows = [row for address in sorted(of_key) for row in of_key[address]]
        for node in left_over:
            self.touched.vacated |= place_of(node)
        park(left_over)
        heirs = {seen.node_id: row.node for row in rows for seen in row.group.seen}
        self.touched.left_over |= {node.pk: (node.uid, heirs.get(node.pk)) for node in left_over}
        owners = {node.pk: node.owner_id for some in existing.values() for node in some}
        before = {at: {node.pk: known_of(node) for node in some} for at, some in existing.items()}
        changed = self._settling.settle(kind, rows, owners)
        # Whatever has its place in these asks for their sightings.
        append(
            [
                one
                for address in sorted(addresses & self._first.keys())
                for one in self._first[address]
            ]
        )
        fewer = self._fewer.union(node.address for node in left_over)
        self._note_binding(rows, before, fewer)
        changed += self._settling.unsay(
            [node for address in addresses - sightings.keys() for node in existing[address]]
        )
        self._keys.forget(addresses)
        self._note_only(rows, existing)
        self._texts.forget(changed)
        # Among several revisions, a new sighting of one may take references from another.
        in_several = [row.node for some in of_key.values() if len(some) > 1 for row in some]
        return [*changed, *left_over, *in_several]

    def _existing(self, kind: str, addresses: set[str]) -> tuple[dict[str, list[Node]], set[str]]:
        """The nodes of these keys, and the keys that are only gone on with (lineage.ingest.going_on).

        What nodes of the latter say is not read yet.
        """
        maybe: set[str] = set()
        if kind in GOING_ON:
            maybe = (addresses & self._added.keys()) - self._carried - self._fewer
        existing = self._around.nodes_at(addresses - maybe)
        some = self._around.nodes_at(maybe, without=SAYING)
        going_on = {at for at in maybe if goes_on(kind, some.get(at, ()), self._added[at])}
        load_saying([node for at in maybe - going_on for node in some.get(at, ())])
        existing.update(some)
        return existing, going_on

    def _sightings(self, addresses: set[str]) -> dict[str, list[Sighting]]:
        """All sightings of these keys; keys without any are missing."""
        first = {at: self._first[at] for at in addresses & self._first.keys()}
        return first | sightings_of(self._workspace.pk, addresses - first.keys())

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

    def _note_binding(
        self,
        rows: Sequence[Row],
        before: Mapping[str, Mapping[int, Known | None]],
        fewer: Collection[str],
    ) -> None:
        """Note from which event on references to the keys of the rows bind again.

        `rows`: in the order of their addresses, all of each key; `before`: by address, what
        was known of its nodes by id; `fewer`: keys that lost a node or a sighting.
        """
        for address, some in groupby(rows, key=lambda row: row.node.address):
            of_key = list(some)
            had = before.get(address, {})
            since = BEFORE_ALL if address in fewer else bound_again_from(of_key, had)
            if since is not None:
                self.touched.binds_again(of_key[0].node, since)


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
