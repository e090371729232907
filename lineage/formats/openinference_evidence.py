"""What stood behind the answer of one trace: what was found, offered, reranked and read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lineage.formats.openinference_documents import FoundDocument, Identity
from lineage.formats.openinference_identity import Known
from lineage.formats.openinference_prompts import PromptItem, items_in
from lineage.formats.openinference_spans import REDACTED, output_of, prompts_of
from lineage.formats.openinference_traces import FoundRetrieval, Trace, ended
from lineage.formats.otlp import Span
from lineage.formats.otlp_rag import StatedItem, context_items


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the answer of a trace could draw on, and what its model read of it.

    `feeding` are the retrievals that had ended when the answer had; `offered` what the last
    reranker was given, `reranked` what it gave back, by collection and key. `items` is what the
    model read; `items_known_from` says how that is known: "attributes" (stated), "prompt",
    "reranker", "retrieval" (an assumption, made where neither side can be read), or "" where
    there is no answer.
    """

    retrievals: tuple[FoundRetrieval, ...]
    feeding: tuple[FoundRetrieval, ...]
    reranker: Span | None
    offered: Mapping[Identity, FoundDocument]
    reranked: Mapping[Identity, FoundDocument]
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
    def read(self) -> frozenset[Identity]:
        """The chunks that the model read, by collection and key."""
        return frozenset(item.found.identity for item in self.items)


def evidence_of(trace: Trace) -> Evidence:
    """What stood behind the trace's answer."""
    before = [found for found in trace.rerankers if fed(trace, found.span)]
    last = before[-1] if before else None
    retrievals = trace.retrievals
    if not retrievals and last is not None and last.given:
        # Where no retriever was traced, what the reranker was given stands for what was found.
        retrievals = (FoundRetrieval(last.span, last.given, (), ()),)
    reranked = last.gave if last is not None else ()
    feeding = tuple(found for found in retrievals if fed(trace, found.span))
    items, known_from = _items(trace, feeding, reranked)
    return Evidence(
        retrievals=retrievals,
        feeding=feeding,
        reranker=last.span if last is not None else None,
        offered={each.identity: each for each in (last.given if last is not None else ())},
        reranked={each.identity: each for each in reranked},
        items=tuple(items),
        items_known_from=known_from,
    )


def fed(trace: Trace, span: Span) -> bool:
    """Whether the span can have fed the answer: it had ended when the answer had."""
    return trace.answer is None or ended(span) <= ended(trace.answer)


def _items(
    trace: Trace, feeding: tuple[FoundRetrieval, ...], reranked: tuple[FoundDocument, ...]
) -> tuple[list[PromptItem], str]:
    if trace.answer is None:
        return [], ""
    prompts = list(_prompts(trace, trace.answer))
    by_identity: dict[Identity, FoundDocument] = {}
    for document in (*(d for found in feeding for d in found.documents), *reranked):
        by_identity.setdefault(document.identity, document)
    documents = list(by_identity.values())
    stated = _stated_items(trace, trace.answer, documents)
    if stated:
        return stated, "attributes"
    items = items_in(documents, prompts)
    if items:
        return items, "prompt"
    if reranked:
        return _in_places(reranked), "reranker"
    if prompts and any(document.content for document in documents):
        return [], "prompt"
    if len(feeding) == 1:
        return _in_places(feeding[0].documents), "retrieval"
    return [PromptItem(each, n) for n, each in enumerate(documents, start=1)], "retrieval"


def _in_places(documents: Sequence[FoundDocument]) -> list[PromptItem]:
    """One list that is assumed read: each place of it is a position."""
    places = [(index, each) for each in documents for index in (each.index, *each.again)]
    return [PromptItem(each, index + 1) for index, each in sorted(places, key=lambda at: at[0])]


def _stated_items(
    trace: Trace, answer: Span, documents: Sequence[FoundDocument]
) -> list[PromptItem]:
    """What the answer's span, or the last prompt builder before it, states to have been read."""
    for span in (answer, *(b for b in reversed(trace.prompt_builders) if fed(trace, b))):
        stated = context_items(span)
        if stated:
            known, taken = Known(documents), set[Identity]()
            return [_stated_item(item, known, taken) for item in stated]
    return []


def _stated_item(item: StatedItem, known: Known, taken: set[Identity]) -> PromptItem:
    said = FoundDocument(
        item.position - 1, item.key, item.digest, None, None, item.collection, named=item.key
    )
    found = known.match(said, taken)
    taken.update({found.identity} if found else ())
    document = said
    if found is not None:
        document = replace(
            found,
            digest=item.digest or found.digest,
            collection=item.collection or found.collection,
        )
    return PromptItem(
        document=document,
        position=item.position,
        cut_at=item.end if item.start is not None else None,
        start=item.start or 0,
        truncated=item.truncated,
        of=found,
    )


def _prompts(trace: Trace, answer: Span) -> Iterator[str]:
    for span in (answer, *trace.inside(answer)):
        yield from prompts_of(span)
    for builder in reversed(trace.prompt_builders):
        built = output_of(builder) if fed(trace, builder) else None
        if built and built != REDACTED:
            yield built
