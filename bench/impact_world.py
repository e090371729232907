"""A generated workspace for the measurement of impact, as records and as the rows that they come to.

N answers, each with 8 chunks found and given and 3 claims that cite the first three; N/10
documents of 20 chunks, each of its own version and source, parsed by one of 5 versions of a
parser. Popularity follows a power law: of N/10 documents the first is in about a third of the
answers at 100,000, the parser of the first in most. All of it follows from N alone.
"""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final, NamedTuple

from lineage.identifiers import keyed_hash
from lineage.vocabulary import KINDS, Edge, Grade

CHUNKS: Final = 20
GIVEN: Final = 8
CLAIMS: Final = 3
PARSERS: Final = 5
_BEGUN: Final = datetime(2026, 1, 1, tzinfo=UTC)
_SENTENCE: Final = "Sediment settles where the current is weak, {n:03d}. "
_WIDTH: Final = len(_SENTENCE.format(n=0))
_CLAIM: Final = "Said {n}."


class NodeOf(NamedTuple):
    """A node by its place in the world: the `number`-th of its kind."""

    kind: str
    number: int


class EdgeOf(NamedTuple):
    """A reference as an edge; `holder` is the node whose record states it."""

    start: NodeOf
    edge: Edge
    end: NodeOf
    relation: str
    holder: NodeOf
    ordinal: int = 0


class RestOf(NamedTuple):
    """What an answer rests on."""

    target: NodeOf
    grade: Grade
    via: NodeOf


