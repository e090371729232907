"""Questions, explorations, focuses and answers of TrustGraph as native records.

An exploration becomes a retrieval, a focus a context, a synthesis or another final answer an
answer; a question has its words and its time in all three. Their keys are their IRIs.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from lineage.formats.rdf_terms import written
from lineage.formats.trustgraph_extraction import Extraction
from lineage.formats.trustgraph_graph import Described, Quoted
from lineage.formats.trustgraph_terms import CONTAINS, DERIVED, GENERATED, STARTED, TG, TYPE, WORDS
from lineage.formats.writing import claim_records, record
from lineage.types import JsonValue

_BEFORE: Final = (DERIVED, GENERATED)
_STRUCTURE: Final = frozenset({TYPE, DERIVED, GENERATED, *CONTAINS, *WORDS})
_OF_QUESTION: Final = frozenset({f"{TG}query", STARTED})
_SELECTIONS: Final = (f"{TG}selectedEdge", f"{TG}selectedChunk")
_TOKENS: Final = (("inToken", "input_tokens"), ("outToken", "output_tokens"))


class _Selected(NamedTuple):
    """What a focus chose: a fact or a chunk, as references, and with what score."""

    order: tuple[int, str]
    references: list[dict[str, JsonValue]]
    score: float | None


class Queries:
    """Reads what was asked, found, chosen and answered."""

    def __init__(self, described: Described, extraction: Extraction) -> None:
        self._described = described
        self._extraction = extraction
        self._questions = {
            thing: self._find_question(thing)
            for thing in described.things("exploration", "focus", "answer")
        }
        self._focuses: dict[str, list[str]] = {}
        for focus in described.things("focus"):
            for before in described.before(focus, _BEFORE):
                if described.sort(before) == "exploration":
                    self._focuses.setdefault(before, []).append(focus)
        self._contexts = {
            answer: self._find_context(answer) for answer in described.things("answer")
        }

    def records(self) -> Iterator[JsonValue]:
        """Retrievals, contexts, then answers with their claims."""
        explored = list(self._described.things("exploration"))
        asked = {self._questions[thing] for thing in explored}
        for thing in self._described.things("question"):
            if thing not in asked:
                yield self._retrieval(thing, thing)
        for thing in explored:
            yield self._retrieval(thing, self._questions[thing])
        for thing in self._described.things("focus"):
            yield self._context(thing)
        # An answer without a focus was made from all that was found.
        for thing in sorted(set(explored) & set(self._contexts.values())):
            yield self._context(thing)
        for thing in self._described.things("answer"):
            yield from self._answer(thing)

    # -- what was found -----------------------------------------------------------------------

    def _retrieval(self, thing: str, question: str | None) -> JsonValue:
        """Of an exploration; of a question alone, where nothing tells that anything was explored."""
        said = self._described
        told = _STRUCTURE | {f"{TG}selectedChunk", f"{TG}concept"} | _OF_QUESTION
        attributes = said.rest(thing, told)
        concepts: list[str] = []
        for before in said.before(thing, _BEFORE):
            if said.sort(before) == "grounding":
                concepts += said.literals(before, f"{TG}concept")
        if question is not None:
            attributes["tg:question"] = question
        return record(
            "retrieval",
            thing,
            occurred_at=self._asked_at(question),
            query=said.literal(question, f"{TG}query") if question else None,
            query_variants=concepts or None,
            candidates=self._candidates(thing),
            attributes=attributes or None,
        )

    def _candidates(self, thing: str) -> list[JsonValue]:
        """Chunks that were found, and what a focus on them chose; with a focus, the others were dropped."""
        focuses = self._focuses.get(thing, [])
        chosen = {
            _place(reference): selected
            for focus in focuses
            for selected in self._selected(focus)
            for reference in selected.references
        }
        found = {
            _place(reference): reference
            for selected in (*self._selected(thing), *chosen.values())
            for reference in selected.references
        }
        candidates: list[JsonValue] = []
        for rank, (place, reference) in enumerate(found.items(), start=1):
            selected = chosen.get(place)
            score = None if selected is None else selected.score
            candidates.append(
                {**reference, "rank": rank, "kept": not focuses or selected is not None}
                | ({} if score is None else {"score": score, "score_kind": "unknown"})
            )
        return candidates

    # -- what was chosen ----------------------------------------------------------------------

    def _context(self, thing: str) -> JsonValue:
        said = self._described
        items: list[JsonValue] = []
        for selected in self._selected(thing):
            for reference in selected.references:
                items.append({**reference, "position": len(items) + 1})
        attributes = said.rest(thing, _STRUCTURE | set(_SELECTIONS))
        return record(
            "context",
            thing,
            occurred_at=self._asked_at(self._questions[thing]),
            retrieval=self._retrieved_for(thing),
            items=items,
            attributes=attributes or None,
        )

    def _find_context(self, answer: str) -> str | None:
        """The nearest focus before the answer, else the nearest exploration that found chunks."""
        before = list(self._described.before(answer, _BEFORE))
        for one in before:
            if self._described.sort(one) == "focus":
                return one
        for one in before:
            if self._described.sort(one) == "exploration" and self._selected(one):
                return one
        return None

    def _retrieved_for(self, focus: str) -> str | None:
        """The exploration, or the question alone, that a focus is on."""
        if self._described.sort(focus) == "exploration":
            return focus
        for one in self._described.before(focus, _BEFORE):
            if self._described.sort(one) == "exploration":
                return one
        return self._questions[focus]

    def _selected(self, thing: str) -> list[_Selected]:
        """What a focus or an exploration names, in the order of its numbering."""
        said = self._described
        found: list[_Selected] = []
        for predicate in _SELECTIONS:
            # Explorations may name chunks by their IRI as a plain string.
            for term in said.terms(thing, predicate):
                node = str(term)
                triple = next(
                    (one for edge in said.terms(node, f"{TG}edge") if (one := said.quoted(edge))),
                    None,
                )
                chunks = said.iris(node, f"{TG}document")
                references = self._references(node, triple, chunks)
                if references:
                    terms = " ".join(written(one) for one in triple) if triple else chunks or [node]
                    found.append(
                        _Selected(
                            (_number(node), str(terms)),
                            references,
                            _score(said.literal(node, f"{TG}score")),
                        )
                    )
        return sorted(found, key=lambda one: one.order)

    def _references(
        self, node: str, triple: Quoted | None, chunks: list[str]
    ) -> list[dict[str, JsonValue]]:
        if triple is not None:
            return [{"fact": one} for one in self._extraction.references_to(triple)]
        if chunks:
            return [{"chunk": one} for one in chunks]
        if self._described.sort(node) == "chunk" or not self._described.is_described(node):
            return [{"chunk": node}] if ":" in node and not node.startswith("_:") else []
        return []

    # -- what was answered --------------------------------------------------------------------

    def _answer(self, thing: str) -> Iterator[JsonValue]:
        """Without its words, which TrustGraph keeps in its library, the record is refused, visibly."""
        said = self._described
        question = self._questions[thing]
        at = self._asked_at(question)
        text = said.words(thing)
        told = _STRUCTURE | {f"{TG}llmModel"} | {f"{TG}{name}" for name, _ in _TOKENS}
        tokens = {
            name: count
            for term, name in _TOKENS
            if (count := said.integer(thing, f"{TG}{term}")) is not None
        }
        attributes = said.rest(thing, told)
        if question is not None:
            attributes["tg:question"] = question
        yield record(
            "answer",
            thing,
            occurred_at=at,
            context=self._contexts[thing],
            question=said.literal(question, f"{TG}query") if question else None,
            text=text,
            model=said.literal(thing, f"{TG}llmModel"),
            parameters=tokens or None,
            attributes=attributes or None,
        )
        if text is not None:
            yield from claim_records(thing, text, at)

    def _find_question(self, thing: str) -> str | None:
        return next(
            (
                one
                for one in self._described.before(thing, _BEFORE)
                if self._described.sort(one) == "question"
            ),
            None,
        )

    def _asked_at(self, question: str | None) -> str | None:
        return self._described.instant(question, STARTED) if question else None


def _place(reference: dict[str, JsonValue]) -> str:
    return repr(reference)


def _number(iri: str) -> int:
    """The number at the end of a selection's IRI; after all numbered ones where there is none."""
    match = re.search(r":([0-9]{1,9})$", iri)
    return int(match[1]) if match and iri.startswith("urn:trustgraph:") else 1_000_000_000


def _score(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
