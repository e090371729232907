"""All that the cards of some citations need, in a number of queries that does not grow."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.db.models import Q

from citations.bibliography import Credits, credits_of
from citations.circumstances import Circumstances, circumstances_of
from citations.machinery import RunFact, runs_of
from citations.origins import Origin, origin_of, quoted_by, with_origins
from lineage.cases.register import Active, withdrawals_of
from lineage.cases.standing import claim_standings
from lineage.content.passages import field_text, texts_of
from lineage.models import Node, Reference
from lineage.nodes.visible import visible
from lineage.types import JsonValue, Viewer
from lineage.vocabulary import Edge

_MOST_PARTS: Final = 5_000
_MOST_ACQUISITIONS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """What stands behind some citations; every mapping is by node id."""

    nodes: Mapping[int, Node]
    quoted: Mapping[int, int]
    circumstances: Circumstances
    credits: Credits
    parts: Mapping[int, tuple[Node, ...]]  # of the document, that a chunk overlaps
    fetched_at: Mapping[int, datetime]  # by document or version
    runs: Mapping[int, tuple[RunFact, ...]]
    seen: Mapping[int, bool]
    cases: Mapping[int, Sequence[Active]]
    standings: Mapping[int, str]
    texts: Mapping[int, str]
    quotes: Mapping[int, str]

    def origin(self, node_id: int) -> Origin | None:
        """The origin of a chunk or fact; None if it is not loaded."""
        node = self.nodes.get(node_id)
        return origin_of(node, self.nodes) if node is not None else None

    def parent(self, node: Node | None, kind: str) -> Node | None:
        """The node's place, if it is of that kind."""
        found = self.nodes.get(node.parent_id or 0) if node is not None else None
        return found if found is not None and found.kind == kind else None


def gather(viewer: Viewer, citations: Sequence[Node], *, answers: Sequence[Node] = ()) -> Evidence:
    """The evidence of these citations; of `answers` also all that they had in context or retrieved.

    Texts of what the viewer may not see are not read.
    """
    workspace_id = viewer.workspace_id
    quoted = quoted_by(workspace_id, [each.pk for each in citations])
    nodes = with_origins(workspace_id, (*citations, *answers), quoted.values())
    answer_ids = {pk for pk, node in nodes.items() if node.kind == "answer"}
    circumstances = circumstances_of(
        workspace_id, answer_ids, only=None if answers else set(quoted.values())
    )
    beside = _beside(circumstances)
    if answers:
        nodes = with_origins(workspace_id, nodes.values(), beside)
    passages = {pk for pk in {*quoted.values(), *beside} if pk in nodes}
    chunks = {o.chunk.pk for pk in passages if (o := origin_of(nodes[pk], nodes)).chunk is not None}
    cited_chunks = {
        o.chunk.pk
        for pk in quoted.values()
        if pk in nodes and (o := origin_of(nodes[pk], nodes)).chunk is not None
    }
    by_kind: dict[str, set[int]] = defaultdict(set)
    for pk, node in nodes.items():
        by_kind[node.kind].add(pk)
    seen = visible(viewer, [*nodes.values()])
    readable = _readable(nodes, seen, cited_chunks, by_kind["claim"])
    return Evidence(
        nodes=nodes,
        quoted=quoted,
        circumstances=circumstances,
        credits=credits_of(workspace_id, by_kind["source"] | by_kind["source_version"]),
        parts=_parts(workspace_id, cited_chunks),
        fetched_at=_fetched_at(workspace_id, by_kind["document"], by_kind["source_version"]),
        runs=runs_of(workspace_id, _made(circumstances, chunks & cited_chunks, by_kind)),
        seen=seen,
        cases=withdrawals_of(workspace_id, passages),
        standings=claim_standings(workspace_id, by_kind["claim"]),
        texts=texts_of(readable, workspace=viewer),
        quotes=field_text([each for each in citations if seen[each.pk]], "quote", workspace=viewer),
    )


def _beside(circumstances: Circumstances) -> set[int]:
    """Everything that was in a context or retrieved."""
    included = {item.node_id for items in circumstances.items.values() for item in items}
    return included | {
        pk for candidates in circumstances.candidates.values() for pk, _ in candidates
    }


def _readable(
    nodes: Mapping[int, Node],
    seen: Mapping[int, bool],
    chunk_ids: Iterable[int],
    claim_ids: Collection[int],
) -> list[Node]:
    """Cited chunks with their documents, and claims: those whose text may be read."""
    wanted = set(claim_ids)
    for pk in chunk_ids:
        wanted.add(pk)
        if (document_id := nodes[pk].parent_id) is not None:
            wanted.add(document_id)
    return [nodes[pk] for pk in sorted(wanted) if pk in nodes and seen[pk]]


def _made(
    circumstances: Circumstances, chunk_ids: Collection[int], by_kind: Mapping[str, set[int]]
) -> set[int]:
    """What was made by runs that a card tells of."""
    made = set(chunk_ids) | by_kind["document"] | by_kind["source_version"] | by_kind["answer"]
    for some in (*circumstances.contexts.values(), *circumstances.retrievals.values()):
        made |= {node.pk for node in some}
    return made


def _parts(workspace_id: int, chunk_ids: Collection[int]) -> dict[int, tuple[Node, ...]]:
    """The parts that each chunk is derived from, sent or computed."""
    if not chunk_ids:
        return {}
    parts: dict[int, dict[int, Node]] = defaultdict(dict)
    rows = (
        Reference.objects.filter(
            workspace_id=workspace_id,
            from_node_id__in=chunk_ids,
            edge=Edge.WAS_DERIVED_FROM,
            to_node__kind="part",
        )
        .select_related("to_node")
        .order_by("from_node_id", "to_node__start", "pk")[:_MOST_PARTS]
    )
    for row in rows:
        if row.to_node is not None and row.from_node_id is not None:
            parts[row.from_node_id][row.to_node.pk] = row.to_node
    return {chunk: tuple(some.values()) for chunk, some in parts.items()}


def _fetched_at(
    workspace_id: int, document_ids: Collection[int], version_ids: Collection[int]
) -> dict[int, datetime]:
    """When each document's source was fetched, and each version last; absent where not recorded."""
    if not document_ids and not version_ids:
        return {}
    rows = (
        Reference.objects.filter(
            Q(from_node_id__in=document_ids, to_node__kind="acquisition")
            | Q(to_node_id__in=version_ids, from_node__kind="acquisition"),
            workspace_id=workspace_id,
            edge=Edge.WAS_DERIVED_FROM,
        )
        .order_by("-pk")
        .values_list("from_node_id", "to_node_id", "from_node__fields", "to_node__fields")[
            :_MOST_ACQUISITIONS
        ]
    )
    found: dict[int, datetime] = {}
    for from_id, to_id, from_fields, to_fields in rows:
        of_document = from_id in document_ids
        holder = from_id if of_document else to_id
        at = instant((to_fields if of_document else from_fields).get("fetched_at"))
        if at is not None and (holder not in found or at > found[holder]):
            found[holder] = at
    return found


def instant(value: JsonValue) -> datetime | None:
    """A stored instant; None for what is absent or a date alone."""
    if not isinstance(value, str) or "T" not in value:
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
