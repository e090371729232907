"""What two components made, or two index snapshots hold, of the same source versions.

Where to look is told by what was recorded last on either side (lineage.comparison.begin);
all that either has of the source versions found there is then read, so that what is said of
them is complete. What would only be read in part is left out, and `cut` says so.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Count, F, FloatField, IntegerField, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce

from lineage.cases.ancestry import sliced
from lineage.comparison.begin import of_component, of_snapshot, places_of, references, shown_of
from lineage.comparison.pairs import Made
from lineage.compiled import by_their_ids
from lineage.ingest.revisions import REFS
from lineage.models import FactKey, Node, Sighting
from lineage.types import JsonValue, Viewer
from lineage.vocabulary import Edge

MOST_DOCUMENTS: Final = 10_000
MOST_CHUNKS: Final = 40_000
MOST_FACTS: Final = 40_000
_SLICE: Final = 5_000
_EVERY_KIND: Final = frozenset(
    {"acquisition", "document", "part", "chunk", "fact", "embedding"}
)  # fmt: skip
OLD, NEW = 1, 2
Marks = dict[int, int]  # node id → OLD, NEW or both
# Of what lies under others, by node id, its parent first.
Row = tuple[Any, ...]
Rows = dict[int, Row]


@dataclass(frozen=True, slots=True)
class Sides:
    """Documents, chunks and facts by side: (old, new).

    `cut`: there is more that was not looked at. `confidence`: as stated, by fact.
    `hidden`: source versions left out because the viewer may not see them.
    """

    documents: tuple[list[Made], list[Made]]
    chunks: tuple[list[Made], list[Made]]
    facts: tuple[list[Made], list[Made]]
    confidence: Mapping[int, float] = field(default_factory=dict)
    cut: bool = False
    hidden: int = 0


def sides_of(viewer: Viewer, old: Node, new: Node) -> Sides:
    """Both sides of a comparison of two components or of two index snapshots."""
    snapshots = old.kind == "index_snapshot"
    begins = [(of_snapshot if snapshots else of_component)(viewer, node) for node in (old, new)]
    places, more = places_of(viewer, begins, by_source=snapshots)
    shown, hidden = shown_of(viewer, places)
    documents, unread_versions = _documents(viewer, shown)
    chunks, unread_documents = _chunks(viewer, documents)
    facts, unread_chunks = _facts(viewer, chunks)
    partly = {places[pk] for pk in unread_versions}
    partly |= {places[documents[pk][0]] for pk in unread_documents}
    partly |= {places[documents[chunks[pk][0]][0]] for pk in unread_chunks}
    # Of a place that was read in part, nothing could be said to be gained or lost.
    documents = {pk: row for pk, row in documents.items() if places[row[0]] not in partly}
    chunks = {pk: row for pk, row in chunks.items() if row[0] in documents}
    facts = {pk: row for pk, row in facts.items() if row[0] in chunks}
    marks = _Marks(
        viewer,
        {old.pk: OLD, new.pk: NEW},
        # Where not all outputs were looked at, any kind may be among them.
        _EVERY_KIND if any(each.cut for each in begins) else begins[0].kinds | begins[1].kinds,
        members=snapshots,
    ).of(documents, chunks, facts)
    of = {pk: places[row[0]] for pk, row in documents.items()}
    return Sides(
        documents=_split(
            marks[0], (Made(pk, of[pk], row[0], row[1]) for pk, row in documents.items())
        ),
        chunks=_split(marks[1], (Made(pk, of[row[0]], *row[:3]) for pk, row in chunks.items())),
        facts=_split(
            marks[2],
            (
                Made(pk, of[chunks[row[0]][0]], row[0], row[2], about=row[1])
                for pk, row in facts.items()
            ),
        ),
        confidence={pk: row[3] for pk, row in facts.items() if row[3] is not None},
        cut=more or bool(partly) or any(begin.cut for begin in begins),
        hidden=hidden,
    )


def _documents(viewer: Viewer, versions: Collection[int]) -> tuple[Rows, list[int]]:
    """(source version, digest) of the documents of these versions."""
    rows = by_their_ids(Node.objects.all(), viewer.workspace_id).filter(kind="document")
    return _under(rows, versions, ("parent_id", "digest"), MOST_DOCUMENTS)


def _chunks(viewer: Viewer, documents: Rows) -> tuple[Rows, list[int]]:
    """(document, digest, place in it) of their chunks."""
    number = Cast(KeyTextTransform("index", "fields"), IntegerField())
    rows = (
        by_their_ids(Node.objects.all(), viewer.workspace_id)
        .filter(kind="chunk")
        .annotate(at=Coalesce(F("start"), number, 0))
    )
    return _under(rows, documents, ("parent_id", "digest", "at"), MOST_CHUNKS)


def _facts(viewer: Viewer, chunks: Rows) -> tuple[Rows, list[int]]:
    """(chunk, of what, says what, confidence) of the facts of these chunks."""
    if not FactKey.objects.filter(workspace_id=viewer.workspace_id).exists():
        return {}, []
    stated = Cast(KeyTextTransform("confidence", "fields"), FloatField())
    rows = (
        by_their_ids(Node.objects.all(), viewer.workspace_id)
        .filter(kind="fact", fact_key__isnull=False)
        .annotate(confidence=stated)
    )
    columns = ("parent_id", "fact_key__about", "fact_key__says", "confidence")
    return _under(rows, chunks, columns, MOST_FACTS)


def _under(
    rows: "QuerySet[Node, Any]", parents: Collection[int], columns: tuple[str, ...], most: int
) -> tuple[Rows, list[int]]:
    """These columns of what lies under the parents, until there are so many; and the parents
    that were not read to the end.
    """
    found: Rows = {}
    for some in sliced(parents):
        left = most - len(found)
        under = rows.filter(parent_id__in=some).order_by("parent_id", "pk")
        several = list(under.values_list("pk", *columns)[: left + 1])
        if len(several) > left:
            last = several[-1][1]
            found |= {row[0]: tuple(row[1:]) for row in several if row[1] != last}
            return found, [pk for pk in parents if pk >= last]
        found |= {row[0]: tuple(row[1:]) for row in several}
    return found, []


class _Marks:
    """Tells on which sides nodes are."""

    def __init__(
        self, viewer: Viewer, ends: Mapping[int, int], kinds: Collection[str], *, members: bool
    ) -> None:
        self._viewer, self._ends, self._kinds, self._members = viewer, ends, kinds, members

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
            under = rows.filter(parent_id__in=some).order_by("pk")
            children |= dict(under.values_list("pk", "parent_id")[:MOST_CHUNKS])
        return _marked((children[pk], mark) for pk, mark in self._direct(kind, children).items())

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
            for pk, fields in found.values_list("node_id", "fields")[:MOST_CHUNKS]:
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


def _split(marks: Marks, made: Iterable[Made]) -> tuple[list[Made], list[Made]]:
    """Nodes by side; one on both is on each."""
    every = [(one, marks.get(one.pk, 0)) for one in made]
    return [one for one, on in every if on & OLD], [one for one, on in every if on & NEW]
