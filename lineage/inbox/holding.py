"""What a kept payload holds, whatever its format: the records that it makes, read again."""

from collections.abc import Iterable, Iterator

from lineage.formats import openlineage, prov
from lineage.formats.openinference import records_of
from lineage.formats.otlp_request import read_request
from lineage.formats.prov_rdf import uses_trustgraph
from lineage.formats.prov_write import as_dataset
from lineage.formats.records import parse_body, parse_record
from lineage.formats.trustgraph import to_records
from lineage.formats.trustgraph_quoted import triples_of
from lineage.types import NativeRecord, Refused


def records_in(format_: str, body: bytes, media_type: str) -> Iterator[NativeRecord]:
    """The sound records of a body of one of the inbox's formats. Raises what its reader raises."""
    match format_:
        case "native":
            yield from _sound(parse_body(body, media_type))
        case "openlineage":
            for index, sent in enumerate(openlineage.read_body(body, media_type)):
                event = openlineage.read_event(index, sent)
                if isinstance(event, openlineage.Event):
                    yield from (made.record for made in event.made)
        case "otlp":
            made = records_of(read_request(body, media_type).spans)
            yield from _sound(parse_record(index, one) for index, one in enumerate(made))
        case _:
            yield from _of_prov(body, media_type)


def _of_prov(body: bytes, media_type: str) -> Iterator[NativeRecord]:
    if prov.is_rdf(media_type):
        graph = prov.graph_of(body, media_type)
        document = prov.read_graph(graph, body)
        own = to_records(graph) if uses_trustgraph(graph) else []
    elif (triples := triples_of(body)) is not None:
        document = prov.read_graph(triples, body)
        own = to_records(triples)
    else:
        document = prov.read_document(body, media_type)
        named = prov.names_trustgraph(document)
        own = to_records(as_dataset(document)) if named else []
    yield from _sound(parse_record(index, one) for index, one in enumerate(own))
    taken = prov.taken_by(own, document) if own else None
    prepared = prov.prepare(document) if taken is None else prov.prepare(document, taken)
    yield from _sound(prepared.records)


def _sound(records: Iterable[NativeRecord | Refused]) -> Iterator[NativeRecord]:
    return (one for one in records if isinstance(one, NativeRecord))
