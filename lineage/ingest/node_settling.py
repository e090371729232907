"""Writes what the nodes of one kind say now, and notes what that has changed for all that hangs on them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lineage import bulk_rows
from lineage.ingest.bound_again import is_as_before
from lineage.ingest.node_rows import COLUMNS, Row, RowFiller, matters_to_children, state, unsay
from lineage.ingest.node_writes import Numbers, assign, insert, lead_on, park
from lineage.ingest.revisions import merge
from lineage.ingest.search_forget import forget_words
from lineage.ingest.sightings import Recorded
from lineage.ingest.touched import Touched
from lineage.models import Node
from provexplorer.workspaces.models import Workspace


class _Refilled(NamedTuple):
    """Whether a node's row is another now, also for those that have their place in it; its uid before."""

    another: bool
    to_children: bool
    old_uid: str


class Settling:
    """Keeps `touched` while the rows of one request are written, kind by kind."""

    def __init__(
        self, workspace: Workspace, filler: RowFiller, recorded: Recorded, touched: Touched
    ) -> None:
        self._workspace = workspace
        self._filler = filler
        self._fewer = recorded.fewer
        self._unwritten = {one.pk: one for some in recorded.first.values() for one in some}
        self._numbers = Numbers(len(recorded.first))
        self.touched = touched

    def settle(
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
            if row.gone_on and is_as_before(row):
                continue
            if node.pk is None:
                self._filler.fill(kind, row)
                continue
            filled = self._refill(kind, row)
            if filled.another:
                updated.append(node)
            if filled.to_children:
                changed.append(node)
            if filled.old_uid != node.uid:
                moving.append(node)
                aliases.append((filled.old_uid, node))
        park(moving)
        insert(kind, new, self._numbers)
        bulk_rows.update(Node, COLUMNS, [(*state(node), node.pk) for node in updated])
        lead_on(self._workspace, aliases)
        self._filler.keep_texts(rows, owners)
        assign(rows, self._unwritten)
        written = {node.pk for node in (*new, *updated)}
        for row in rows:
            # A revision that nothing was added to says what it said.
            if not is_as_before(row) or row.node.pk in written or row.node.address in self._fewer:
                self.touched.nodes[row.node.pk] = row.node
                self.touched.merged[row.node.pk] = row.merged
                if row.gone_on:
                    self.touched.gone_on.add(row.node.pk)
        self.touched.changed |= written
        self.touched.new |= {node.pk for node in new}
        self.touched.said_anew |= self.touched.new
        self.touched.moved |= {node.pk for node in moving}
        return changed

    def _refill(self, kind: str, row: Row) -> "_Refilled":
        """Fill the row of a node that is there; what that has changed."""
        node = row.node
        before, for_children = state(node), matters_to_children(node)
        said = (node.resolved, node.fields, node.attributes)
        old_uid, place = node.uid, place_of(node)
        self._filler.fill(kind, row)
        if kind == "source_version":
            node.version_id = node.pk
        if node.owner_id is None:
            node.owner_id = node.pk
        if said != (node.resolved, node.fields, node.attributes):
            self.touched.said_anew.add(node.pk)
        if place != place_of(node):
            self.touched.vacated |= place
        return _Refilled(state(node) != before, matters_to_children(node) != for_children, old_uid)

    def unsay(self, nodes: Sequence[Node]) -> list[Node]:
        """Make placeholders of nodes whose every sighting has gone; whatever names them still does."""
        unsaid = [node for node in nodes if node.resolved]
        touched = self.touched
        for node in unsaid:
            old_uid = node.uid
            touched.vacated |= place_of(node)
            unsay(node)
            # Of several revisions one is enough; the others leave, and it is their heir.
            heir = Node.objects.filter(uid=node.uid).exclude(pk=node.pk).first()
            if heir is not None:
                park([node])
                touched.left_over[node.pk] = (old_uid, heir)
                continue
            node.save(update_fields=[*COLUMNS, "event_at"])
            forget_words(self._workspace.pk, [node.pk])
            if old_uid != node.uid:
                lead_on(self._workspace, [(old_uid, node)])
                touched.moved.add(node.pk)
            touched.nodes[node.pk] = node
            touched.merged[node.pk] = merge(node.kind, ())
            touched.binds_again(node)
            touched.changed.add(node.pk)
            touched.said_anew.add(node.pk)
            touched.unsaid.add(node.pk)
        return unsaid


def place_of(node: Node) -> set[tuple[str, int, int, int]]:
    """The interval that a chunk or part has in its document, if it has one."""
    if node.kind not in ("chunk", "part") or None in (node.parent_id, node.start, node.end):
        return set()
    return {(node.kind, node.parent_id or 0, node.start or 0, node.end or 0)}
