"""What the store holds around the keys of a request: their nodes, and the keys that have their place in them.

New keys, of which there is nothing, are told apart first, so that they cost three look-ups
for the whole request instead of three for each kind.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from lineage.identifiers import anywhere_of
from lineage.ingest.keys import in_chunks
from lineage.ingest.relations import IDENTITY_RELATION
from lineage.models import Node, Reference
from provexplorer.workspaces.models import Workspace

# Kinds that are the place of others.
PLACES = frozenset({"source", "source_version", "document", "chunk", "fact", "answer", "claim"})


class Surroundings:
    """Looked up while the nodes of one request are brought in line, before its references are.

    `names`: address → (kind, namespace, key) of the keys of the request.
    """

    def __init__(self, workspace: Workspace, names: Mapping[str, tuple[str, str, str]]) -> None:
        self._workspace = workspace
        self._names = names
        self._nowhere: set[str] = set()
        # (column, hash named) → (kind, address) of those that name it as their place.
        self._placed: dict[tuple[str, str], set[tuple[str, str]]] = {}

    def look_at(self, addresses: Collection[str]) -> None:
        """Learn which of these keys the store has no node of, and what waits for them."""
        there: set[str] = set()
        for chunk in in_chunks(addresses):
            nodes = Node.objects.filter(workspace=self._workspace, address__in=chunk)
            there |= set(nodes.values_list("address", flat=True))
        self._nowhere = set(addresses) - there
        places = [
            (address, anywhere_of(self._workspace.hash_key, kind, key))
            for address in self._nowhere
            if address in self._names
            for kind, _, key in [self._names[address]]
            if kind in PLACES
        ]
        self._load("address", {address for address, _ in places})
        self._load("anywhere", {anywhere for _, anywhere in places})

    def nodes_at(
        self, addresses: Collection[str], *, without: Collection[str] = ()
    ) -> dict[str, list[Node]]:
        """The nodes of these keys as stored, `without` some columns; those of keys without any are missing or empty."""
        found: dict[str, list[Node]] = defaultdict(list)
        for chunk in in_chunks(set(addresses) - self._nowhere):
            nodes = Node.objects.filter(workspace=self._workspace, address__in=chunk)
            for node in nodes.defer(*without).order_by("pk"):
                found[node.address].append(node)
        return found

    def came(self, placeholder: Node) -> None:
        """A placeholder was made: its key has a node now."""
        self._nowhere.discard(placeholder.address)

    def placed_in(self, nodes: Sequence[Node], also: Iterable[str] = ()) -> set[tuple[str, str]]:
        """(kind, address) of the keys that name one of these nodes, or a hash of `also`, as their place."""
        found: set[tuple[str, str]] = set()
        for column in ("address", "anywhere"):
            values = {getattr(node, column) for node in nodes}.union(also)
            self._load(column, values)
            for value in values:
                found |= self._placed[column, value]
        return found

    def _load(self, column: str, values: Iterable[str]) -> None:
        rows = Reference.objects.filter(
            workspace=self._workspace, relation__in=set(IDENTITY_RELATION.values())
        )
        missing = [value for value in values if (column, value) not in self._placed]
        for value in missing:
            self._placed[column, value] = set()
        for chunk in in_chunks(missing):
            for value, kind, relation, address in rows.filter(
                **{f"{column}__in": chunk}
            ).values_list(column, "holder__kind", "relation", "holder__address"):
                if IDENTITY_RELATION.get(kind) == relation:
                    self._placed[column, value].add((kind, address))
