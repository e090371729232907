"""What stood behind the answer of one trace: what was found, offered, reranked and read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from lineage.formats.openinference_documents import FoundDocument, documents_of
from lineage.formats.openinference_prompts import PromptItem, items_in
from lineage.formats.openinference_spans import REDACTED, output_of, prompts_of
from lineage.formats.openinference_traces import FoundRetrieval, Trace, ended
from lineage.formats.otlp import Span
from lineage.formats.otlp_rag import StatedItem, context_items


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the answer of a trace could draw on, and what its model read of it.

    `feeding` are the retrievals that had ended when the answer had; `offered` the keys that the
    last reranker was given, `reranked` what it gave back. `items` is what the model read;
    `items_known_from` says how that is known: "attributes" (stated), "prompt", "reranker",
    "retrieval" (an assumption, made where neither side can be read), or "" where there is no answer.
    """

    retrievals: tuple[FoundRetrieval, ...]
    feeding: tuple[FoundRetrieval, ...]
    reranker: Span | None
    offered: Mapping[str, FoundDocument]
    reranked: Mapping[str, FoundDocument]
    items: tuple[PromptItem, ...]
    items_known_from: str

    @property
    def positions_known_from(self) -> str | None:
        """Whether the items' positions are "attributes", printed in the "prompt", or only their "order"."""
        if not self.items or self.items_known_from == "attributes":
            return "attributes" if self.items else None
        printed = self.items_known_from == "prompt" and not any(i.counted for i in self.items)
        return "prompt" if printed else "order"

    @property
    def read(self) -> frozenset[str]:
        """The keys of the chunks that the model read."""
        return frozenset(item.document.key for item in self.items)


def evidence_of(trace: Trace) -> Evidence:
    """What stood behind the trace's answer."""
    before = [span for span in trace.rerankers if fed(trace, span)]
    reranker = before[-1] if before else None
    retrievals = trace.retrievals or tuple(_retrieval_of(reranker))
    known = {
        document.content: document.key
        for retrieval in retrievals
        for document in (*retrieval.documents, *retrieval.passed_over)
        if document.content is not None
    }
    reranked = _documents(reranker, "reranker.output_documents", known)
    offered = _documents(reranker, "reranker.input_documents", known)
    feeding = tuple(found for found in retrievals if fed(trace, found.span))
    items, known_from = _items(trace, feeding, reranked)
    return Evidence(
        retrievals=retrievals,
        feeding=feeding,
        reranker=reranker,
        offered={document.key: document for document in offered},
        reranked={document.key: document for document in reranked},
        items=tuple(items),
        items_known_from=known_from,
    )


def fed(trace: Trace, span: Span) -> bool:
    """Whether the span can have fed the answer: it had ended when the answer had."""
    return trace.answer is None or ended(span) <= ended(trace.answer)


def _documents(reranker: Span | None, prefix: str, known: Mapping[str, str]) -> list[FoundDocument]:
    return [] if reranker is None else documents_of(reranker.attributes, prefix, known)


def _retrieval_of(reranker: Span | None) -> Iterator[FoundRetrieval]:
    """Where no retriever was traced, what the reranker was given stands for what was found."""
    given = _documents(reranker, "reranker.input_documents", {})
    if reranker is not None and given:
        yield FoundRetrieval(reranker, tuple(given), (), ())


def _items(
    trace: Trace, feeding: tuple[FoundRetrieval, ...], reranked: list[FoundDocument]
) -> tuple[list[PromptItem], str]:
    if trace.answer is None:
        return [], ""
    prompts = list(_prompts(trace, trace.answer))
    documents: dict[str, FoundDocument] = {}
    for document in (*(d for found in feeding for d in found.documents), *reranked):
        documents.setdefault(document.key, document)
    stated = _stated_items(trace, trace.answer, documents)
    if stated:
        return stated, "attributes"
    items = items_in(list(documents.values()), prompts)
    if items:
        return items, "prompt"
    if reranked:
        return _in_order(reranked), "reranker"
    if prompts and any(document.content for document in documents.values()):
        return [], "prompt"
    return _in_order(list(documents.values())), "retrieval"


def _stated_items(
    trace: Trace, answer: Span, documents: Mapping[str, FoundDocument]
) -> list[PromptItem]:
    """What the answer's span, or the last prompt builder before it, states to have been read."""
    for span in (answer, *(b for b in reversed(trace.prompt_builders) if fed(trace, b))):
        items = [
            PromptItem(
                document=_stated_document(item, documents.get(item.key)),
                position=item.position,
                cut_at=item.end if item.start is not None else None,
                start=item.start or 0,
                truncated=item.truncated,
            )
            for item in context_items(span)
        ]
        if items:
            return items
    return []


def _stated_document(item: StatedItem, found: FoundDocument | None) -> FoundDocument:
    """The document that was found under the key, as the item says it."""
    document = found or FoundDocument(item.position - 1, item.key, "", None, None)
    return replace(
        document,
        digest=item.digest or document.digest,
        collection=item.collection or document.collection,
    )


def _prompts(trace: Trace, answer: Span) -> Iterator[str]:
    for span in (answer, *trace.inside(answer)):
        yield from prompts_of(span)
    for builder in reversed(trace.prompt_builders):
        built = output_of(builder) if fed(trace, builder) else None
        if built and built != REDACTED:
            yield built


def _in_order(documents: list[FoundDocument]) -> list[PromptItem]:
    return [PromptItem(document, n) for n, document in enumerate(documents, start=1)]
