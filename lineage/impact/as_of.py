"""Which answers rested on a node as far as the registry knew at an instant: impact as recorded.

What is exact, and what is not, by what the store keeps:

- By the time of what happened (`occurred_at`) the report itself answers: its question bounds
  the answers' time. Nothing here is needed for it.
- By the time of recording: a record is kept with the instant at which it came (Sighting), and
  a reference that came to mean another node, or was dropped, with its old meaning
  (Rebinding). So nodes, records and meanings that came after the instant are undone, and the
  plain walk of the closure runs over the edges of then. Exact for these.
- A record of a node that was there, sent again with other references, replaces what the node
  says. What it dropped is put back; what it added to that is not taken out. Such nodes among
  what the answers rest on are counted (`amended`): with none the result is exact. What was
  erased since, or was withdrawn by the trace that it was derived from, is gone from the past.

Bounded: of the answers recorded by then, the last 1,000 are walked; `truncated` says that
there are more.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.db.models import Max, Min

from lineage.content.keys import in_batches
from lineage.identifiers import kind_of_uid
from lineage.impact.made import OutEdge
from lineage.impact.neighbourhood import load
from lineage.impact.rests_on import Edges, Rest, rests_on, with_caches
from lineage.impact.targets import ids_by_uid
from lineage.ingest.relations import COMPUTED, RELATIONS
from lineage.models import Node, Rebinding, Reference, RestsOn, Sighting
from lineage.nodes import node as node_view
from lineage.nodes.find import find
from lineage.types import Viewer
from lineage.vocabulary import Edge, Grade
from provexplorer.workspaces.models import Workspace

MOST_ANSWERS: Final = 1_000
# References that came to mean something else since, of the whole workspace.
MOST_REBOUND: Final = 5_000


@dataclass(frozen=True, slots=True)
class AnswerThen:
    """An answer that rested on the node then, with the grade that it had."""

    uid: str
    grade: str
    occurred_at: datetime | None
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class AsRecorded:
    """Impact as it was recorded at `until`: counts by grade, every grade present; items newest first.

    `exact`: nothing that the answers rest on was amended since, and nothing was cut.
    `amended`: how many such nodes there are; `truncated`: there were more answers. `walked`: the
    answers, by node id, that were recorded by then and looked at.
    """

    until: datetime
    counts: dict[str, int]
    items: tuple[AnswerThen, ...]
    amended: int
    truncated: bool
    walked: frozenset[int]

    @property
    def exact(self) -> bool:
        """Whether this is what the report said then."""
        return not self.amended and not self.truncated


def as_recorded(viewer: Viewer, uid: str, until: datetime) -> AsRecorded:
    """The answers that rested on a node by what had been recorded until an instant, that included.

    Raises NotFound, Moved, Erased.
    """
    node_view(viewer, uid)
    target = find(viewer, uid)
    workspace = Workspace.objects.get(pk=viewer.workspace_id)
    since = _rebound_since(viewer, until)
    answers, truncated = _candidates(viewer, target, until, since)
    then = _Then(workspace, until)
    edges, every_answer = load(workspace, answers, _made(viewer, since.rows))
    then.undo(edges)
    own = {answer: rests_on(answer, edges) for answer in every_answer}
    grades: dict[int, Grade] = {}
    for answer in sorted(answers & then.said):
        rest: Rest | None = with_caches(answer, edges, own).get(target.pk)
        if rest is not None:
            grades[answer] = rest.grade
    counts = {grade.word: 0 for grade in sorted(Grade, reverse=True)}
    for grade in grades.values():
        counts[grade.word] += 1
    return AsRecorded(
        until=until,
        counts=counts,
        items=_items(grades),
        amended=then.amended,
        truncated=truncated or since.truncated,
        walked=frozenset(answers & then.said),
    )


def last_recorded(target: Node, until: datetime) -> int:
    """The greatest id of an answer that rests on the node and was recorded by then; 0 for none.

    Answers of a workspace get ids in the order in which they are recorded: some look-ups in
    an index find it, however many rest on the node.
    """
    resting = RestsOn.objects.filter(target=target)
    first = resting.order_by("answer_id").values_list("answer_id", flat=True).first()
    last = resting.order_by("-answer_id").values_list("answer_id", flat=True).first()
    if first is None or last is None:
        return 0
    best, low, high = 0, first, last
    while low <= high:
        middle = (low + high) // 2
        row = (
            resting.filter(answer_id__gte=middle)
            .order_by("answer_id")
            .values_list("answer_id", "answer__recorded_at")
            .first()
        )
        if row is None:
            break
        answer_id, recorded_at = row
        if recorded_at <= until:
            best, low = answer_id, answer_id + 1
        else:
            high = middle - 1
    return best


@dataclass(frozen=True, slots=True)
class _Since:
    """References that came to mean another node after the instant, the latest first."""

    rows: list[Rebinding]
    truncated: bool


def _rebound_since(viewer: Viewer, until: datetime) -> _Since:
    rows = (
        Rebinding.objects.filter(workspace_id=viewer.workspace_id, recorded_at__gt=until)
        .select_related("holder")
        .order_by("-recorded_at", "-id")[: MOST_REBOUND + 1]
    )
    found = sorted(rows, key=lambda row: -row.pk)
    return _Since(found[:MOST_REBOUND], len(found) > MOST_REBOUND)


def _candidates(
    viewer: Viewer, target: Node, until: datetime, since: _Since
) -> tuple[set[int], bool]:
    """Answers that may have rested on the node: those that do, and those whose chains have changed."""
    last = last_recorded(target, until)
    resting = RestsOn.objects.filter(target=target, answer_id__lte=last)
    found = list(
        resting.order_by("-answer_id").values_list("answer_id", flat=True)[: MOST_ANSWERS + 1]
    )
    answers = set(found[:MOST_ANSWERS])
    truncated = len(found) > MOST_ANSWERS
    touched = {row.holder_id for row in since.rows}
    # What was said of a claim or an answer is found from where it pointed.
    olds = {row.old_uid for row in since.rows if row.holder.kind in ("claim", "citation")}
    touched |= set(ids_by_uid(viewer, olds - {""}).values())
    for some in in_batches(touched):
        rows = RestsOn.objects.filter(target_id__in=some, answer__recorded_at__lte=until)
        more = set(rows.values_list("answer_id", flat=True).order_by()[: MOST_ANSWERS + 1])
        named = Node.objects.filter(workspace_id=viewer.workspace_id, pk__in=some, kind="answer")
        more |= set(named.values_list("pk", flat=True))
        truncated = truncated or len(more) > MOST_ANSWERS
        answers |= set(sorted(more, reverse=True)[:MOST_ANSWERS])
    return answers, truncated


def _made(viewer: Viewer, rows: Sequence[Rebinding]) -> Mapping[int, Sequence[OutEdge]]:
    """All edges, as they were then, of the nodes from which an edge led elsewhere then."""
    ids = ids_by_uid(viewer, {uid for row in rows for uid in (row.old_uid, row.new_uid)} - {""})
    leaving: set[int] = set()
    for row in rows:
        leaving.add(row.holder_id)
        leaving |= {ids[uid] for uid in (row.old_uid, row.new_uid) if uid in ids}
    edges = _edges_of(viewer, leaving)
    for row in rows:
        relation = COMPUTED.get(row.relation) or RELATIONS.get(row.holder.kind, {}).get(
            row.relation
        )
        if relation is None:
            continue
        new, old = ids.get(row.new_uid), ids.get(row.old_uid)
        taken = OutEdge(relation.edge, 0, "", "", row.relation, 0, {})
        if new is not None:
            start, end = (new, row.holder_id) if relation.reverse else (row.holder_id, new)
            taken = _take(edges[start], relation.edge, row.relation, end) or taken
        if old is not None:
            start, end = (old, row.holder_id) if relation.reverse else (row.holder_id, old)
            end_uid = row.holder.uid if relation.reverse else row.old_uid
            kind = kind_of_uid(end_uid)
            edges[start].append(
                taken._replace(to_id=end, to_kind=kind.name if kind else "", to_uid=end_uid)
            )
    return edges


def _edges_of(viewer: Viewer, nodes: Collection[int]) -> dict[int, list[OutEdge]]:
    edges: dict[int, list[OutEdge]] = defaultdict(list)
    for pk in nodes:
        edges[pk] = []
    for some in in_batches(nodes):
        rows = Reference.objects.filter(
            workspace_id=viewer.workspace_id, from_node_id__in=some, to_node__isnull=False
        ).exclude(edge="")
        for from_id, *said in rows.order_by("pk").values_list(
            "from_node_id", "edge", "to_node_id", "to_node__kind", "to_node__uid",
            "relation", "ordinal", "properties",
        ):  # fmt: skip
            edges[from_id or 0].append(OutEdge(*said))
    return edges


def _take(edges: list[OutEdge], edge: Edge, relation: str, to_id: int) -> OutEdge | None:
    """Take the first such edge out; None where there is none any more."""
    for index, each in enumerate(edges):
        if (each.edge, each.relation, each.to_id) == (edge, relation, to_id):
            return edges.pop(index)
    return None


@dataclass(slots=True)
class _Then:
    """What was known at an instant: `said`, nodes of which a record had come."""

    workspace: Workspace
    until: datetime
    said: set[int] = field(default_factory=set)
    amended: int = 0

    def undo(self, edges: Edges) -> None:
        """Take out of the edges what came later."""
        nodes = set(edges.kinds)
        known = self._known(nodes)
        self._read_sightings(nodes)
        for node in list(edges.out):
            if node not in self.said:
                del edges.out[node]
                continue
            for edge, ends in edges.out[node].items():
                edges.out[node][edge] = _kept(ends, known)
        for answer, claims in edges.claims.items():
            edges.claims[answer] = _kept(claims, self.said)
        for run, used in edges.used.items():
            edges.used[run] = _kept(used, known) if run in self.said else []
        for node, credits_ in list(edges.credits.items()):
            said = credits_ if node in self.said else []
            edges.credits[node] = [each for each in said if each[0] in known]

    def _known(self, nodes: Collection[int]) -> set[int]:
        """Nodes that were there, if only as the name of something yet to come."""
        found: set[int] = set()
        for some in in_batches(nodes):
            rows = Node.objects.filter(pk__in=some, recorded_at__lte=self.until)
            found |= set(rows.values_list("pk", flat=True))
        return found

    def _read_sightings(self, nodes: Collection[int]) -> None:
        for some in in_batches(nodes):
            rows = (
                Sighting.objects.filter(node_id__in=some)
                .order_by()
                .values_list("node_id")
                .annotate(first=Min("recorded_at"), last=Max("recorded_at"))
            )
            for node_id, first, last in rows:
                if first <= self.until:
                    self.said.add(node_id or 0)
                    self.amended += last > self.until


def _kept(ends: Iterable[int], known: Collection[int]) -> list[int]:
    return [each for each in ends if each in known]


def _items(grades: Mapping[int, Grade]) -> tuple[AnswerThen, ...]:
    """Newest first, unknown times last, then by uid."""
    found: list[AnswerThen] = []
    for some in in_batches(grades.keys()):
        rows = Node.objects.filter(pk__in=some).order_by("pk")
        for pk, uid, occurred_at, recorded_at in rows.values_list(
            "pk", "uid", "occurred_at", "recorded_at"
        ):
            found.append(AnswerThen(uid, grades[pk].word, occurred_at, recorded_at))
    return tuple(
        sorted(
            found,
            key=lambda each: (
                -each.occurred_at.timestamp() if each.occurred_at else float("inf"),
                each.uid,
            ),
        )
    )
