"""What an answer had before it: its contexts, their items, the retrievals and their candidates."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from lineage.models import Node, Reference
from lineage.types import JsonValue
from lineage.vocabulary import Edge

# Items and candidates that are read for one page.
MOST_ITEMS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Candidate:
    """How the passage was found and what became of it; numbers as sent, None where not sent.

    `score_kind` is similarity, distance, logit, bm25 or unknown: what the score is, and so
    whether more is better. It is never a percentage or a probability.
    """

    retrieval_uid: str
    rank: int | None
    score: float | None
    score_kind: str
    rerank_rank: int | None
    rerank_score: float | None
    kept: bool | None
    drop_reason: str | None


@dataclass(frozen=True, slots=True)
class Item:
    """A chunk or fact in a context."""

    node_id: int
    position: int | None
    truncated: bool


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Contexts by answer, retrievals and items by context, candidates by retrieval."""

    contexts: Mapping[int, tuple[Node, ...]]
    retrievals: Mapping[int, tuple[Node, ...]]
    items: Mapping[int, tuple[Item, ...]]
    candidates: Mapping[int, tuple[tuple[int, Candidate], ...]]

    def items_of(self, answer_id: int) -> list[Item]:
        """What the answer had in context, in the order of positions."""
        found = [
            item
            for context in self.contexts.get(answer_id, ())
            for item in self.items.get(context.pk, ())
        ]
        return sorted(found, key=lambda item: (item.position is None, item.position or 0))

    def retrievals_of(self, answer_id: int) -> list[Node]:
        """The retrievals behind the answer's contexts, each once."""
        found = {
            retrieval.pk: retrieval
            for context in self.contexts.get(answer_id, ())
            for retrieval in self.retrievals.get(context.pk, ())
        }
        return list(found.values())

    def candidates_of(self, answer_id: int) -> list[tuple[int, Candidate]]:
        """(node id, candidate) of everything retrieved for the answer, by rank."""
        return [
            pair
            for retrieval in self.retrievals_of(answer_id)
            for pair in self.candidates.get(retrieval.pk, ())
        ]


def circumstances_of(
    workspace_id: int, answer_ids: Collection[int], *, only: Collection[int] | None = None
) -> Circumstances:
    """The circumstances of answers, in four queries; `only`: items and candidates of these ids."""
    contexts = _targets(workspace_id, answer_ids, "context")
    context_ids = {context.pk for some in contexts.values() for context in some}
    retrievals = _targets(workspace_id, context_ids, "retrieval")
    found = {each.pk: each for some in retrievals.values() for each in some}
    return Circumstances(
        contexts,
        retrievals,
        _items(workspace_id, context_ids, only),
        _candidates(workspace_id, found, only),
    )


def _targets(
    workspace_id: int, holder_ids: Collection[int], relation: str
) -> dict[int, tuple[Node, ...]]:
    if not holder_ids:
        return {}
    targets: dict[int, list[Node]] = defaultdict(list)
    rows = (
        Reference.objects.filter(
            workspace_id=workspace_id,
            holder_id__in=holder_ids,
            relation=relation,
            to_node__isnull=False,
        )
        .select_related("to_node")
        .order_by("holder_id", "ordinal", "pk")[:MOST_ITEMS]
    )
    for row in rows:
        if row.to_node is not None:
            targets[row.holder_id].append(row.to_node)
    return {holder: tuple(some) for holder, some in targets.items()}


def _items(
    workspace_id: int, context_ids: Collection[int], only: Collection[int] | None
) -> dict[int, tuple[Item, ...]]:
    if not context_ids:
        return {}
    items: dict[int, list[Item]] = defaultdict(list)
    rows = Reference.objects.filter(
        workspace_id=workspace_id,
        from_node_id__in=context_ids,
        edge=Edge.INCLUDED,
        to_node__isnull=False,
    )
    if only is not None:
        rows = rows.filter(to_node_id__in=only)
    for context_id, node_id, properties in rows.order_by(
        "from_node_id", "ordinal", "pk"
    ).values_list("from_node_id", "to_node_id", "properties")[:MOST_ITEMS]:
        item = Item(
            node_id, _whole(properties.get("position")), properties.get("truncated") is True
        )
        items[context_id].append(item)
    return {context: tuple(some) for context, some in items.items()}


def _candidates(
    workspace_id: int, retrievals: Mapping[int, Node], only: Collection[int] | None
) -> dict[int, tuple[tuple[int, Candidate], ...]]:
    if not retrievals:
        return {}
    found: dict[int, list[tuple[int, Candidate]]] = defaultdict(list)
    rows = Reference.objects.filter(
        workspace_id=workspace_id,
        from_node_id__in=retrievals.keys(),
        edge=Edge.RETRIEVED,
        to_node__isnull=False,
    )
    if only is not None:
        rows = rows.filter(to_node_id__in=only)
    for retrieval_id, node_id, properties in rows.order_by(
        "from_node_id", "ordinal", "pk"
    ).values_list("from_node_id", "to_node_id", "properties")[:MOST_ITEMS]:
        found[retrieval_id].append((node_id, _candidate(retrievals[retrieval_id].uid, properties)))
    return {
        retrieval: tuple(sorted(some, key=lambda pair: (pair[1].rank is None, pair[1].rank or 0)))
        for retrieval, some in found.items()
    }


def _candidate(retrieval_uid: str, properties: Mapping[str, JsonValue]) -> Candidate:
    kept, reason = properties.get("kept"), properties.get("drop_reason")
    return Candidate(
        retrieval_uid=retrieval_uid,
        rank=_whole(properties.get("rank")),
        score=_number(properties.get("score")),
        score_kind=str(properties.get("score_kind") or "unknown"),
        rerank_rank=_whole(properties.get("rerank_rank")),
        rerank_score=_number(properties.get("rerank_score")),
        kept=kept if isinstance(kept, bool) else None,
        drop_reason=reason if isinstance(reason, str) and reason else None,
    )


def _whole(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: JsonValue) -> float | None:
    """A number as sent: 0.0 is a score, null is none."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
