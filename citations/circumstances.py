"""What an answer had before it: its contexts, their items, the retrievals and their candidates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from citations.upstream import Upstream
from lineage.models import Node
from lineage.types import JsonValue
from lineage.vocabulary import Edge


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
    """What an answer had before it, put together once: the cards of an answer ask it by passage.

    `items` stand in the order of positions, `candidates` by retrieval and rank; both by the id
    of the chunk or fact as well.
    """

    contexts: Sequence[Node]
    retrievals: Sequence[Node]
    items: Sequence[Item]
    candidates: Sequence[tuple[int, Candidate]]
    item_of: Mapping[int, Item]
    candidates_of: Mapping[int, Sequence[Candidate]]


NO_CIRCUMSTANCES: Final = Circumstances((), (), (), (), {}, {})


def circumstances_of(upstream: Upstream, answer: Node) -> Circumstances:
    """The circumstances of one answer."""
    items, candidates = _items(upstream, answer), _candidates(upstream, answer)
    by_passage: dict[int, list[Candidate]] = {}
    for pk, candidate in candidates:
        by_passage.setdefault(pk, []).append(candidate)
    return Circumstances(
        contexts=_contexts(upstream, answer),
        retrievals=_retrievals(upstream, answer),
        items=items,
        candidates=candidates,
        item_of={item.node_id: item for item in reversed(items)},
        candidates_of=by_passage,
    )


def _contexts(upstream: Upstream, answer: Node) -> list[Node]:
    return upstream.causes(answer.pk, Edge.WAS_DERIVED_FROM, "context")


def _retrievals(upstream: Upstream, answer: Node) -> list[Node]:
    """The retrievals behind the answer's contexts, each once."""
    found = {
        retrieval.pk: retrieval
        for context in _contexts(upstream, answer)
        for retrieval in upstream.causes(context.pk, Edge.WAS_DERIVED_FROM, "retrieval")
    }
    return list(found.values())


def _items(upstream: Upstream, answer: Node) -> list[Item]:
    """What the answer had in context, in the order of positions."""
    items = [
        Item(
            row.to_id,
            _whole(row.properties.get("position")),
            row.properties.get("truncated") is True,
        )
        for context in _contexts(upstream, answer)
        for row in upstream.rows(context.pk, Edge.INCLUDED)
    ]
    return sorted(items, key=lambda item: (item.position is None, item.position or 0))


def _candidates(upstream: Upstream, answer: Node) -> list[tuple[int, Candidate]]:
    """(node id, candidate) of what was retrieved for the answer, by retrieval and rank."""
    found: list[tuple[int, Candidate]] = []
    for retrieval in _retrievals(upstream, answer):
        ranked = [
            (row.to_id, _candidate(retrieval.uid, row.properties))
            for row in upstream.rows(retrieval.pk, Edge.RETRIEVED)
        ]
        found += sorted(ranked, key=lambda pair: (pair[1].rank is None, pair[1].rank or 0))
    return found


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
