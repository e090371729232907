"""Applies a payload of PROV (POST /api/v1/prov): an outcome per statement."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from lineage.formats import prov
from lineage.formats.prov_rdf import uses_trustgraph
from lineage.formats.prov_statements import ARGUMENTS, ELEMENTS, ProvDocument
from lineage.formats.prov_write import as_dataset
from lineage.formats.records import parse_record
from lineage.formats.trustgraph import to_records
from lineage.formats.trustgraph_quoted import triples_of
from lineage.inbox import apply_native
from lineage.inbox.result import Payload, Result
from lineage.ingest.apply import Applied, apply_records
from lineage.types import JsonValue, NativeRecord, Outcome, Problem, Refused, Warned
from provexplorer.workspaces.models import Workspace

# Nothing is wrong with these in TrustGraph's vocabulary: its knowledge is of things that are neither
# entity, activity nor agent, and of several times its reader takes one.
_NOT_TOLD: Final = frozenset({"unknown-kind", "prov-constraint"})


@dataclass(frozen=True, slots=True)
class _Read:
    """What a document comes to: records, and the statements of which an outcome each is told.

    None of those where it is TrustGraph's: then an outcome is told of each record.
    """

    records: Sequence[NativeRecord | Refused]
    items: Sequence[prov.Item] | None


def apply(workspace: Workspace, payload: Payload) -> Result:
    """An outcome per statement in the document's order; raises BodyRefused.

    What is written in TrustGraph's vocabulary is read as that, with an outcome per record.
    """
    read = _read(payload.body, payload.media_type)
    applied = apply_records(workspace, read.records)
    if read.items is None:
        return Result(applied.outcomes, applied.projected)
    return Result(tuple(outcomes(read.items, applied)), applied.projected)


def kept_only(body: bytes, content_type: str) -> list[Outcome]:
    """Outcomes of a document that is kept and not applied yet: what is refused already, else accepted.

    Of each statement or record as `apply` tells them. `body` unpacked; raises BodyRefused.
    """
    read = _read(body, content_type)
    if read.items is None:
        return apply_native.kept_only(read.records)
    return [
        Outcome(
            index,
            "accepted" if item.problem is None else "rejected",
            item.relation or "element",
            item.id,
            None,
            item.warnings,
            item.problem,
        )
        for index, item in enumerate(read.items)
    ]


def _read(body: bytes, media_type: str) -> _Read:
    if prov.is_rdf(media_type):
        graph = prov.graph_of(body, media_type)
        document = prov.read_graph(graph, body)
        if uses_trustgraph(graph):
            return _trustgraph(to_records(graph), document)
    elif (triples := triples_of(body)) is not None:
        document = prov.read_graph(triples, body)
        return _trustgraph(to_records(triples), document)
    else:
        document = prov.read_document(body, media_type)
        if prov.names_trustgraph(document):
            return _trustgraph(to_records(as_dataset(document)), document)
    prepared = prov.prepare(document)
    return _Read(prepared.records, prepared.items)


def _trustgraph(records: Sequence[JsonValue], document: ProvDocument) -> _Read:
    """TrustGraph's records, and those of whatever else the document says in PROV's words alone.

    Behind them what of it cannot be read: no record tells of that.
    """
    rest = prov.prepare(document, prov.taken_by(records, document))
    own = [parse_record(index, record) for index, record in enumerate(records)]
    others = [replace(one, index=one.index + len(own)) for one in rest.records]
    unread = [
        (item, item.problem)
        for item in rest.items
        if item.problem is not None and item.problem.slug not in _NOT_TOLD
    ]
    refused = [
        Refused(index, item.relation, item.id, problem)
        for index, (item, problem) in enumerate(unread, start=len(own) + len(others))
    ]
    return _Read([*own, *others, *refused], None)


def outcomes(items: Sequence[prov.Item], applied: Applied) -> list[Outcome]:
    """What became of each statement: of the record that it went into."""
    made = {outcome.index: outcome for outcome in applied.outcomes}
    told: set[int] = set()
    found: list[Outcome] = []
    for index, item in enumerate(items):
        outcome = None if item.record is None else made[item.record]
        kind = item.relation or "element"
        if item.problem is not None:
            found.append(Outcome(index, "rejected", kind, item.id, None, (), item.problem))
        elif outcome is None:
            found.append(Outcome(index, "unchanged", kind, item.id, None, item.warnings))
        else:
            first = outcome.index not in told
            told.add(outcome.index)
            found.append(_outcome(index, item, outcome, first=first))
    return found


def _outcome(index: int, item: prov.Item, made: Outcome, *, first: bool) -> Outcome:
    """A record's warnings are told with the first statement that went into it."""
    element = item.relation in ELEMENTS
    assert element or item.relation in ARGUMENTS
    warnings = item.warnings
    if first:
        within = (Warned(w.code, item.place, f"{w.detail} ({w.pointer})") for w in made.warnings)
        warnings = (*warnings, *within)
    return Outcome(
        index=index,
        status=made.status,
        kind=made.kind if element else item.relation,
        key=item.id,
        uid=made.uid,
        warnings=warnings,
        problem=made.problem and _placed(made.problem, item.place),
    )


def _placed(problem: Problem, place: str) -> Problem:
    return Problem(
        problem.slug, problem.title, problem.status, f"{problem.detail} ({problem.pointer})", place
    )
