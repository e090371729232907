"""The answer of one trace as native records: its context, its words, its claims and citations."""

from collections.abc import Iterator
from typing import Final

from lineage.formats.openinference_documents import FoundDocument
from lineage.formats.openinference_doers import Doers
from lineage.formats.openinference_evidence import Evidence, fed
from lineage.formats.openinference_identity import Known
from lineage.formats.openinference_naming import Naming, collection_said, pseudonym
from lineage.formats.openinference_prompts import PromptItem
from lineage.formats.openinference_spans import (
    QUERIES,
    REDACTED,
    output_of,
    parsed,
    question_in,
    said,
    shortened,
    small,
    words_of_user,
)
from lineage.formats.openinference_traces import Trace
from lineage.formats.otlp import Span
from lineage.formats.otlp_rag import StatedCitation, claims_stated, markers_stated
from lineage.formats.writing import CitedAs, WrittenClaim, claim_records, instant, record, stated
from lineage.types import JsonValue

MODEL_NAMES: Final = (
    "llm.response.model_name", "llm.model_name", "llm.request.model_name",
    "gen_ai.response.model", "gen_ai.request.model",
)  # fmt: skip
PROVIDER_NAMES: Final = ("llm.provider", "llm.system", "gen_ai.provider.name", "gen_ai.system")
_TOKEN_COUNTS: Final = (
    "llm.token_count.prompt", "llm.token_count.completion", "llm.token_count.total",
)  # fmt: skip
_LONGEST_QUESTION: Final = 4_000  # characters of a message that may be taken for one


