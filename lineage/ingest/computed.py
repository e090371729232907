"""Edges that nobody sends and that follow from the others; recomputed as their premises arrive.

- A run speaks for an output that has no derivation of its own: with one input or
  one output it yields derivations (with several of both: `possible`, which the
  closure crosses as one step, without an edge).
- A chunk derives from every part of its document whose interval overlaps its own.
- A retrieval matched the embedding of a candidate that its snapshot holds, where
  the candidate does not say which.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet

from django.db.models import Exists, OuterRef, QuerySet

from lineage.compiled import by_their_ids
from lineage.impact.made import OutEdge
from lineage.ingest.keys import PARKED, in_chunks
from lineage.ingest.rebound import Rebound
from lineage.ingest.reference_history import recomputed
from lineage.ingest.touched import Touched
from lineage.models import Node, Reference
from lineage.vocabulary import KINDS, Edge
from provexplorer.workspaces.models import Workspace

_RUN, _PART, _MATCHED = "computed.run", "computed.part", "computed.matched"
_OF_RETRIEVAL = (Edge.USED_SNAPSHOT, Edge.RETRIEVED, Edge.MATCHED)
# A run speaks for outputs of stages 1-4 only.
_SPOKEN_FOR = frozenset(name for name, kind in KINDS.items() if 1 <= kind.stage <= 4)
# Kinds whose place is no derivation, and an acquisition, whose version may be unknown.
_MAY_LACK_DERIVATION = ("source", "source_version", "acquisition")


def compute_edges(workspace: Workspace, touched: Touched, rebound: Rebound) -> None:
    """Bring all computed edges in line with what this request has changed; tells `rebound` of them."""
    _speak_for_outputs(workspace, touched, rebound)
    _overlap_parts(workspace, touched, rebound)
    _match_embeddings(workspace, touched, rebound)


# -- runs ---------------------------------------------------------------------------------


def _speak_for_outputs(workspace: Workspace, touched: Touched, rebound: Rebound) -> None:
    generated = by_their_ids(Reference.objects.filter(edge=Edge.WAS_GENERATED_BY), workspace.pk)
    runs = set(rebound.runs)
    made = rebound.made.edges
    for pk in rebound.from_nodes & made.keys():
        if touched.nodes[pk].kind in _MAY_LACK_DERIVATION:
            runs |= {out.to_id for out in made[pk] if out.edge == Edge.WAS_GENERATED_BY}
    for chunk in in_chunks(rebound.from_nodes - made.keys()):
        runs |= set(
            generated.filter(from_node_id__in=chunk, from_node__kind__in=_MAY_LACK_DERIVATION)
            .values_list("to_node_id", flat=True)
        )  # fmt: skip
    own = Reference.objects.filter(
        from_node_id=OuterRef("from_node_id"), edge=Edge.WAS_DERIVED_FROM
    ).exclude(relation__startswith="computed")
    lacking: dict[int, list[tuple[int, str]]] = defaultdict(list)
    holders: set[int] = set()
    for chunk in in_chunks(runs):
        rows = generated.filter(to_node_id__in=chunk, from_node__kind__in=_MAY_LACK_DERIVATION)
        for run_id, output, kind, derived in rows.annotate(derived=Exists(own)).values_list(
            "to_node_id", "from_node_id", "from_node__kind", "derived"
        ):
            holders.add(output or 0)
            if not derived:
                lacking[run_id or 0].append((output or 0, kind or ""))
    # A node made just now holds none of these yet.
    for chunk in in_chunks(rebound.from_nodes - touched.new):
        holders |= set(
            Reference.objects.filter(holder_id__in=chunk, relation=_RUN).values_list(
                "holder_id", flat=True
            )
        )
    wanted: dict[int, set[int]] = defaultdict(set)
    inputs = _inputs(workspace, lacking)
    for run_id, outputs in lacking.items():
        used = inputs[run_id]
        if len(used) == 1 or _has_one_output(generated, run_id):
            for output, kind in outputs:
                wanted[output] |= {
                    one for one, of in used.items()
                    if one != output and KINDS[of].stage <= KINDS[kind].stage
                }  # fmt: skip
    _bring_in_line(workspace, _RUN, Edge.WAS_DERIVED_FROM, wanted, holders, rebound, touched)


def _has_one_output(generated: QuerySet[Reference], run_id: int) -> bool:
    outputs = generated.filter(to_node_id=run_id, from_node__kind__in=_SPOKEN_FOR)
    ordered = outputs.order_by("from_node_id").values_list("from_node_id", flat=True)
    return len(ordered.distinct()[:2]) == 1


def _inputs(workspace: Workspace, runs: Collection[int]) -> dict[int, dict[int, str]]:
    """Run → its inputs of stages 1–4 → their kinds."""
    inputs: dict[int, dict[int, str]] = defaultdict(dict)
    for chunk in in_chunks(runs):
        for run_id, node_id, kind in by_their_ids(
            Reference.objects.filter(
                edge=Edge.USED, from_node_id__in=chunk, to_node__kind__in=_SPOKEN_FOR
            ),
            workspace.pk,
        ).values_list("from_node_id", "to_node_id", "to_node__kind"):
            inputs[run_id or 0][node_id or 0] = kind or ""
    return inputs


# -- parts --------------------------------------------------------------------------------


def _overlap_parts(workspace: Workspace, touched: Touched, rebound: Rebound) -> None:
    nodes = by_their_ids(Node.objects.all(), workspace.pk)
    changed = [touched.nodes[pk] for pk in touched.changed if pk in touched.nodes]
    with_parts = {node.parent_id for node in changed if node.kind == "part" and node.parent_id}
    with_parts |= {parent for kind, parent, _, _ in touched.vacated if kind == "part"}
    chunks = {node.pk: node for node in changed if node.kind == "chunk"}
    for some in in_chunks(with_parts):
        for node in nodes.filter(parent_id__in=some, kind="chunk").only(
            "pk", "parent_id", "start", "end"
        ):
            chunks[node.pk] = node
    moved = [node.pk for node in changed if node.kind == "part"]
    for some in in_chunks(moved):
        # A part that went to another document leaves the chunks of its old one.
        for node in nodes.filter(references__relation=_PART, references__to_node_id__in=some).only(
            "pk", "parent_id", "start", "end"
        ):
            chunks.setdefault(node.pk, node)
    parts: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    documents = {node.parent_id for node in chunks.values() if node.parent_id}
    for some in in_chunks(documents):
        there = nodes.filter(parent_id__in=some, kind="part")
        there = there.exclude(start=None).exclude(uid__startswith=PARKED)
        for document, pk, start, end in there.values_list("parent_id", "pk", "start", "end"):
            parts[document or 0].append((start or 0, end or 0, pk))
    wanted = {
        pk: {
            part for start, end, part in parts.get(node.parent_id or 0, ())
            if node.start is not None and node.end is not None
            and start < node.end and node.start < end
        }
        for pk, node in chunks.items()
    }  # fmt: skip
    _bring_in_line(workspace, _PART, Edge.WAS_DERIVED_FROM, wanted, chunks, rebound, touched)


# -- embeddings ---------------------------------------------------------------------------


def _match_embeddings(workspace: Workspace, touched: Touched, rebound: Rebound) -> None:
    retrievals = set(_of_kind(workspace, touched, rebound.from_nodes, "retrieval"))
    snapshots = set(_of_kind(workspace, touched, rebound.from_nodes, "index_snapshot"))
    embeddings = [
        pk for pk in touched.changed
        if pk in touched.nodes and touched.nodes[pk].kind == "embedding"
    ]  # fmt: skip
    references = by_their_ids(Reference.objects.all(), workspace.pk)
    for some in in_chunks(embeddings):
        snapshots |= set(
            references.filter(edge=Edge.HAD_MEMBER, to_node_id__in=some)
            .values_list("from_node_id", flat=True)
        )  # fmt: skip
    for some in in_chunks(snapshots):
        retrievals |= set(
            references.filter(edge=Edge.USED_SNAPSHOT, to_node_id__in=some)
            .values_list("from_node_id", flat=True)
        )  # fmt: skip
    used: dict[int, set[int]] = defaultdict(set)
    candidates: dict[int, dict[int, int]] = defaultdict(dict)
    said: set[tuple[int, int]] = set()
    for retrieval, node, edge, ordinal in _found(references, rebound, retrievals):
        if edge == Edge.USED_SNAPSHOT:
            used[retrieval].add(node)
        elif edge == Edge.MATCHED:
            said.add((retrieval, ordinal))
        else:
            candidates[retrieval][ordinal] = node
    members = _members(workspace, {one for some in used.values() for one in some}, candidates)
    wanted: dict[int, set[int]] = {}
    for retrieval in retrievals:
        wanted[retrieval] = {
            embedding
            for ordinal, node in candidates[retrieval].items()
            if (retrieval, ordinal) not in said
            for snapshot in used[retrieval]
            for embedding in members.get((snapshot, node), ())
        }
    _bring_in_line(workspace, _MATCHED, Edge.MATCHED, wanted, retrievals, rebound, touched)


def _found(
    references: QuerySet[Reference], rebound: Rebound, retrievals: AbstractSet[int]
) -> Iterable[tuple[int, int, str, int]]:
    """(retrieval, node, edge, ordinal) of what retrievals used, found and said that they matched."""
    made = rebound.made.edges
    for pk in retrievals & made.keys():
        for out in made[pk]:
            if out.edge in _OF_RETRIEVAL and out.relation != _MATCHED:
                yield pk, out.to_id, out.edge, out.ordinal
    for some in in_chunks(retrievals - made.keys()):
        for from_id, to_id, edge, ordinal in (
            references.filter(from_node_id__in=some, edge__in=_OF_RETRIEVAL)
            .exclude(relation=_MATCHED)
            .values_list("from_node_id", "to_node_id", "edge", "ordinal")
        ):
            yield from_id or 0, to_id or 0, edge, ordinal


def _members(
    workspace: Workspace, snapshots: Collection[int], candidates: Mapping[int, Mapping[int, int]]
) -> dict[tuple[int, int], set[int]]:
    """(snapshot, chunk or fact) → the embeddings of it that the snapshot holds."""
    found: dict[tuple[int, int], set[int]] = defaultdict(set)
    items = {node for by_ordinal in candidates.values() for node in by_ordinal.values()}
    with_embeddings = [
        snapshot
        for snapshot in snapshots
        if Reference.objects.filter(
            workspace=workspace, from_node_id=snapshot, edge=Edge.HAD_MEMBER, kind="embedding"
        ).exists()
    ]
    if not with_embeddings:
        return found
    for some in in_chunks(items):
        for snapshot, embedding, parent in Reference.objects.filter(
            workspace=workspace, edge=Edge.HAD_MEMBER, from_node_id__in=with_embeddings,
            to_node__parent_id__in=some, kind="embedding",
        ).values_list("from_node_id", "to_node_id", "to_node__parent_id"):  # fmt: skip
            found[snapshot or 0, parent or 0].add(embedding or 0)
    return found


def _of_kind(
    workspace: Workspace, touched: Touched, ids: Collection[int], kind: str
) -> Iterable[int]:
    yield from (pk for pk in ids if pk in touched.nodes and touched.nodes[pk].kind == kind)
    for some in in_chunks([pk for pk in ids if pk not in touched.nodes]):
        yield from Node.objects.filter(workspace=workspace, pk__in=some, kind=kind).values_list(
            "pk", flat=True
        )


def _bring_in_line(
    workspace: Workspace,
    relation: str,
    edge: Edge,
    wanted: Mapping[int, set[int]],
    holders: Collection[int],
    rebound: Rebound,
    touched: Touched,
) -> None:
    """The computed edges of these holders become exactly the wanted ones."""
    there: dict[tuple[int, int], int] = {}
    for some in in_chunks(holders):
        for pk, holder, to_node in Reference.objects.filter(
            holder_id__in=some, relation=relation
        ).values_list("pk", "holder_id", "to_node_id"):
            there[holder, to_node or 0] = pk
    pairs = {(holder, to_node) for holder, some in wanted.items() for to_node in some}
    gone = there.keys() - pairs
    rebound.made.doubt(holder for holder, _ in gone)
    for some in in_chunks([there[pair] for pair in gone]):
        Reference.objects.filter(pk__in=some).delete()
    fresh = sorted(pairs - there.keys())
    recomputed(workspace, relation, gone, fresh, touched.new)
    ends: dict[int, tuple[str, str]] = {}
    for some in in_chunks({to_node for _, to_node in fresh}):
        for pk, kind, uid in Node.objects.filter(pk__in=some).values_list("pk", "kind", "uid"):
            ends[pk] = (kind, uid)
    properties = {"computed": True}
    rows: list[Reference] = []
    for ordinal, (holder, to_node) in enumerate(fresh):
        kind, uid = ends[to_node]
        rebound.made.add(
            holder, OutEdge(edge.value, to_node, kind, uid, relation, ordinal, properties)
        )
        rows.append(
            Reference(
                workspace=workspace, holder_id=holder, relation=relation, ordinal=ordinal,
                edge=edge.value, kind=kind, status=Reference.Status.BOUND,
                from_node_id=holder, to_node_id=to_node, properties=properties,
            )
        )  # fmt: skip
    Reference.objects.bulk_create(rows)
    rebound.from_nodes |= {holder for holder, _ in (*gone, *fresh)}
