"""What a kept payload holds, whatever its format: the records that it makes, and every string."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict

from lineage.formats import openlineage, prov
from lineage.formats.openinference import records_of
from lineage.formats.otlp_request import read_request
from lineage.formats.prov_rdf import uses_trustgraph
from lineage.formats.prov_write import as_dataset
from lineage.formats.records import parse_body, parse_record
from lineage.formats.trustgraph import to_records
from lineage.formats.trustgraph_quoted import triples_of
from lineage.types import JsonValue, NativeRecord, Refused


def records_in(format_: str, body: bytes, media_type: str) -> Iterator[NativeRecord]:
    """The sound records of a body of one of the inbox's formats. Raises what its reader raises.

    Raises LookupError for works of Crossref: what a work is called here is for the workspace to
    say, so that whoever asks what they hold must take them to hold anything.
    """
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
        case "crossref":
            raise LookupError(format_)
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


def strings_in(format_: str, body: bytes, media_type: str) -> Iterator[str]:
    """Every string that a body holds, those of JSON within strings as well.

    More than its records have: a trace tells what was read word for word, of which records
    keep the names alone. Raises what its reader raises.
    """
    if format_ == "otlp":
        for span in read_request(body, media_type).spans:
            yield from _strings(asdict(span))
        return
    text = body.decode("utf-8", "replace")
    for document in (text, *text.splitlines()) if format_ == "native" else (text,):
        try:
            yield from _strings(json.loads(document))
        except ValueError:
            yield document


def _strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        if value[:1] in ("{", "["):
            try:
                yield from _strings(json.loads(value))
            except (ValueError, RecursionError):
                return
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from _strings(name)
            yield from _strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)