class World:
    """The workspace of so many answers."""

    def __init__(self, answers: int) -> None:
        self.answers = answers
        self.documents = max(PARSERS, answers // 10)

    # -- shape ------------------------------------------------------------------------------

    def given(self, answer: int) -> list[int]:
        """The chunks before an answer, by number; those of popular documents are in many answers."""
        chance = random.Random(answer)
        found: dict[int, None] = {}
        while len(found) < GIVEN:
            document = int(self.documents * chance.random() ** 3)
            found[document * CHUNKS + chance.randrange(CHUNKS)] = None
        return list(found)

    @staticmethod
    def parser_of(document: int) -> int:
        return document % PARSERS

    def shared(self) -> Iterator[tuple[NodeOf, list[EdgeOf]]]:
        """Nodes that answers share, with the edges that they state."""
        for number in range(PARSERS):
            yield NodeOf("component", number), []
            run = NodeOf("run", number)
            yield run, [_own(run, Edge.WAS_ASSOCIATED_WITH, "component", number)]
        for number in range(self.documents):
            source, version = NodeOf("source", number), NodeOf("source_version", number)
            document = NodeOf("document", number)
            yield source, []
            yield version, [_own(version, Edge.SPECIALIZATION_OF, "source", number)]
            yield (
                document,
                [
                    _own(document, Edge.WAS_DERIVED_FROM, "source_version", number),
                    _own(document, Edge.WAS_GENERATED_BY, "run", self.parser_of(number)),
                ],
            )
            for place in range(CHUNKS):
                chunk = NodeOf("chunk", number * CHUNKS + place)
                yield chunk, [_own(chunk, Edge.WAS_DERIVED_FROM, "document", number)]

    def answered(self, number: int) -> Iterator[tuple[NodeOf, list[EdgeOf]]]:
        """The nodes of one answer, with the edges that they state."""
        given = self.given(number)
        retrieval, context = NodeOf("retrieval", number), NodeOf("context", number)
        answer = NodeOf("answer", number)
        yield retrieval, [
            EdgeOf(retrieval, Edge.RETRIEVED, NodeOf("chunk", chunk), "candidates.chunk", retrieval, i)
            for i, chunk in enumerate(given)
        ]  # fmt: skip
        yield context, [
            _own(context, Edge.WAS_DERIVED_FROM, "retrieval", number),
            *(EdgeOf(context, Edge.INCLUDED, NodeOf("chunk", chunk), "items.chunk", context, i)
              for i, chunk in enumerate(given)),
        ]  # fmt: skip
        yield answer, [_own(answer, Edge.WAS_DERIVED_FROM, "context", number)]
        for place in range(CLAIMS):
            claim = NodeOf("claim", number * CLAIMS + place)
            citation = NodeOf("citation", number * CLAIMS + place)
            yield claim, [_own(claim, Edge.STATED_IN, "answer", number)]
            yield citation, [
                EdgeOf(claim, Edge.CITES, citation, "claim", citation),
                _own(citation, Edge.WAS_QUOTED_FROM, "chunk", given[place]),
            ]  # fmt: skip

    def rests(self, number: int) -> list[RestOf]:
        """What the product's closure comes to for one answer: each node with its strongest grade."""
        answer, context = NodeOf("answer", number), NodeOf("context", number)
        given = self.given(number)
        found: dict[NodeOf, RestOf] = {}

        def rest(target: NodeOf, grade: Grade, via: NodeOf) -> None:
            found.setdefault(target, RestOf(target, grade, via))

        cited: list[tuple[int, NodeOf]] = []
        for place in range(CLAIMS):
            claim = NodeOf("claim", number * CLAIMS + place)
            citation = NodeOf("citation", number * CLAIMS + place)
            rest(claim, Grade.CITED, answer)
            rest(citation, Grade.CITED, claim)
            cited.append((given[place], citation))
        beside = [(chunk, context) for chunk in given]
        for grade, some in ((Grade.CITED, cited), (Grade.IN_CONTEXT, beside)):
            for chunk, via in some:
                rest(NodeOf("chunk", chunk), grade, via)
            for chunk, _ in some:
                document = NodeOf("document", chunk // CHUNKS)
                version = NodeOf("source_version", document.number)
                run = NodeOf("run", self.parser_of(document.number))
                rest(document, grade, NodeOf("chunk", chunk))
                rest(version, grade, document)
                rest(NodeOf("source", document.number), grade, version)
                rest(run, grade, document)
                rest(NodeOf("component", run.number), grade, run)
        rest(context, Grade.PRODUCED, answer)
        rest(NodeOf("retrieval", number), Grade.PRODUCED, context)
        return list(found.values())

    @staticmethod
    def at(node: NodeOf) -> datetime:
        """When it was sent: what belongs to one answer at one instant, a minute after the answer before."""
        each = {"claim": CLAIMS, "citation": CLAIMS}.get(node.kind, 1)
        if KINDS[node.kind].stage < KINDS["retrieval"].stage:
            return _BEGUN
        return _BEGUN + timedelta(days=1, minutes=node.number // each)

    # -- as records -------------------------------------------------------------------------

    def records(self) -> Iterator[dict[str, Any]]:
        """The native records of which the product makes this world."""
        text = "".join(_SENTENCE.format(n=n) for n in range(CHUNKS))
        for n in range(PARSERS):
            yield self._record(
                "component", n, component_kind="parser", name="parser", version=str(n)
            )
            yield self._record("run", n, run_kind="parse", component=key("component", n))
        for n in range(self.documents):
            yield self._record("source", n, title=f"Sediment {n}")
            yield self._record("source_version", n, source=key("source", n), text=f"{n} {text}")
            yield self._record(
                "document", n, source_version=key("source_version", n), text=text,
                run=key("run", self.parser_of(n)),
            )  # fmt: skip
            for place in range(CHUNKS):
                interval = {"start": place * _WIDTH, "end": (place + 1) * _WIDTH}
                number = n * CHUNKS + place
                yield self._record("chunk", number, document=key("document", n), interval=interval)
        for n in range(self.answers):
            yield from self._records_of(n)

    def _records_of(self, n: int) -> Iterator[dict[str, Any]]:
        chunks = [key("chunk", chunk) for chunk in self.given(n)]
        candidates = [{"chunk": chunk, "rank": i + 1} for i, chunk in enumerate(chunks)]
        items = [{"chunk": chunk, "position": i + 1} for i, chunk in enumerate(chunks)]
        yield self._record("retrieval", n, candidates=candidates)
        yield self._record("context", n, retrieval=key("retrieval", n), items=items)
        said = [_CLAIM.format(n=place) for place in range(CLAIMS)]
        yield self._record("answer", n, context=key("context", n), text=" ".join(said))
        for place, one in enumerate(said):
            start = place * (len(one) + 1)
            number = n * CLAIMS + place
            interval = {"start": start, "end": start + len(one)}
            yield self._record("claim", number, answer=key("answer", n), interval=interval)
            yield self._record(
                "citation", number, claim=key("claim", number), marker=f"[{place + 1}]",
                chunk=chunks[place],
            )  # fmt: skip

    def _record(self, kind: str, number: int, **fields: Any) -> dict[str, Any]:
        at = self.at(NodeOf(kind, number)).isoformat()
        return {"kind": kind, "key": key(kind, number), "occurred_at": at, **fields}


def key(kind: str, number: int) -> str:
    """The client's key of a node."""
    return f"{KINDS[kind].prefix}-{number}"


@lru_cache(maxsize=2**18)
def uid(secret: bytes, node: NodeOf) -> str:
    """A uid of its own for a node, as opaque and as scattered as the product's."""
    return f"{KINDS[node.kind].prefix}_{keyed_hash(secret, node.kind, str(node.number))}"


def _own(holder: NodeOf, edge: Edge, kind: str, number: int) -> EdgeOf:
    return EdgeOf(holder, edge, NodeOf(kind, number), kind, holder)
