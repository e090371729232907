"""A PROV document in any of its serialisations to native records, statement by statement. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import rdflib

from lineage.formats.charsets import is_utf_8
from lineage.formats.prov_constraints import Violation, violations
from lineage.formats.prov_json import read_prov_json
from lineage.formats.prov_own import EDGE, is_own, records_of
from lineage.formats.prov_rdf import PARSERS, parse_graph, read_rdf
from lineage.formats.prov_records import to_records
from lineage.formats.prov_statements import PROV, TG, ProvDocument, Statement, Unread, named
from lineage.formats.prov_things import Thing
from lineage.formats.records import parse_record
from lineage.formats.refusals import BodyRefused, record_problem
from lineage.types import JsonValue, NativeRecord, Problem, Refused, Warned
from lineage.vocabulary import APPLY_ORDER

PROV_JSON_TYPES: Final = frozenset({"", "application/json", "application/provenance+json"})
MEDIA_TYPES: Final = ("application/json", *PARSERS)

# Names that TrustGraph makes itself, of its agents, activities and answers, and that this
# product's export in its terms makes of agents: its reader knows what they stand for.
_TRUSTGRAPH_IRIS: Final = ("https://trustgraph.ai/", "urn:trustgraph:", "urn:agent:")


@dataclass(frozen=True, slots=True)
class Item:
    """One statement and where it goes: the number of its record, or why it is refused.

    Neither: it restates what other records say.
    """

    relation: str
    id: str
    place: str
    record: int | None = None
    problem: Problem | None = None
    warnings: tuple[Warned, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a document comes to: records to apply, and an item per statement in its order."""

    records: tuple[NativeRecord | Refused, ...]
    items: tuple[Item, ...]


def media_type_of(content_type: str) -> str:
    """The media type without its parameters; raises BodyRefused where it is none of PROV's."""
    media_type, _, parameters = content_type.partition(";")
    media_type = media_type.strip().lower()
    if media_type not in PROV_JSON_TYPES and media_type not in PARSERS:
        raise BodyRefused("media-type-unsupported", f"Send one of {', '.join(MEDIA_TYPES)}.")
    if not is_utf_8(parameters):
        raise BodyRefused("media-type-unsupported", "Documents are sent as UTF-8.")
    return media_type


def is_rdf(content_type: str) -> bool:
    """Whether a document of this type is RDF. Raises BodyRefused for a type that is none of PROV's."""
    return media_type_of(content_type) in PARSERS


def graph_of(body: bytes, content_type: str) -> rdflib.Dataset:
    """The triples of a document in RDF; raises BodyRefused."""
    return parse_graph(body, media_type_of(content_type))


def read_graph(dataset: rdflib.Dataset, body: bytes) -> ProvDocument:
    """The statements of a document in RDF; `body` keeps its blank nodes apart from others'."""
    return read_rdf(dataset, hashlib.sha256(body).hexdigest()[:32])


def read_document(body: bytes, content_type: str) -> ProvDocument:
    """The statements of a document in any serialisation; raises BodyRefused."""
    if is_rdf(content_type):
        return read_graph(graph_of(body, content_type), body)
    return read_prov_json(body)


def names_trustgraph(document: ProvDocument) -> bool:
    """Whether an element is of a class of TrustGraph's vocabulary; an export of ours is not meant."""
    statements = [one for one in document.statements if isinstance(one, Statement)]
    return not any(is_own(one) for one in statements) and any(
        one.is_element and _is_trustgraph(one) for one in statements
    )


def taken_by(records: Sequence[JsonValue], document: ProvDocument) -> dict[str, Thing]:
    """What TrustGraph's own reader has taken of a document: its records, and all of its classes."""
    taken = {
        one.id: Thing("", one.id, "", own=True)
        for one in document.statements
        if isinstance(one, Statement)
        and one.is_element
        and (_is_trustgraph(one) or one.id.startswith(_TRUSTGRAPH_IRIS))
    }
    for record in sorted(records, key=lambda one: APPLY_ORDER.index(one["kind"])):
        key, namespace = record["key"], record.get("namespace", "")
        taken[key] = Thing(record["kind"], key, namespace, own=True)
    return taken


def _is_trustgraph(statement: Statement) -> bool:
    return any(iri.startswith(TG) for iri in named(statement.attributes.get(f"{PROV}type", ())))


def prepare(document: ProvDocument, taken: Mapping[str, Thing] | None = None) -> Prepared:
    """Check the statements against each other, and map those that stand to records.

    Where another reader has `taken` some, its format is known not to keep PROV's constraints,
    and they are not checked.
    """
    numbered = [
        (number, one)
        for number, one in enumerate(document.statements)
        if isinstance(one, Statement)
    ]
    problems: dict[int, Problem] = {}
    warnings: dict[int, Warned] = {}
    # What an export restates is how things stand here, whether PROV would have it so or not.
    checked = [(number, one) for number, one in numbered if EDGE not in one.attributes]
    for number, violation in violations(checked if taken is None else []).items():
        place = numbered_place(document, number)
        detail = _detail(violation)
        if violation.harmless:
            warnings[number] = Warned("prov_constraint", place, detail)
        else:
            problems[number] = record_problem("prov-constraint", detail, place)
    problems |= _unreadable(numbered)
    standing = [(number, one) for number, one in numbered if number not in problems]
    mapped = to_records([one for _, one in standing], document.prefixes, taken)
    number_of_record: Mapping[int, int | None] = dict(
        zip((number for number, _ in standing), mapped.record_of, strict=True)
    )
    items = [
        _item(one, number, problems, warnings, number_of_record)
        for number, one in enumerate(document.statements)
    ]
    records = tuple(parse_record(index, record) for index, record in enumerate(mapped.records))
    return Prepared(records, tuple(items))


def numbered_place(document: ProvDocument, number: int) -> str:
    """Where a statement stands."""
    return document.statements[number].place


def _detail(violation: Violation) -> str:
    others = f" See {', '.join(violation.others)}." if violation.others else ""
    return f"Constraint {violation.constraint}: {violation.detail}{others}"


def _unreadable(numbered: Sequence[tuple[int, Statement]]) -> dict[int, Problem]:
    """Elements of an export whose own words cannot be read."""
    problems: dict[int, Problem] = {}
    for number, statement in numbered:
        if is_own(statement):
            try:
                records_of(statement)
            except (ValueError, KeyError, TypeError):
                detail = "A value of this product's vocabulary is not what its type says."
                problems[number] = record_problem("wrong-type", detail, statement.place)
    return problems


def _item(
    one: Statement | Unread,
    number: int,
    problems: Mapping[int, Problem],
    warnings: Mapping[int, Warned],
    records: Mapping[int, int | None],
) -> Item:
    if isinstance(one, Unread):
        problem = record_problem(one.slug, one.detail, one.place)
        return Item(one.relation, one.id, one.place, problem=problem)
    warned = (warnings[number],) if number in warnings else ()
    return Item(
        one.relation,
        one.id or " ".join(one.things().values()),
        one.place,
        record=records.get(number),
        problem=problems.get(number),
        warnings=warned,
    )
