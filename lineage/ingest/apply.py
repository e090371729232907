"""One request of records, applied in one transaction and projected after its commit."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from django.db.models import F

from lineage import bulk_rows
from lineage.cases.late import text_arrived
from lineage.cases.propagate import born_with
from lineage.content.screening import screen
from lineage.formats.implied import implied_records
from lineage.graph import projection
from lineage.graph.fresh import Fresh
from lineage.impact.closure import answers_above, recompute
from lineage.ingest.aliases import placed_by
from lineage.ingest.ambiguity import flag_ambiguous_intervals
from lineage.ingest.computed import compute_edges
from lineage.ingest.fact_keys import note_facts
from lineage.ingest.fresh_nodes import fresh_nodes
from lineage.ingest.heirs import drop
from lineage.ingest.keys import Keys, in_chunks
from lineage.ingest.leaving import Leaving, leaving
from lineage.ingest.nodes import NodeKeeper
from lineage.ingest.notices_due import note_sources
from lineage.ingest.outcomes import outcomes_of
from lineage.ingest.references import ReferenceKeeper
from lineage.ingest.search_rows import note_words
from lineage.ingest.sent_again import mean_again
from lineage.ingest.sightings import Recorded, record_sightings
from lineage.ingest.touched import Touched
from lineage.invalidation.changes import note_regenerated
from lineage.models import ApplyBatch, GraphDirty, Node, Reference, RegisterEpoch
from lineage.models.turns import turn_to_change
from lineage.rights.due import note_due
from lineage.rights.policy import admit
from lineage.types import GraphAway, NativeRecord, Outcome, Refused
from provexplorer import clock
from provexplorer.clock import BEFORE_ALL
from provexplorer.workspaces.models import Workspace


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a request: an outcome per record, in order; `projected`: the graph has it, too."""

    outcomes: tuple[Outcome, ...]
    projected: bool


def apply_records(
    workspace: Workspace, records: Sequence[NativeRecord | Refused], *, origin: str = ""
) -> Applied:
    """Store the records and all that follows from them; idempotent, in any order and split.

    `origin` (opaque, at most 30 characters): what all these records were derived from, and
    all that is derived from it now. What it was the only one to say before, and is not
    among them, is withdrawn. Without it, records stand for good.

    What was erased is refused, with the tombstone's uid; what the workspace's policy does not let
    be indexed is refused, too. When it returns, everything is committed. Where the graph is
    away, the outcomes are `accepted` and the projection catches up later.
    """
    sound = [record for record in records if isinstance(record, NativeRecord)]
    # One writer at a time in a workspace, approvals included: the end state must not depend on timing.
    with _batch(workspace), turn_to_change(workspace.pk):
        screened = screen(workspace, sound)
        admitted = admit(
            workspace,
            screened.records,
            lambda some: _apply(workspace, some, origin),
            derived=bool(origin),
        )
        outcomes, followed = admitted.outcomes, admitted.followed
        outgoing = leaving(workspace, followed.gone)
    projected = _project(workspace, followed, outgoing)
    unsound = [record for record in records if isinstance(record, Refused)]
    for refused in (*unsound, *screened.refused, *admitted.refused):
        uid = screened.tombstones.get(refused.index)
        outcomes[refused.index] = Outcome(
            refused.index, "rejected", refused.kind, refused.key, uid, (), refused.problem
        )
    ordered = [outcomes[index] for index in sorted(outcomes)]
    if not projected:
        ordered = [
            replace(one, status="accepted") if one.status == "stored" else one for one in ordered
        ]
    return Applied(tuple(ordered), projected)


def bind_again(workspace: Workspace, decide: Callable[[], Collection[str]]) -> bool:
    """Let `decide` change what missing keys stand for, and bind again all that names them.

    `decide` has the workspace's turn, and gives what references name (Alias.named); what it
    raises leaves everything as it was. Tells whether the graph has it, too.
    """
    with _batch(workspace), turn_to_change(workspace.pk):
        names = set(decide())
        recorded = Recorded(addresses=placed_by(workspace, names))
        followed = _follow(workspace, recorded, names)
        outgoing = leaving(workspace, followed.gone)
    return _project(workspace, followed, outgoing)


@contextmanager
def _batch(workspace: Workspace) -> Iterator[None]:
    """A change that is told, before it begins and when it is over, to cases that must not miss it."""
    epoch, _ = RegisterEpoch.objects.get_or_create(workspace=workspace)
    batch = ApplyBatch.objects.create(
        workspace=workspace, epoch=epoch.epoch, started_at=clock.now()
    )
    try:
        yield
    finally:
        ApplyBatch.objects.filter(pk=batch.pk).delete()


