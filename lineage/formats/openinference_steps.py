"""Steps of a trace beside retrieval and answer: chunks that were cut, embeddings, evaluations."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from lineage.formats.openinference_answers import MODEL_NAMES, PROVIDER_NAMES
from lineage.formats.openinference_doers import Doers
from lineage.formats.openinference_naming import Naming
from lineage.formats.openinference_spans import is_prompt_builder, kind_of, said, shortened
from lineage.formats.openinference_traces import Trace, in_time
from lineage.formats.otlp import Span, indexed
from lineage.formats.otlp_rag import chunk_rows, digest_of, key_of, number, rows
from lineage.formats.writing import Told, instant, record
from lineage.types import JsonValue

_LABEL: Final = 200  # characters of a label that are kept
_ANNOTATIONS: Final = {
    "annotations": "annotation", "evaluations": "evaluation",
    "trace.annotations": "annotation", "trace.evaluations": "evaluation",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A judgement on an answer; its explanation is words about words, and is not kept."""

    name: str
    score: float | None
    label: str | None
    response_id: str | None = None
    at: int | None = None


class StepRecords:
    """Writes what index runs made, and the runs of embeddings, models and evaluations."""

    def __init__(self, trace: Trace, naming: Naming, doers: Doers) -> None:
        self._trace, self._naming, self._doers = trace, naming, doers
        self._spans = in_time(list(trace.spans.values()))

    def made(self) -> Iterator[Told]:
        """Chunks and embeddings that spans say they made; all embedding spans become runs."""
        for span in self._spans:
            if kind_of(span) == "EMBEDDING":
                yield from (Told(made, (span.key,)) for made in self._embedded(span))
            elif span.whole.get("rag.operation") == "chunk":
                yield from (Told(made, (span.key,)) for made in self._cut(span))

    def checks(self) -> None:
        """Evaluations as runs that used the answer; of a trace of model calls alone, these calls."""
        for span in self._spans:
            for place, found in enumerate(evaluations_of(span), start=1):
                self._check(span, place, found)
        if self._trace.answer is not None or self._trace.retrievals:
            return
        for span in self._spans:
            if kind_of(span) == "LLM" and not is_prompt_builder(span):
                model = said(span.attributes, *MODEL_NAMES)
                provider = said(span.attributes, *PROVIDER_NAMES)
                self._doers.run("generate", span, self._doers.model(span, model, provider))

    def _cut(self, span: Span) -> Iterator[JsonValue]:
        run = self._doers.run("chunk", span, self._doers.chunker(span))
        collection = self._naming.collection(span)
        for row in chunk_rows(span):
            start, end = number(row.get("start")), number(row.get("end"))
            content = row.get("content")
            path = row.get("heading_path")
            yield record(
                "chunk",
                key_of(row) or "",
                namespace=collection,
                occurred_at=instant(span.end or span.start),
                document={"key": row["document"], "namespace": collection or ""},
                interval={"start": start, "end": end}
                if start is not None and end is not None
                else None,
                text=content if isinstance(content, str) and content else None,
                digest=digest_of(row) or None,
                heading_path=path if _is_words(path) else None,
                index=number(row.get("index")),
                run=run,
            )

    def _embedded(self, span: Span) -> Iterator[JsonValue]:
        model = said(span.attributes, "embedding.model_name", *MODEL_NAMES)
        provider = said(span.attributes, *PROVIDER_NAMES)
        dimensions = _dimensions(span)
        parameters: JsonValue = {"dimensions": dimensions} if dimensions else None
        run = self._doers.run(
            "embed", span, self._doers.embedder(span, model, provider), parameters
        )
        collection = self._naming.collection(span)
        for row in rows(span, "rag.chunks"):
            key = key_of(row)
            if key is None or model is None:
                continue
            digest = digest_of(row)
            ref: dict[str, JsonValue] = {"key": key, "namespace": collection}
            vector = row.get("vector_digest")
            yield record(
                "embedding",
                shortened(f"{key}@{model}"),
                namespace=collection,
                occurred_at=instant(span.end or span.start),
                chunk=ref | ({"digest": digest} if digest else {}),
                model=model,
                dimensions=dimensions,
                vector_digest=vector if isinstance(vector, str) else None,
                run=run,
            )

    def _check(self, span: Span, place: int, found: Evaluation) -> None:
        answer = self._trace.answer
        used: JsonValue = None
        if answer is not None and found.response_id in (
            None, said(answer.attributes, "gen_ai.response.id"),
        ):  # fmt: skip
            used = [{"kind": "answer", "key": answer.key}]
        told: dict[str, JsonValue] = {"score": found.score, "label": found.label}
        self._doers.check(
            f"{span.key}#check-{place}",
            span,
            found.name,
            at=instant(found.at or span.end or span.start),
            used=used,
            parameters={name: value for name, value in told.items() if value is not None} or None,
        )


def evaluations_of(span: Span) -> list[Evaluation]:
    """The evaluations on a span: GenAI events, OpenInference annotations, in the order sent."""
    found = [
        _evaluation(
            event.attributes,
            "gen_ai.evaluation.name",
            "gen_ai.evaluation.score.value",
            "gen_ai.evaluation.score.label",
            at=event.at,
        )
        for event in span.events
        if event.name == "gen_ai.evaluation.result"
    ]
    judged = any(".annotation." in key or ".evaluation." in key for key in span.attributes)
    for prefix, word in _ANNOTATIONS.items() if judged else ():
        for _, fields in indexed(span.attributes, prefix):
            found.append(_evaluation(fields, f"{word}.name", f"{word}.score", f"{word}.label"))
    return [each for each in found if each is not None]


def _evaluation(
    fields: Mapping[str, JsonValue],
    name_key: str,
    score_key: str,
    label_key: str,
    at: int | None = None,
) -> Evaluation | None:
    name, score, label = said(fields, name_key), fields.get(score_key), said(fields, label_key)
    if name is None:
        return None
    real = isinstance(score, int | float) and not isinstance(score, bool)
    return Evaluation(
        name=shortened(name),
        score=score if real else None,
        label=label[:_LABEL] if label else None,
        response_id=said(fields, "gen_ai.response.id"),
        at=at,
    )


def _dimensions(span: Span) -> int | None:
    stated = number(span.attributes.get("gen_ai.embeddings.dimension.count"))
    if stated:
        return stated
    for _, fields in indexed(span.attributes, "embedding.embeddings"):
        vector = fields.get("embedding.vector")
        if isinstance(vector, list) and len(vector) > 1:
            return len(vector)
    return None


def _is_words(value: JsonValue) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
