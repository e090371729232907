"""OpenTelemetry traces of RAG pipelines to native records: what was retrieved, read, answered, cited.

A trace carries the passages that a pipeline read, but not where they come from: its records
name chunks by key, in the namespace of their collection, and by digest where the metadata
confirms it, so that an index snapshot sent before or after says the rest. The mapping, field by
field, is in docs/guide/openinference.md and docs/guide/opentelemetry.md.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from lineage.formats.canonical import canonical_json
from lineage.formats.openinference_answers import AnswerRecords
from lineage.formats.openinference_documents import FoundDocument
from lineage.formats.openinference_doers import Doers
from lineage.formats.openinference_evidence import Evidence, evidence_of
from lineage.formats.openinference_naming import Naming, pseudonym
from lineage.formats.openinference_spans import QUERIES, class_of, parsed, question_in, said, small
from lineage.formats.openinference_steps import StepRecords
from lineage.formats.openinference_traces import FoundRetrieval, Trace, in_time, read_trace
from lineage.formats.otlp import Span, decode
from lineage.formats.otlp_dialects import in_one_vocabulary
from lineage.formats.writing import Told, instant, record, stated
from lineage.types import JsonValue

_TOP_K: Final = ("gen_ai.retrieval.top_k", "gen_ai.request.top_k", "rag.retrieval.top_k")


def to_records(trace: JsonValue, *, snapshot_namespace: str | None = None) -> list[JsonValue]:
    """The native records of every trace in an OTLP/JSON request, in the order of the stages.

    `snapshot_namespace` is the namespace of the index snapshot and its chunks, for traces that
    name a snapshot but not its collection (attribute `index.snapshot`); None leaves it open, and
    references then bind by a key that is unique in the workspace. Spans that cannot be used are
    passed over; `lineage.formats.otlp.decode` tells which.
    """
    return records_of(decode(trace).spans, snapshot_namespace=snapshot_namespace)


def records_of(spans: Iterable[Span], *, snapshot_namespace: str | None = None) -> list[JsonValue]:
    """The native records of spans of any number of traces, each (trace, span) once."""
    return [told.record for told in told_by(spans, snapshot_namespace=snapshot_namespace)]


def told_by(spans: Iterable[Span], *, snapshot_namespace: str | None = None) -> list[Told]:
    """The native records of spans of any number of traces, each with the spans that tell it.

    The same for any order of the spans. A component that several traces tell alike comes once.
    """
    by_trace: dict[str, list[Span]] = {}
    for span in spans:
        by_trace.setdefault(span.trace_id, []).append(in_one_vocabulary(span))
    records: list[Told] = []
    places: dict[bytes, int] = {}
    also: dict[int, list[str]] = {}
    for trace_id, held in sorted(by_trace.items()):
        writer = _TraceRecords(read_trace(trace_id, held), Naming(snapshot_namespace))
        for each in writer.records():
            if each.record["kind"] == "component":
                place = places.setdefault(canonical_json(each.record), len(records))
                if place < len(records):
                    also.setdefault(place, []).extend(each.spans)
                    continue
            records.append(each)
    for place, spans_too in also.items():
        first = records[place]
        records[place] = first._replace(spans=(*first.spans, *spans_too))
    return records


class _TraceRecords:
    """Writes the records of one trace."""

    def __init__(self, trace: Trace, naming: Naming) -> None:
        self._trace = trace
        self._naming = naming
        self._evidence: Evidence = evidence_of(trace)
        self._doers = Doers()
        everywhere = in_time(list(trace.spans.values()))
        self._user = pseudonym("user", _first_said(everywhere, "user.id", "enduser.id"))
        self._session = pseudonym("session", _first_said(everywhere, "session.id"))

    def records(self) -> list[Told]:
        """Components and runs, then what index runs made, then retrievals, then the answer."""
        steps = StepRecords(self._trace, self._naming, self._doers)
        made = list(steps.made())
        retrievals = [
            Told(self._retrieval(found), (found.span.key,)) for found in self._evidence.retrievals
        ]
        answers = AnswerRecords(
            self._trace, self._evidence, self._naming, self._doers, self._user, self._session
        )
        span = self._trace.answer
        answered = [] if span is None else [Told(made, (span.key,)) for made in answers.records()]
        steps.checks()
        return [*self._doers.records(), *made, *retrievals, *answered]

    def _retrieval(self, found: FoundRetrieval) -> JsonValue:
        span, reranker = found.span, self._evidence.reranker
        given = said(span.attributes, *QUERIES)
        query, options = question_in(given), parsed(given)
        top_k = options.get("top_k") if isinstance(options, dict) else None
        inner = (question_in(said(other.attributes, "input.value")) for other in found.inner)
        own_user = pseudonym("user", said(span.attributes, "user.id"))
        return record(
            "retrieval",
            span.key,
            occurred_at=instant(span.end or span.start),
            index_snapshot=self._naming.snapshot(span),
            query=query,
            query_variants=sorted({text for text in inner if text} - {query}) or None,
            user=own_user or self._user,
            filters=small(options.get("filters")) if isinstance(options, dict) else None,
            top_k=top_k if type(top_k) is int else _whole(span, *_TOP_K),
            candidates=list(self._candidates(found)),
            run=self._retrieve_run(span) if span is not reranker else None,
            rerank_run=self._rerank_run(reranker) if reranker is not None else None,
        )

    def _candidates(self, found: FoundRetrieval) -> Iterator[JsonValue]:
        assumed = "bm25" if "bm25" in class_of(found.span).lower() else "unknown"
        answered = self._trace.answer is not None
        read = self._evidence.read
        for documents, given in ((found.documents, True), (found.passed_over, False)):
            for document in documents:
                again = self._evidence.reranked.get(document.identity)
                told = document.kept if document.kept is not None else again and again.kept
                kept = told if told is not None else document.identity in read if answered else None
                yield stated(
                    chunk=self._naming.chunk(document, found.span),
                    rank=document.index + 1 if given else None,
                    score=document.score,
                    score_kind=(document.score_kind or assumed)
                    if document.score is not None
                    else None,
                    rerank_rank=again.index + 1 if again else None,
                    rerank_score=again.score if again else None,
                    kept=kept,
                    drop_reason=self._drop_reason(document, again, given=given)
                    if kept is False
                    else None,
                )

    def _drop_reason(
        self, document: FoundDocument, again: FoundDocument | None, *, given: bool
    ) -> str:
        """Why the model did not read it: as stated, or an inner find, the reranker, the prompt."""
        offered = self._evidence.offered.get(document.identity)
        for told in (document, again, offered):
            if told is not None and told.drop_reason is not None:
                return told.drop_reason
        if not given:
            return "passed_over"
        return "reranked_out" if offered is not None and again is None else "not_in_prompt"

    def _retrieve_run(self, span: Span) -> JsonValue:
        return self._doers.run("retrieve", span, self._doers.retriever(span))

    def _rerank_run(self, reranker: Span) -> JsonValue:
        top_k = _whole(reranker, "reranker.top_k")
        parameters: JsonValue = {"top_k": top_k} if top_k is not None else None
        return self._doers.run("rerank", reranker, self._doers.reranker(reranker), parameters)


def _whole(span: Span, *keys: str) -> int | None:
    """The first attribute that is a whole number; conventions send counts as doubles, too."""
    for key in keys:
        value = span.attributes.get(key)
        if type(value) is int or (isinstance(value, float) and value.is_integer()):
            return int(value)
    return None


def _first_said(spans: list[Span], *attributes: str) -> str | None:
    return next((text for span in spans if (text := said(span.attributes, *attributes))), None)
