"""OpenInference traces (OTLP/JSON) to native records: what was retrieved, read, answered, cited.

A trace carries the passages that a pipeline read, but not where they come from: its records
name chunks by key, in the namespace of their collection, and by digest where the metadata
confirms it, so that an index snapshot sent before or after says the rest. The mapping, field by
field, is in docs/guide/openinference.md.
"""

import hashlib
from collections.abc import Iterator
from typing import Final

from lineage.formats.openinference_doers import Doers
from lineage.formats.openinference_evidence import Evidence, evidence_of, fed
from lineage.formats.openinference_prompts import PromptItem
from lineage.formats.openinference_spans import (
    REDACTED,
    FoundDocument,
    class_of,
    output_of,
    parsed,
    question_in,
    said,
    shortened,
    small,
)
from lineage.formats.openinference_traces import FoundRetrieval, Trace, in_time, read_trace
from lineage.formats.otlp import Span, decode
from lineage.formats.writing import claim_records, instant, record, stated
from lineage.types import JsonValue

_MODEL_NAMES: Final = (
    "llm.response.model_name", "llm.model_name", "llm.request.model_name",
    "gen_ai.response.model", "gen_ai.request.model",
)  # fmt: skip
_PROVIDER_NAMES: Final = ("llm.provider", "llm.system", "gen_ai.provider.name", "gen_ai.system")
_TOKEN_COUNTS: Final = (
    "llm.token_count.prompt", "llm.token_count.completion", "llm.token_count.total",
)  # fmt: skip
_QUERIES: Final = ("input.value", "reranker.query", "gen_ai.retrieval.query.text")


def to_records(trace: JsonValue, *, snapshot_namespace: str | None = None) -> list[JsonValue]:
    """The native records of every trace in an OTLP/JSON request, in the order of the stages.

    `snapshot_namespace` is the namespace of the index snapshot and its chunks, for traces that
    name a snapshot but not its collection (attribute `index.snapshot`); None leaves it open, and
    references then bind by a key that is unique in the workspace. Spans that cannot be used are
    passed over; `lineage.formats.otlp.decode` tells which.
    """
    by_trace: dict[str, list[Span]] = {}
    for span in decode(trace).spans:
        by_trace.setdefault(span.trace_id, []).append(span)
    records: list[JsonValue] = []
    for trace_id, spans in sorted(by_trace.items()):
        writer = _TraceRecords(read_trace(trace_id, spans), snapshot_namespace)
        records.extend(writer.records())
    return records


