"""Keys and their revisions, looked up in bulk while one request is applied."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, TypeVar

from lineage.ingest.aliases import Aliases
from lineage.ingest.bind import Bound, Revision, SightingOrder, bind, sighting_order
from lineage.ingest.revisions import RefRow
from lineage.ingest.seen_before import orders_since
from lineage.models import Node
from provexplorer.clock import BEFORE_ALL
from provexplorer.workspaces.models import Workspace

# The uid of a node that is about to leave or to move starts with this, and with no kind's prefix.
PARKED = "~"
# Below SQLite's limit of 32,766 variables in a statement.
_CHUNK = 2_000
_ANY_EVENTS: Final[Mapping[str, Collection[datetime]]] = {}
_T = TypeVar("_T")


def in_chunks(values: Collection[_T]) -> Iterable[list[_T]]:
    """The values in lists short enough for the parameters of one statement."""
    every = list(values)
    for start in range(0, len(every), _CHUNK):
        yield every[start : start + _CHUNK]


def _decides(revisions: Sequence[Node], events: Collection[datetime] | None) -> datetime | None:
    """From when on sightings of a key decide where these events are bound; None: none does."""
    if events is None or len({node.digest for node in revisions}) < len(revisions):
        # Of one digest at several places, too, the time decides.
        return BEFORE_ALL
    lasts = [node.occurred_at or BEFORE_ALL for node in revisions]
    return min(
        (max((last for last in lasts if last <= event), default=BEFORE_ALL) for event in events),
        default=None,
    )


class Keys:
    """The nodes behind addresses, loaded once and forgotten when their kind is brought in line."""

    def __init__(
        self, workspace: Workspace, *, slim: bool = False, aliases: Aliases | None = None
    ) -> None:
        self._workspace = workspace
        # Binding needs no fields; only places whose text is read do.
        self._slim = slim
        self._by_address: dict[str, list[Node]] = {}
        self._by_anywhere: dict[str, list[Node]] = {}
        self._by_uid: dict[str, Node | None] = {}
        # Orders of sightings by node, and from when on those of a key are known.
        self._orders: dict[int, tuple[SightingOrder, ...]] = {}
        self._since: dict[str, datetime] = {}
        self.aliases = Aliases(workspace) if aliases is None else aliases

    def know(self, only: Mapping[str, Node]) -> None:
        """Make keys known without a look-up: by address, the only node that each has."""
        for address, node in only.items():
            self._by_address[address] = [node]

    def load(
        self, rows: Iterable[RefRow], events: Mapping[str, Collection[datetime]] = _ANY_EVENTS
    ) -> None:
        """Load what the references name, with few queries.

        `events`: of addresses that references without a digest name, the only instants at
        which they will bind.
        """
        rows = list(rows)
        addresses = {row["address"] for row in rows if row["address"]}
        by_alias = self.aliases.load(rows)
        addresses = (addresses | by_alias) - self._by_address.keys()
        anywhere = {row["anywhere"] for row in rows if row["anywhere"]} - self._by_anywhere.keys()
        uids = {row["uid"] for row in rows if row["uid"]} - self._by_uid.keys()
        # Not those that are leaving with this request.
        nodes = Node.objects.filter(workspace=self._workspace).exclude(uid__startswith=PARKED)
        if self._slim:
            nodes = nodes.defer("fields", "attributes", "flags", "label")
        for address in addresses:
            self._by_address[address] = []
        for chunk in in_chunks(addresses):
            for node in nodes.filter(address__in=chunk).order_by("pk"):
                self._by_address[node.address].append(node)
        for value in anywhere:
            self._by_anywhere[value] = []
        for chunk in in_chunks(anywhere):
            for node in nodes.filter(anywhere__in=chunk).order_by("pk"):
                self._by_anywhere[node.anywhere].append(node)
        for uid in uids:
            self._by_uid[uid] = None
        for chunk in in_chunks(uids):
            for node in nodes.filter(uid__in=chunk):
                self._by_uid[node.uid] = node
            missing = [uid for uid in chunk if self._by_uid[uid] is None]
            aliases = nodes.filter(aliases__uid__in=missing).prefetch_related("aliases")
            for node in aliases if missing else ():
                for alias in node.aliases.all():
                    self._by_uid[alias.uid] = node
        named = {row["address"] for row in rows if row["address"]} - by_alias
        self._load_orders([self._by_address[address] for address in named], events)
        self._load_orders([self._by_address[address] for address in by_alias], _ANY_EVENTS)
        self._load_orders([self._by_anywhere[value] for value in anywhere], _ANY_EVENTS)

    def _load_orders(
        self, pools: Iterable[list[Node]], events: Mapping[str, Collection[datetime]]
    ) -> None:
        """Only keys with several revisions need the times of their sightings.

        For `events` no earlier ones than those that can decide: where a revision was seen
        last before an event, nothing before that does.
        """
        since: dict[str, datetime] = {}
        for pool in pools:
            revisions: dict[str, list[Node]] = {}
            for node in pool:
                if node.resolved:
                    revisions.setdefault(node.address, []).append(node)
            for address, some in revisions.items():
                if len(some) > 1 and (at := _decides(some, events.get(address))) is not None:
                    since[address] = at
        wanted = {
            address: at
            for address, at in since.items()
            if address not in self._since or at < self._since[address]
        }
        self._since |= wanted
        orders: dict[int, list[SightingOrder]] = {}
        for node_id, occurred_at, digest in orders_since(self._workspace.pk, wanted):
            orders.setdefault(node_id, []).append(sighting_order(occurred_at, digest))
        for node_id, found in orders.items():
            self._orders[node_id] = tuple(found)

    def forget(self, addresses: Collection[str]) -> None:
        """Drop what is known of these keys: their nodes have changed."""
        for address in addresses:
            self._by_address.pop(address, None)
            self._since.pop(address, None)
        self._by_anywhere.clear()
        self._by_uid.clear()

    def bind(self, row: RefRow, event_at: datetime | None) -> Bound:
        """The node that a loaded reference means at its event time: of its own key, else by an alias."""
        bound = self._bound(row, event_at)
        if bound.node_id is None and (meant := self.meant(row)) is not None:
            by_alias = self._bound(meant, event_at)
            return bound if by_alias.node_id is None else by_alias
        return bound

    def meant(self, row: RefRow) -> RefRow | None:
        """The loaded reference as an alias has it; None without one, and where its own key is known.

        Among several nodes of its own key an alias may tell which is meant.
        """
        alias = self.aliases.of(row)
        if alias is None:
            return None
        own = {node.address for node in self._pool(row) if node.resolved}
        if own and alias.target_address not in own:
            return None
        digest = row["digest"] or alias.target_digest
        return {**row, "address": alias.target_address, "anywhere": "", "digest": digest}

    def _bound(self, row: RefRow, event_at: datetime | None) -> Bound:
        if row["uid"]:
            node = self._by_uid.get(row["uid"])
            fits = node is not None and node.kind == row["kind"]
            return Bound(node.id if node is not None and fits else None)
        pool = self._pool(row)
        if row["anywhere"] and len({node.address for node in pool if node.resolved}) > 1:
            return Bound(None, ambiguous=True)
        revisions = [
            Revision(node.id, node.digest, self._orders.get(node.id, ()))
            for node in pool
            if node.resolved
        ]
        return bind(revisions, digest=row["digest"], event_at=event_at)

    def _pool(self, row: RefRow) -> list[Node]:
        if row["anywhere"]:
            return self._by_anywhere.get(row["anywhere"], [])
        return self._by_address.get(row["address"], [])

    def _pools(self, row: RefRow) -> Iterable[Node]:
        """What the reference may be bound to: nodes of its own key, then of the one an alias names."""
        yield from self._pool(row)
        if (meant := self.meant(row)) is not None:
            yield from self._pool(meant)

    def by_id(self, row: RefRow, node_id: int | None) -> Node | None:
        """The loaded node with this id among those that the reference names."""
        if row["uid"]:
            named = self._by_uid.get(row["uid"])
            return named if named is not None and named.id == node_id else None
        return next((node for node in self._pools(row) if node.id == node_id), None)

    def placeholder(self, row: RefRow, address: str) -> Node | None:
        """The loaded placeholder at an address that a reference names, if there is one."""
        pool = self._pool(row)
        return next((node for node in pool if not node.resolved and node.address == address), None)

    def add(self, node: Node) -> None:
        """Make a placeholder just created known."""
        if node.address in self._by_address:
            self._by_address[node.address].append(node)
        if node.anywhere in self._by_anywhere:
            self._by_anywhere[node.anywhere].append(node)

    def node(self, node_id: int, row: RefRow) -> Node:
        """The loaded node that `bind` chose for the reference."""
        if row["uid"]:
            found = self._by_uid[row["uid"]]
            if found is not None:
                return found
        return next(node for node in self._pools(row) if node.id == node_id)
