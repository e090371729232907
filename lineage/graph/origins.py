"""Chunks, facts and embeddings that stand for others: what was found counts as what it is of.

An answer whose retrieval found a sub-chunk, a fact or an embedding depends on it as strongly as
on the chunk that it is of or derived from, which may be in the answer's context or cited there.
Where that chunk was reached as well, nothing is to be done: the answer was found by it. So only
those are walked, one by one, of which some origin was not reached.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Final

from lineage.graph.dependents import Dependents, joined, together
from lineage.graph.stepping import Stepper, kind_name
from lineage.vocabulary import Edge, Grade

ITEMS: Final = frozenset({"chunk", "fact"})


def with_origins_elsewhere(stepper: Stepper, items: Collection[str]) -> set[str]:
    """Those of the items (chunks, facts, embeddings) that are of others which are not among them, however far."""
    reached = set(items)
    made_of_it: dict[str, set[str]] = defaultdict(set)
    elsewhere: set[str] = set()
    for made, origin in stepper.items_above(items):
        made_of_it[origin].add(made)
        if origin not in reached:
            elsewhere.add(made)
    frontier = set(elsewhere)
    while frontier:
        frontier = {made for origin in frontier for made in made_of_it[origin]} - elsewhere
        elsewhere |= frontier
    return elsewhere


def graded_by_origin(
    stepper: Stepper, items: Collection[str], found: Mapping[str, Grade]
) -> dict[str, Grade]:
    """Answers whose retrieval found these items, by the strongest grade; those `found` as citing are left out.

    `retrieved`, unless the answer has the item, or a chunk that it is derived from, in its
    context or among its citations.
    """
    dependents = Dependents(stepper)
    retrieved_by = dependents.by_cause(items, Edge.RETRIEVED, Edge.MATCHED)
    contexts_of = dependents.by_cause(together(retrieved_by), Edge.WAS_DERIVED_FROM)
    answers_of = dependents.by_cause(together(contexts_of), Edge.WAS_DERIVED_FROM)
    reached: dict[str, set[str]] = {
        item: {
            answer
            for retrieval in retrievals
            for context in contexts_of.get(retrieval, ())
            for answer in answers_of.get(context, ())
            if kind_name(answer) == "answer" and found.get(answer) is not Grade.CITED
        }
        for item, retrievals in retrieved_by.items()
    }
    origins = _origins(stepper, {item for item, answers in reached.items() if answers})
    cited = _cited_by(dependents, together(origins))
    included = _included_by(dependents, together(origins))
    grades: dict[str, Grade] = {}
    for item, answers in reached.items():
        for answer in answers:
            grade = Grade.RETRIEVED
            if any(answer in included.get(origin, ()) for origin in origins[item]):
                grade = Grade.IN_CONTEXT
            if any(answer in cited.get(origin, ()) for origin in origins[item]):
                grade = Grade.CITED
            grades[answer] = max(grade, grades.get(answer, grade))
    return grades


def _origins(stepper: Stepper, items: Collection[str]) -> dict[str, set[str]]:
    """Each item with the chunks and facts that it is of or derived from, itself included."""
    parents: dict[str, set[str]] = {}
    frontier = set(items)
    while frontier:
        above: dict[str, set[str]] = {uid: set() for uid in frontier}
        for made, origin in stepper.items_above(frontier):
            above[made].add(origin)
        parents |= above
        frontier = together(above) - parents.keys()
    return {item: _closure(item, parents) for item in items}


def _cited_by(dependents: Dependents, items: Collection[str]) -> dict[str, set[str]]:
    """Item → answers that quote it."""
    citations_of = dependents.by_cause(items, Edge.WAS_QUOTED_FROM)
    claims_of = dependents.by_cause(together(citations_of), Edge.CITES)
    stated_in = dependents.stated_in(together(claims_of))
    return joined(joined(citations_of, claims_of), stated_in)


def _included_by(dependents: Dependents, items: Collection[str]) -> dict[str, set[str]]:
    """Item → answers that have it in their context."""
    contexts_of = dependents.by_cause(items, Edge.INCLUDED)
    answers_of = dependents.by_cause(together(contexts_of), Edge.WAS_DERIVED_FROM)
    return joined(contexts_of, answers_of)


def _closure(uid: str, parents: Mapping[str, set[str]]) -> set[str]:
    reached = {uid}
    frontier = [uid]
    while frontier:
        fresh = parents.get(frontier.pop(), set()) - reached
        reached |= fresh
        frontier += fresh
    return reached
