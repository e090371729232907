"""What two components made, or two index snapshots hold, of the same source versions.

Where to look is told by what was recorded last on either side (lineage.comparison.begin);
all that either has of the source versions found there is then read, so that what is said of
them is complete. What would only be read in part is left out, and `cut` says so.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import F, FloatField, IntegerField, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce

from lineage.cases.ancestry import sliced
from lineage.comparison.begin import of_component, of_snapshot, places_of, shown_of
from lineage.comparison.marks import NEW, OLD, MarkedSides, Marks, Rows
from lineage.comparison.pairs import Made
from lineage.compiled import by_their_ids
from lineage.models import FactKey, Node
from lineage.types import Viewer

MOST_DOCUMENTS: Final = 10_000
MOST_CHUNKS: Final = 40_000
MOST_FACTS: Final = 40_000
_EVERY_KIND: Final = frozenset(
    {"acquisition", "document", "part", "chunk", "fact", "embedding"}
)  # fmt: skip


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
    documents, chunks, facts = _without(partly, places, documents, chunks, facts)
    telling = MarkedSides(
        viewer,
        {old.pk: OLD, new.pk: NEW},
        # Where not all outputs were looked at, any kind may be among them.
        _EVERY_KIND if any(each.cut for each in begins) else begins[0].kinds | begins[1].kinds,
        members=snapshots,
    )
    marks = telling.of(documents, chunks, facts)
    if telling.unread:
        unsure = {places[row[0]] for pk, row in documents.items() if pk in telling.unread}
        unsure |= {places[documents[chunks[pk][0]][0]] for pk in telling.unread & chunks.keys()}
        unsure |= {
            places[documents[chunks[facts[pk][0]][0]][0]] for pk in telling.unread & facts.keys()
        }
        documents, chunks, facts = _without(unsure, places, documents, chunks, facts)
        partly |= unsure
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


def _without(
    partly: Collection[int], places: Mapping[int, int], documents: Rows, chunks: Rows, facts: Rows
) -> tuple[Rows, Rows, Rows]:
    """All but what lies in these places: of one read in part nothing could be said to be gained or lost."""
    documents = {pk: row for pk, row in documents.items() if places[row[0]] not in partly}
    chunks = {pk: row for pk, row in chunks.items() if row[0] in documents}
    facts = {pk: row for pk, row in facts.items() if row[0] in chunks}
    return documents, chunks, facts


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


def _split(marks: Marks, made: Iterable[Made]) -> tuple[list[Made], list[Made]]:
    """Nodes by side; one on both is on each."""
    every = [(one, marks.get(one.pk, 0)) for one in made]
    return [one for one, on in every if on & OLD], [one for one, on in every if on & NEW]