def _apply(
    workspace: Workspace, records: Sequence[NativeRecord], origin: str
) -> tuple[dict[int, Outcome], "_Followed"]:
    """The transaction of a request: outcomes by index, and what followed."""
    implied = [extra for record in records for extra in implied_records(record)]
    with bulk_rows.together(Node):
        recorded = record_sightings(workspace, [*records, *implied], origin=origin)
        followed = _follow(workspace, recorded)
    return outcomes_of(workspace, records, recorded, followed.only), followed


@dataclass(frozen=True, slots=True)
class _Followed:
    """Nodes that the graph must learn of, some of them known by heart, and uids that leave it."""

    dirty: set[int]
    gone: list[str]
    fresh: Fresh
    # Address → the only node of its key, where it was made just now and is in memory as it is in the store.
    only: dict[str, Node]


def _follow(workspace: Workspace, recorded: Recorded, names: Collection[str] = ()) -> _Followed:
    """All that follows from what was recorded.

    `names`: what references name that may mean another node now.
    """
    keys = Keys(workspace)
    touched = NodeKeeper(workspace, keys, recorded).bring_in_line()
    if recorded.back:
        named = [each for each in touched.nodes.values() if each.address in recorded.back]
        mean_again(workspace, named)
    touched.addresses.update(dict.fromkeys(names, BEFORE_ALL))
    touched.anywhere.update(dict.fromkeys(names, BEFORE_ALL))
    rebound = ReferenceKeeper(workspace, touched, keys.aliases).bring_in_line()
    compute_edges(workspace, touched, rebound)
    ambiguous = flag_ambiguous_intervals(workspace, touched)
    rebound.let_go |= touched.unsaid
    gone = drop(workspace, touched, rebound)
    if touched.left_over or rebound.let_go:
        rebound.made.doubt_all()
    made = rebound.made.edges
    # On a new node nothing can rest yet but itself.
    affected = answers_above(workspace, (rebound.from_nodes | touched.changed) - touched.new)
    affected |= {pk for pk in touched.new & touched.changed if touched.nodes[pk].kind == "answer"}
    changed = recompute(workspace, affected | rebound.answers, made)
    # Answers served from a cache rest on what their origin rests on.
    while served := answers_above(workspace, changed - touched.new) - affected - rebound.answers:
        affected |= served
        changed = recompute(workspace, served, made)
    answers = affected | rebound.answers
    flagged = ambiguous | born_with(workspace, answers)
    if rebound.revisions:
        note_regenerated(workspace.pk, rebound.revisions)
    text_arrived(workspace.pk, _bearing_text(touched))
    note_words(workspace, touched, recorded.texts)
    note_facts(workspace, touched, recorded.texts)
    note_sources(workspace.pk, (touched.nodes[pk] for pk in touched.changed if pk in touched.nodes))
    note_due(workspace.pk, (touched.nodes[pk] for pk in touched.changed if pk in touched.nodes))
    dirty = touched.changed | rebound.from_nodes | rebound.nodes | ambiguous
    dirty |= _pointing_at(workspace, touched.moved)
    fresh = fresh_nodes(workspace, touched, rebound, dirty)
    _mark_dirty(workspace, dirty, touched.new, fresh.mark)
    only = {at: node for at, node in touched.only.items() if node.pk not in flagged}
    return _Followed(dirty, gone, fresh, only)


def _pointing_at(workspace: Workspace, nodes: Collection[int]) -> set[int]:
    """Nodes with edges that lead to these, which have another uid now."""
    found: set[int] = set()
    for chunk in in_chunks(nodes):
        found |= set(
            Reference.objects.filter(
                workspace=workspace, to_node_id__in=chunk, from_node_id__isnull=False
            )
            .exclude(edge="")
            .values_list("from_node_id", flat=True)
        )
    return found


def _bearing_text(touched: Touched) -> list[int]:
    """Versions and documents that are new or changed: one may be the corrected text that a case waits for."""
    return sorted(
        pk
        for pk in touched.changed
        if (node := touched.nodes.get(pk)) and node.kind in ("source_version", "document")
    )


def _mark_dirty(
    workspace: Workspace, nodes: Collection[int], new: Collection[int], mark: int
) -> None:
    """List the nodes whose projection is behind; a version tells a later change from an earlier one.

    `new` are nodes that cannot be on the list yet; `mark` is the version of who comes on it.
    """
    there: set[int] = set()
    for chunk in in_chunks(set(nodes) - set(new)):
        rows = GraphDirty.objects.filter(node_id__in=chunk)
        there |= set(rows.values_list("node_id", flat=True))
        rows.update(version=F("version") + 1)
    bulk_rows.insert(
        GraphDirty,
        ("node_id", "workspace_id", "version"),
        [(node, workspace.pk, mark) for node in sorted(set(nodes) - there)],
    )


def _project(workspace: Workspace, followed: _Followed, gone: Leaving) -> bool:
    try:
        projection.project(workspace.pk, followed.dirty, followed.fresh)
        gone.take_out()
    except GraphAway:
        return False
    return True