class AnswerRecords:
    """Writes what the answering span of a trace says."""

    def __init__(
        self,
        trace: Trace,
        evidence: Evidence,
        naming: Naming,
        doers: Doers,
        user: str | None,
        session: str | None,
    ) -> None:
        self._trace, self._evidence = trace, evidence
        self._naming, self._doers = naming, doers
        self._user, self._session = user, session
        self._origins = {
            document.identity: retrieval.span
            for retrieval in reversed(evidence.retrievals)
            for document in retrieval.documents
        }
        self._read: Known | None = None

    def records(self) -> Iterator[JsonValue]:
        """Context, answer, claims, citations; nothing where the trace has no answer."""
        span = self._trace.answer
        if span is None:
            return
        text = output_of(span) or ""
        at = instant(span.end or span.start)
        model = said(span.attributes, *MODEL_NAMES)
        provider = said(span.attributes, *PROVIDER_NAMES)
        context = self._context(span)
        if context is not None:
            yield context
        abstained = span.whole.get("rag.abstained")
        served = said(span.attributes, "rag.served_from")
        yield record(
            "answer",
            span.key,
            occurred_at=at,
            context=context["key"] if context is not None else None,
            question=self._question(span),
            text=text,
            model=model,
            provider=provider,
            parameters=_parameters(span),
            session=pseudonym("session", said(span.attributes, "session.id")) or self._session,
            user=pseudonym("user", said(span.attributes, "user.id")) or self._user,
            served_from=shortened(served) if served else None,
            abstained=abstained if isinstance(abstained, bool) else None,
            run=self._doers.run("generate", span, self._doers.model(span, model, provider)),
            attributes=_facts(span),
        )
        if text != REDACTED:
            yield from self._claims(span, text, at)

    def _claims(self, span: Span, text: str, at: str | None) -> Iterator[JsonValue]:
        """The claims that the span states, else those that its text and its markers make."""
        claims = claims_stated(span)
        written = None
        if claims is not None:
            written = [
                WrittenClaim(
                    text=claim.text,
                    interval=None
                    if claim.start is None or claim.end is None
                    else (claim.start, claim.end),
                    citations=tuple(self._cited(span, each) for each in claim.citations),
                )
                for claim in claims
            ]
        meanings = {m: self._cited(span, each) for m, each in markers_stated(span).items()}
        counted = self._evidence.positions_known_from == "order"
        yield from claim_records(
            span.key, text, at, claims=written, meanings=meanings, counted=counted
        )

    def _cited(self, span: Span, citation: StatedCitation) -> CitedAs:
        chunk: JsonValue = None
        if citation.key is not None:
            said = FoundDocument(
                0,
                citation.key,
                citation.digest,
                None,
                None,
                citation.collection,
                named=citation.key,
            )
            self._read = self._read or Known(item.document for item in self._evidence.items)
            known = self._read.match(said)
            origin = self._origins.get(known.identity) if known is not None else None
            chunk = self._naming.chunk(known or said, origin or span)
        return CitedAs(
            marker=citation.marker,
            position=citation.position if chunk is None else None,
            chunk=chunk,
            quote=citation.quote,
            confidence=citation.confidence,
        )

    def _context(self, answer: Span) -> JsonValue:
        """What the model was given; None where that was neither passage nor template."""
        evidence = self._evidence
        prompt = self._prompt(answer)
        if not (evidence.feeding or evidence.items or prompt):
            return None
        return record(
            "context",
            f"{answer.key}#context",
            occurred_at=instant(answer.start or answer.end),
            retrieval=[found.span.key for found in evidence.feeding] or None,
            items=[self._item(item, answer) for item in evidence.items],
            prompt=prompt,
            attributes=stated(
                items_known_from=evidence.items_known_from,
                positions_known_from=evidence.positions_known_from,
            ),
        )

    def _item(self, item: PromptItem, answer: Span) -> JsonValue:
        cut = item.cut_at is not None
        return stated(
            chunk=self._naming.chunk(
                item.document, self._origins.get(item.found.identity) or self._finder(answer)
            ),
            position=item.position,
            interval={"start": item.start, "end": item.cut_at, "in": "chunk"} if cut else None,
            truncated=True if item.truncated else None,
        )

    def _finder(self, answer: Span) -> Span | None:
        """In whose collection a passage lives that no retrieval had: that of the answer's, if it says."""
        return answer if collection_said(answer) is not None else None

    def _question(self, answer: Span) -> str | None:
        """What was asked: the words that reached the pipeline, else those of its prompt or query."""
        root = self._trace.root_of(answer)
        told = said(answer.attributes, "rag.question") or said(root.attributes, "rag.question")
        if told is not None:
            return told
        asked = said(root.attributes, "input.value") if root is not answer else None
        if asked is not None and not isinstance(parsed(asked), dict | list):
            return asked
        for span in (answer, *reversed(self._trace.prompt_builders)):
            variables = said(span.attributes, "llm.prompt_template.variables")
            if isinstance(parsed(variables), dict) and (question := question_in(variables)):
                return question
        queries = (said(f.span.attributes, *QUERIES) for f in self._evidence.feeding)
        found = next((text for given in (asked, *queries) if (text := question_in(given))), None)
        return found or self._asked_of_model(answer)

    def _asked_of_model(self, answer: Span) -> str | None:
        """The user's last message, where it is no prompt that passages were put into."""
        words = words_of_user(answer)
        if words is None or len(words) > _LONGEST_QUESTION:
            return None
        contents = (item.document.content for item in self._evidence.items)
        return None if any(each and each.strip() in words for each in contents) else words

    def _prompt(self, answer: Span) -> JsonValue:
        """The template that the answer's prompt was made from, as a component."""
        builders = [b for b in self._trace.prompt_builders if fed(self._trace, b)]
        spans = (answer, *reversed(builders))
        for span in spans:
            template = said(span.attributes, "llm.prompt_template.template")
            if template is not None:
                return self._doers.prompt(span, template)
        named = next((span for span in spans if said(span.attributes, "prompt.id")), None)
        return self._doers.prompt(named, None) if named is not None else None


def _parameters(span: Span) -> JsonValue:
    given = said(span.attributes, "llm.invocation_parameters")
    parameters = small(parsed(given))
    if isinstance(parameters, dict):
        return parameters
    return {"as_sent": given} if given else None


def _facts(span: Span) -> JsonValue:
    """Numbers and codes about the answer; none of its words."""
    told: dict[str, JsonValue] = {}
    for name in _TOKEN_COUNTS:
        count = span.attributes.get(name)
        if type(count) is int:
            told[name] = count
    response = said(span.attributes, "gen_ai.response.id")
    if response is not None:
        told["gen_ai.response.id"] = response
    return told or None