class _TraceRecords:
    """Writes the records of one trace."""

    def __init__(self, trace: Trace, snapshot_namespace: str | None) -> None:
        self._trace = trace
        self._evidence: Evidence = evidence_of(trace)
        self._snapshot_namespace = snapshot_namespace
        self._doers = Doers()
        self._origins = {
            document.key: retrieval.span
            for retrieval in reversed(self._evidence.retrievals)
            for document in retrieval.documents
        }
        everywhere = in_time(list(trace.spans.values()))
        self._session = _first_said(everywhere, "session.id")
        self._user = _first_said(everywhere, "user.id")

    def records(self) -> list[JsonValue]:
        """Components and runs, then retrievals, then context, answer, claims and citations."""
        retrievals = [self._retrieval(found) for found in self._evidence.retrievals]
        answer = self._trace.answer
        answered = list(self._answered(answer)) if answer else []
        return [*self._doers.records(), *retrievals, *answered]

    def _retrieval(self, found: FoundRetrieval) -> JsonValue:
        span, reranker = found.span, self._evidence.reranker
        given = said(span.attributes, *_QUERIES)
        query, options = question_in(given), parsed(given)
        top_k = options.get("top_k") if isinstance(options, dict) else None
        inner = (question_in(said(other.attributes, "input.value")) for other in found.inner)
        return record(
            "retrieval",
            _key(span),
            occurred_at=instant(span.end or span.start),
            index_snapshot=self._snapshot(span),
            query=query,
            query_variants=sorted({text for text in inner if text} - {query}) or None,
            user=_pseudonym("user", said(span.attributes, "user.id") or self._user),
            filters=small(options.get("filters")) if isinstance(options, dict) else None,
            top_k=top_k if type(top_k) is int else None,
            candidates=list(self._candidates(found)),
            run=self._retrieve_run(span) if span is not reranker else None,
            rerank_run=self._rerank_run(reranker) if reranker is not None else None,
        )

    def _candidates(self, found: FoundRetrieval) -> Iterator[JsonValue]:
        score_kind = "bm25" if "bm25" in class_of(found.span).lower() else "unknown"
        answered = self._trace.answer is not None
        read = self._evidence.read
        for documents, given in ((found.documents, True), (found.passed_over, False)):
            for document in documents:
                again = self._evidence.reranked.get(document.key)
                kept = document.key in read
                yield stated(
                    chunk=self._chunk(document, found.span),
                    rank=document.index + 1 if given else None,
                    score=document.score,
                    score_kind=score_kind if document.score is not None else None,
                    rerank_rank=again.index + 1 if again else None,
                    rerank_score=again.score if again else None,
                    kept=kept if answered else None,
                    drop_reason=self._drop_reason(document, given=given)
                    if answered and not kept
                    else None,
                )

    def _drop_reason(self, document: FoundDocument, *, given: bool) -> str:
        """Why the model did not read it: an inner retriever's find, the reranker, or the prompt."""
        if not given:
            return "passed_over"
        evidence = self._evidence
        cut = document.key in evidence.offered and document.key not in evidence.reranked
        return "reranked_out" if cut else "not_in_prompt"

    def _retrieve_run(self, span: Span) -> JsonValue:
        return self._doers.run("retrieve", span, self._doers.retriever(span))

    def _rerank_run(self, reranker: Span) -> JsonValue:
        top_k = reranker.attributes.get("reranker.top_k")
        parameters = {"top_k": top_k} if type(top_k) is int else None
        return self._doers.run("rerank", reranker, self._doers.reranker(reranker), parameters)

    def _snapshot(self, span: Span) -> JsonValue:
        source = _data_source(span)
        if source is not None:
            return {"key": source, "namespace": source.partition("@")[0]}
        name = said(span.attributes, "index.snapshot") or said(span.resource, "index.snapshot")
        return {"key": shortened(name), "namespace": self._snapshot_namespace} if name else None

    def _chunk(self, document: FoundDocument, span: Span | None) -> JsonValue:
        """A reference to the document's chunk, in the collection of the span that found it."""
        source = _data_source(span) if span else None
        namespace = source.partition("@")[0] if source else self._snapshot_namespace
        ref: dict[str, JsonValue] = {"key": document.key, "namespace": namespace}
        return ref | ({"digest": document.digest} if document.digest else {})

    def _answered(self, span: Span) -> Iterator[JsonValue]:
        key = _key(span)
        text = output_of(span) or ""
        at = instant(span.end or span.start)
        model = said(span.attributes, *_MODEL_NAMES)
        provider = said(span.attributes, *_PROVIDER_NAMES)
        context = self._context(span)
        if context is not None:
            yield context
        yield record(
            "answer",
            key,
            occurred_at=at,
            context=context["key"] if context is not None else None,
            question=self._question(span),
            text=text,
            model=model,
            provider=provider,
            parameters=_parameters(span),
            session=_pseudonym("session", said(span.attributes, "session.id") or self._session),
            user=_pseudonym("user", said(span.attributes, "user.id") or self._user),
            run=self._doers.run("generate", span, self._doers.model(span, model, provider)),
            attributes=_token_counts(span),
        )
        if text != REDACTED:
            yield from claim_records(key, text, at)

    def _context(self, answer: Span) -> JsonValue:
        """What the model was given; None where that was neither passage nor template."""
        evidence = self._evidence
        prompt = self._prompt(answer)
        if not (evidence.feeding or evidence.items or prompt):
            return None
        return record(
            "context",
            f"{_key(answer)}#context",
            occurred_at=instant(answer.start or answer.end),
            retrieval=[_key(found.span) for found in evidence.feeding] or None,
            items=[self._item(item) for item in evidence.items],
            prompt=prompt,
            attributes={"items_known_from": evidence.items_known_from},
        )

    def _item(self, item: PromptItem) -> JsonValue:
        cut = item.cut_at is not None
        return stated(
            chunk=self._chunk(item.document, self._origins.get(item.document.key)),
            position=item.position,
            interval={"start": 0, "end": item.cut_at, "in": "chunk"} if cut else None,
            truncated=True if cut else None,
        )

    def _question(self, answer: Span) -> str | None:
        """What was asked: the words that reached the pipeline, else those of its prompt or query."""
        root = self._trace.root_of(answer)
        asked = said(root.attributes, "input.value") if root is not answer else None
        if asked is not None and not isinstance(parsed(asked), dict | list):
            return asked
        for span in (answer, *reversed(self._trace.prompt_builders)):
            variables = said(span.attributes, "llm.prompt_template.variables")
            if isinstance(parsed(variables), dict) and (question := question_in(variables)):
                return question
        queries = (said(f.span.attributes, *_QUERIES) for f in self._evidence.feeding)
        return next((text for given in (asked, *queries) if (text := question_in(given))), None)

    def _prompt(self, answer: Span) -> JsonValue:
        """The template that the answer's prompt was made from, as a component."""
        builders = [b for b in self._trace.prompt_builders if fed(self._trace, b)]
        for span in (answer, *reversed(builders)):
            template = said(span.attributes, "llm.prompt_template.template")
            if template is not None:
                return self._doers.prompt(span, template)
        return None


def _key(span: Span) -> str:
    return f"{span.trace_id}:{span.span_id}"


def _data_source(span: Span) -> str | None:
    name = said(span.attributes, "gen_ai.data_source.id")
    return shortened(name) if name else None


def _parameters(span: Span) -> JsonValue:
    given = said(span.attributes, "llm.invocation_parameters")
    parameters = small(parsed(given))
    if isinstance(parameters, dict):
        return parameters
    return {"as_sent": given} if given else None


def _token_counts(span: Span) -> JsonValue:
    counts = {name: span.attributes.get(name) for name in _TOKEN_COUNTS}
    return {name: count for name, count in counts.items() if type(count) is int} or None


def _first_said(spans: list[Span], attribute: str) -> str | None:
    return next((text for span in spans if (text := said(span.attributes, attribute))), None)


def _pseudonym(word: str, value: str | None) -> str | None:
    """A name for a person or session that is the same in every trace and is not theirs."""
    if value is None:
        return None
    digest = hashlib.sha256(f"{word}:{value}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"{word}-{digest[:16]}"
