"""Generated traces of a RAG pipeline as OpenTelemetry exporters send them, the same for the same seed.

A trace has five spans with OpenInference attributes: root, embedding, retriever (8 documents
of 1.5 kB), reranker (by key, keeps 4), model (reads those 4, answers with three cited claims).
Documents come from a collection of 2,000 passages, as they do from an index.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

TRACES_A_BATCH: Final = 50
SPANS_A_TRACE: Final = 5
COLLECTION: Final = "passages"
SNAPSHOT: Final = f"{COLLECTION}@1"
_PASSAGES: Final = 2_000
_PASSAGE_LENGTH: Final = 1_500
_OF_A_SOURCE: Final = 20
_FOUND, _KEPT = 8, 4
_SECOND: Final = 1_000_000_000
_SYLLABLES: Final = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo"


@dataclass(frozen=True, slots=True)
class Told:
    """The answer of a trace: by what it is to be found, and its words."""

    trace_id: str
    span_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Batch:
    """One request: an ExportTraceServiceRequest in protobuf, and the answers that it tells."""

    body: bytes
    told: tuple[Told, ...]


@dataclass(slots=True)
class RagTraces:
    """`seed` makes ids and words; traces begin at `at` (seconds since 1970), one a second."""

    seed: str
    at: int
    _random: random.Random = field(init=False)
    _words: list[str] = field(init=False)
    _passages: list[str] = field(init=False)

    def __post_init__(self) -> None:
        # The collection is the same whatever the traces are.
        self._random = random.Random("passages")
        syllables = _SYLLABLES.split()
        self._words = [
            "".join(self._random.choices(syllables, k=self._random.randint(2, 4)))
            for _ in range(3_000)
        ]
        self._passages = [self._text(_PASSAGE_LENGTH) for _ in range(_PASSAGES)]
        self._random = random.Random(self.seed)

    def batches(self, count: int) -> Iterator[Batch]:
        """So many requests of 50 traces each."""
        for _ in range(count):
            spans: list[Span] = []
            told = [self._trace(spans) for _ in range(TRACES_A_BATCH)]
            request = ExportTraceServiceRequest()
            resource: ResourceSpans = request.resource_spans.add()
            resource.resource.attributes.extend(
                _pairs({"service.name": "bench", "service.version": "1"})
            )
            scope: ScopeSpans = resource.scope_spans.add()
            scope.scope.name, scope.scope.version = "bench.instrumentation", "1"
            scope.spans.extend(spans)
            yield Batch(request.SerializeToString(), tuple(told))

    def collection(self) -> Iterator[dict[str, Any]]:
        """Records of what the index holds: sources of 20 passages each, from creator to chunk."""
        at = {"namespace": COLLECTION, "occurred_at": "2026-01-05T08:00:00Z"}
        for first in range(0, _PASSAGES, _OF_A_SOURCE):
            name = f"source-{first}"
            some = range(first, first + _OF_A_SOURCE)
            yield at | {
                "kind": "source", "key": name, "title": self._sentence(),
                "creators": [{"name": self._sentence()}],
            }  # fmt: skip
            yield at | {
                "kind": "source_version", "key": f"{name}@1", "source": name, "version": "1",
                "license": "CC-BY-4.0",
            }  # fmt: skip
            yield at | {
                "kind": "document", "key": f"{name}-text", "source_version": f"{name}@1",
                "text": "".join(self._passages[n] for n in some),
            }  # fmt: skip
            for place, n in enumerate(some):
                yield at | {
                    "kind": "chunk", "key": f"passage-{n}", "document": f"{name}-text",
                    "interval": {
                        "start": place * _PASSAGE_LENGTH, "end": (place + 1) * _PASSAGE_LENGTH,
                    },
                }  # fmt: skip
        yield at | {
            "kind": "index_snapshot", "key": SNAPSHOT, "collection": COLLECTION,
            "chunks": [f"passage-{n}" for n in range(_PASSAGES)],
        }  # fmt: skip

    def _trace(self, spans: list[Span]) -> Told:
        """Add the spans of one trace, children before their parents; its answer."""
        trace = self._random.randbytes(16)
        root, embedding, retriever, reranker, model = (self._random.randbytes(8) for _ in range(5))
        self.at += 1
        question = self._sentence() + "?"
        found = self._random.sample(range(_PASSAGES), _FOUND)
        kept = self._random.sample(found, _KEPT)
        answer = " ".join(f"{self._sentence()} [{n}]." for n in (1, 2, 3))

        def span(
            own: bytes, name: str, kind: str, at: float, attributes: Mapping[str, Any]
        ) -> None:
            start = self.at * _SECOND + int(at * _SECOND)
            spans.append(
                Span(
                    trace_id=trace, span_id=own, parent_span_id=b"" if own is root else root,
                    name=name, kind=Span.SPAN_KIND_INTERNAL, start_time_unix_nano=start,
                    end_time_unix_nano=start + _SECOND // 10,
                    attributes=_pairs({"openinference.span.kind": kind} | dict(attributes)),
                    status=Status(code=Status.STATUS_CODE_OK),
                )
            )  # fmt: skip

        span(embedding, "Embedder.embed", "EMBEDDING", 0.0, {
            "embedding.model_name": "embedder-1", "embedding.embeddings.0.embedding.text": question,
        })  # fmt: skip
        span(retriever, "Retriever.retrieve", "RETRIEVER", 0.2, {
            "input.value": question, "gen_ai.data_source.id": SNAPSHOT,
            **self._documents("retrieval.documents", found, content=True),
        })  # fmt: skip
        span(reranker, "Reranker.rerank", "RERANKER", 0.4, {
            "reranker.query": question, "reranker.model_name": "reranker-1",
            "reranker.top_k": _KEPT,
            **self._documents("reranker.input_documents", found, content=False),
            **self._documents("reranker.output_documents", kept, content=False),
        })  # fmt: skip
        passages = "\n".join(f"[{n}] {self._passages[k]}" for n, k in enumerate(kept, start=1))
        span(model, "Model.generate", "LLM", 0.6, {
            "llm.model_name": "model-1", "llm.provider": "example",
            "llm.token_count.prompt": 1_600, "llm.token_count.completion": 60,
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": f"{passages}\n\n{question}",
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": answer,
            "output.value": answer,
        })  # fmt: skip
        span(root, "pipeline", "CHAIN", 0.0, {
            "input.value": question, "output.value": answer, "session.id": f"s-{self.at % 97}",
        })  # fmt: skip
        return Told(trace.hex(), model.hex(), answer)

    def _documents(self, prefix: str, numbers: list[int], *, content: bool) -> dict[str, Any]:
        attributes: dict[str, Any] = {}
        for place, number in enumerate(numbers):
            before = f"{prefix}.{place}.document"
            attributes[f"{before}.id"] = f"passage-{number}"
            attributes[f"{before}.score"] = round(1 / (place + 1), 6)
            if content:
                attributes[f"{before}.content"] = self._passages[number]
        return attributes

    def _sentence(self) -> str:
        return " ".join(self._random.choices(self._words, k=12)).capitalize()

    def _text(self, length: int) -> str:
        words = self._random.choices(self._words, k=length // 4)
        return " ".join(words)[: length - 1].ljust(length - 1, "x") + "."


def _pairs(attributes: Mapping[str, str | float]) -> Iterator[KeyValue]:
    for key, value in attributes.items():
        match value:
            case int():
                told = AnyValue(int_value=value)
            case float():
                told = AnyValue(double_value=value)
            case _:
                told = AnyValue(string_value=value)
        yield KeyValue(key=key, value=told)
