"""On which sides of a comparison nodes are: what made them, or holds them, and what was made of them."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from django.db.models import Count

from lineage.cases.ancestry import sliced
from lineage.comparison.begin import references
from lineage.compiled import by_their_ids
from lineage.ingest.revisions import REFS
from lineage.models import Node, Sighting
from lineage.types import JsonValue, Viewer
from lineage.vocabulary import Edge

OLD, NEW = 1, 2
Marks = dict[int, int]  # node id → OLD, NEW or both
# Of what lies under others, by node id, its parent first.
Row = tuple[Any, ...]
Rows = dict[int, Row]

# For some thousand nodes at once: parts or embeddings of them, and earlier records of them.
MOST_CHILDREN: Final = 40_000
MOST_SAID: Final = 40_000
_SLICE: Final = 5_000


class MarkedSides:
    """Tells on which sides nodes are.

    `unread`: documents, chunks and facts of which it could not be read to the end.
    """

    def __init__(
        self, viewer: Viewer, ends: Mapping[int, int], kinds: Collection[str], *, members: bool
    ) -> None:
        self._viewer, self._ends, self._kinds, self._members = viewer, ends, kinds, members
        self.unread: set[int] = set()

    def of(self, documents: Rows, chunks: Rows, facts: Rows) -> tuple[Marks, Marks, Marks]:
        """Marks of documents, chunks and facts.

        What was made of a marked document or chunk is on its sides; and a document or chunk
        is on those of what was made of it where it was not marked itself.
        """
        made = self._direct("document", documents)
        _merge(made, self._lifted("part", documents))
        _merge(made, self._fetched(documents))
        on_chunks = self._direct("chunk", chunks)
        _merge(on_chunks, {pk: made.get(row[0], 0) for pk, row in chunks.items()})
        if self._members:
            # A snapshot may hold embeddings of its chunks: its facts are those of all of them.
            _merge(on_chunks, self._lifted("embedding", chunks))
        on_facts = self._direct("fact", facts)
        _merge(on_facts, {pk: on_chunks.get(row[0], 0) for pk, row in facts.items()})
        _merge(on_chunks, self._lifted("embedding", chunks))
        _merge(on_chunks, _upward(on_facts, facts))
        on_documents = _merge(dict(made), _upward(on_chunks, chunks))
        return on_documents, on_chunks, on_facts

    def _direct(self, kind: str, nodes: Collection[int]) -> Marks:
        """Nodes that a side made itself, or holds as a member."""
        if kind not in self._kinds:
            return {}
        return self._held(nodes) if self._members else self._generated(nodes)

    def _held(self, nodes: Collection[int]) -> Marks:
        found: Marks = {}
        for some in sliced(nodes):
            rows = references(self._viewer, Edge.HAD_MEMBER).filter(to_node_id__in=some)
            pairs = rows.order_by("pk").values_list("to_node_id", "from_node_id")
            _merge(found, _marked((pk or 0, self._ends.get(end or 0, 0)) for pk, end in pairs))
        return found

    def _generated(self, nodes: Collection[int]) -> Marks:
        made: list[tuple[int, int]] = []
        for some in sliced(nodes):
            rows = references(self._viewer, Edge.WAS_GENERATED_BY).filter(from_node_id__in=some)
            pairs = rows.order_by("pk").values_list("from_node_id", "to_node_id")
            made += [(pk or 0, run or 0) for pk, run in pairs]
        doers = self._doers({run for _, run in made})
        found = _marked((pk, doers.get(run, 0)) for pk, run in made)
        return _merge(found, self._before(nodes))

    def _doers(self, runs: Collection[int]) -> Marks:
        """Runs of either side; asked for by the runs, not by all that the sides ever did."""
        found: Marks = {}
        for some in sliced(runs):
            rows = references(self._viewer, Edge.WAS_ASSOCIATED_WITH).filter(from_node_id__in=some)
            pairs = rows.order_by("pk").values_list("from_node_id", "to_node_id")
            _merge(found, _marked((pk or 0, self._ends.get(end or 0, 0)) for pk, end in pairs))
        return found

    def _lifted(self, kind: str, parents: Collection[int]) -> Marks:
        """Nodes of which something of this kind is on a side."""
        if kind not in self._kinds:
            return {}
        rows = by_their_ids(Node.objects.all(), self._viewer.workspace_id).filter(kind=kind)
        children: dict[int, int] = {}
        for some in sliced(parents):
            under = rows.filter(parent_id__in=some).order_by("parent_id", "pk")
            several = list(under.values_list("pk", "parent_id")[: MOST_CHILDREN + 1])
            if len(several) > MOST_CHILDREN:
                last = several[-1][1] or 0
                self.unread.update(pk for pk in some if pk >= last)
                several = [row for row in several if row[1] != last]
            children |= {pk: parent or 0 for pk, parent in several}
        marks = self._direct(kind, children)
        self.unread.update(children[pk] for pk in self.unread & children.keys())
        return _marked((children[pk], mark) for pk, mark in marks.items())

    def _fetched(self, documents: Collection[int]) -> Marks:
        """Documents that were made from what a connector fetched."""
        if "acquisition" not in self._kinds:
            return {}
        pairs: list[tuple[int, int]] = []
        for some in sliced(documents):
            rows = references(self._viewer, Edge.WAS_DERIVED_FROM).filter(
                from_node_id__in=some, to_node__kind="acquisition"
            )
            pairs += [(a or 0, b or 0) for a, b in rows.values_list("from_node_id", "to_node_id")]
        marks = self._direct("acquisition", {acquisition for _, acquisition in pairs})
        self.unread.update(document for document, one in pairs if one in self.unread)
        return _marked((document, marks.get(acquisition, 0)) for document, acquisition in pairs)

    def _before(self, nodes: Collection[int]) -> Marks:
        """What an earlier record said: a node that two runs made alike names the last of them only."""
        said: list[tuple[int, str]] = []
        for some in sliced(nodes):
            rows = by_their_ids(
                Sighting.objects.filter(node_id__in=some), self._viewer.workspace_id
            )
            several = rows.values("node_id").annotate(number=Count("pk")).filter(number__gt=1)
            ids = list(several.order_by("node_id").values_list("node_id", flat=True))
            found = rows.filter(node_id__in=ids).order_by("node_id", "pk")
            sightings = list(found.values_list("node_id", "fields")[: MOST_SAID + 1])
            if len(sightings) > MOST_SAID:
                last = sightings[-1][0] or 0
                self.unread.update(pk for pk in ids if pk is not None and pk >= last)
                sightings = [row for row in sightings if row[0] != last]
            for pk, fields in sightings:
                said += [(pk or 0, run) for run in _runs_named(fields)]
        runs = self._runs({run for _, run in said})
        doers = self._doers(runs.values())
        return _marked((pk, doers.get(runs.get(run, 0), 0)) for pk, run in said)

    def _runs(self, addresses: Collection[str]) -> dict[str, int]:
        """The runs of these addresses."""
        found: dict[str, int] = {}
        named = sorted(addresses)
        for begin in range(0, len(named), _SLICE):
            rows = Node.objects.filter(
                workspace_id=self._viewer.workspace_id, address__in=named[begin : begin + _SLICE]
            )
            found |= dict(rows.order_by("pk").values_list("address", "pk"))
        return found


def _runs_named(fields: JsonValue) -> list[str]:
    """The addresses of the runs that a sighting names as what made it."""
    rows = fields.get(REFS, {}).get("run", []) if isinstance(fields, Mapping) else []
    return [row["address"] for row in rows if row.get("address")]


def _marked(pairs: Iterable[tuple[int, int]]) -> Marks:
    found: Marks = {}
    for pk, mark in pairs:
        if mark:
            found[pk] = found.get(pk, 0) | mark
    return found


def _merge(into: Marks, others: Mapping[int, int]) -> Marks:
    """All marks of both, in the first."""
    for pk, mark in others.items():
        if mark:
            into[pk] = into.get(pk, 0) | mark
    return into


def _upward(marks: Marks, rows: Rows) -> Marks:
    """The marks of parents: of all that lies under them."""
    return _marked((row[0], marks.get(pk, 0)) for pk, row in rows.items())
