"""The spans of one trace by what they are: retrievals, rerankers, prompt builders, the answer.

Spans may come in any order, children first, and their parents may be missing.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lineage.formats.openinference_documents import FoundDocument, documents_of
from lineage.formats.openinference_identity import Known, adopted, collisions_in, told_apart
from lineage.formats.openinference_naming import collection_said
from lineage.formats.openinference_spans import is_prompt_builder, kind_of, output_of
from lineage.formats.otlp import Span


@dataclass(frozen=True, slots=True)
class FoundRetrieval:
    """A retrieval: the span that decided, what it gave, and what only spans inside it had found."""

    span: Span
    documents: tuple[FoundDocument, ...]
    passed_over: tuple[FoundDocument, ...]
    inner: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class FoundReranking:
    """A reranker: what it was given, and what it gave back."""

    span: Span
    given: tuple[FoundDocument, ...]
    gave: tuple[FoundDocument, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """One trace. `spans` by span id; the lists in the order of time."""

    trace_id: str
    spans: Mapping[str, Span]
    retrievals: tuple[FoundRetrieval, ...]
    rerankers: tuple[FoundReranking, ...]
    prompt_builders: tuple[Span, ...]
    answer: Span | None

    def inside(self, outer: Span) -> list[Span]:
        """The model spans anywhere below a span, in the order of time."""
        below = _nearest(self.spans, {outer.span_id})
        inner = [
            s for s in self.spans.values() if s is not outer and below[s.span_id] == outer.span_id
        ]
        return in_time([span for span in inner if kind_of(span) == "LLM"])

    def root_of(self, span: Span) -> Span:
        """The outermost span around a span that the trace holds."""
        return list(_upwards(self.spans, span))[-1]


def in_time(spans: Collection[Span]) -> list[Span]:
    """Spans by their end; equal ones by id, so that the order of sending never matters."""
    return sorted(spans, key=lambda span: (ended(span), span.span_id))


def ended(span: Span) -> int:
    """When the span ended, in nanoseconds; its start where no end is stated, else 0."""
    return span.end or span.start or 0


def read_trace(trace_id: str, spans: Sequence[Span]) -> Trace:
    """The trace of these spans, each of them once."""
    by_id = {span.span_id: span for span in in_time(spans)}
    ordered = list(by_id.values())
    retrievals, rerankers = _settled(_retrievals(by_id), _rerankings(ordered))
    return Trace(
        trace_id=trace_id,
        spans=by_id,
        retrievals=retrievals,
        rerankers=rerankers,
        prompt_builders=tuple(span for span in ordered if is_prompt_builder(span)),
        answer=_answer(by_id),
    )


def _answer(spans: Mapping[str, Span]) -> Span | None:
    """The model span with output that ends last; of several, the outermost."""
    telling = [
        span
        for span in spans.values()
        if kind_of(span) == "LLM" and not is_prompt_builder(span) and output_of(span) is not None
    ]
    if not telling:
        return None
    last = max(ended(span) for span in telling)
    tied = [span for span in telling if ended(span) == last]
    if len(tied) == 1:
        return tied[0]
    around = _nearest(spans, {span.span_id for span in tied})
    outer = [span for span in tied if around[span.span_id] is None]
    return (outer or tied)[0]


@dataclass(frozen=True, slots=True)
class _Retrieval:
    """A retrieval whose chunks are not told apart yet; `inner` are the spans inside it and their lists."""

    span: Span
    given: list[FoundDocument]
    inner: list[tuple[Span, list[FoundDocument]]]


def _retrievals(spans: Mapping[str, Span]) -> list[_Retrieval]:
    """Frameworks nest retrievers: the outermost with documents decided, those inside it fed it."""
    retrievers = [span for span in spans.values() if kind_of(span) == "RETRIEVER"]
    around = _nearest(spans, {span.span_id for span in retrievers})
    inner: dict[str | None, list[Span]] = {}
    for span in retrievers:
        inner.setdefault(around[span.span_id], []).append(span)
    documents = {
        s.span_id: documents_of(s.attributes, "retrieval.documents", collection_said(s))
        for s in retrievers
    }
    # Those with documents somewhere inside them.
    around_documents: set[str] = set()
    for span in retrievers:
        outer = around[span.span_id] if documents[span.span_id] else None
        while outer is not None and outer not in around_documents:
            around_documents.add(outer)
            outer = around[outer]
    found: list[_Retrieval] = []
    reached: set[str] = set()
    waiting = list(inner.get(None, []))
    while waiting:
        span = waiting.pop()
        reached.add(span.span_id)
        if not documents[span.span_id] and span.span_id in around_documents:
            waiting.extend(inner[span.span_id])
            continue
        below = _all_below(span, inner)
        reached.update(other.span_id for other in below)
        found.append(_retrieval(span, below, documents))
    # Of parents that go in a circle none is outermost; each retriever then stands for itself.
    circling = [span for span in retrievers if span.span_id not in reached]
    found.extend(_retrieval(span, [], documents) for span in circling)
    return sorted(found, key=lambda retrieval: (ended(retrieval.span), retrieval.span.span_id))


def _retrieval(
    span: Span, below: list[Span], documents: Mapping[str, list[FoundDocument]]
) -> _Retrieval:
    found = Known(document for other in below for document in documents[other.span_id])
    given = adopted(documents[span.span_id], found)
    known = Known(given)
    inner = [(other, adopted(documents[other.span_id], known)) for other in below]
    return _Retrieval(span, given, inner)


def _rerankings(spans: Sequence[Span]) -> Iterator[FoundReranking]:
    for span in spans:
        if kind_of(span) == "RERANKER" and any(
            key.startswith("reranker.output_documents.") for key in span.attributes
        ):
            given, gave = (
                tuple(documents_of(span.attributes, f"reranker.{each}_documents"))
                for each in ("input", "output")
            )
            yield FoundReranking(span, given, gave)


def _settled(
    retrievals: Sequence[_Retrieval], rerankings: Iterable[FoundReranking]
) -> tuple[tuple[FoundRetrieval, ...], tuple[FoundReranking, ...]]:
    """Both with every document under the collection and key that tell its chunk apart."""
    lists = [each for r in retrievals for each in (r.given, *(inner for _, inner in r.inner))]
    known = Known(document for each in lists for document in each)
    reranked = [(r.span, adopted(r.given, known), adopted(r.gave, known)) for r in rerankings]
    lists += [each for _, given, gave in reranked for each in (given, gave)]
    collided = {identity for each in lists for identity in collisions_in(each)}
    found: list[FoundRetrieval] = []
    for each in retrievals:
        given = told_apart(each.given, collided)
        inner = told_apart((d for _, found in each.inner for d in found), collided)
        chosen = {document.identity for document in given}
        passed_over = tuple(document for document in inner if document.identity not in chosen)
        found.append(
            FoundRetrieval(each.span, tuple(given), passed_over, tuple(s for s, _ in each.inner))
        )
    return tuple(found), tuple(
        FoundReranking(span, tuple(told_apart(given, collided)), tuple(told_apart(gave, collided)))
        for span, given, gave in reranked
    )


def _all_below(span: Span, inner: Mapping[str | None, list[Span]]) -> list[Span]:
    found: list[Span] = []
    waiting = list(inner.get(span.span_id, []))
    while waiting:
        below = waiting.pop()
        found.append(below)
        waiting.extend(inner.get(below.span_id, []))
    return in_time(found)


def _upwards(spans: Mapping[str, Span], span: Span) -> Iterator[Span]:
    """The span and those around it, as far as the trace holds them; each once."""
    seen: set[str] = set()
    here: Span | None = span
    while here is not None and here.span_id not in seen:
        seen.add(here.span_id)
        yield here
        here = spans.get(here.parent_id) if here.parent_id else None


def _nearest(spans: Mapping[str, Span], wanted: Collection[str]) -> dict[str, str | None]:
    """For each span the nearest wanted span above it, in one pass over the trace."""
    answers: dict[str, str | None] = {}
    for span in spans.values():
        path: list[str] = []
        on_path: set[str] = set()
        here: Span | None = span
        found: str | None = None
        while here is not None and here.span_id not in answers and here.span_id not in on_path:
            path.append(here.span_id)
            on_path.add(here.span_id)
            here = spans.get(here.parent_id) if here.parent_id else None
        if here is not None:
            found = here.span_id if here.span_id in wanted else answers.get(here.span_id)
        for span_id in reversed(path):
            answers[span_id] = found
            if span_id in wanted:
                found = span_id
    return answers
