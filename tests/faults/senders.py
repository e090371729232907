"""Clients that send without pause in every format, and send again what nobody acknowledged."""

import http.client
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.formats.openinference_traces import documents, request, span, span_id
from tests.formats.openlineage_events import dataset, run_event
from tests.formats.otlp_bodies import protobuf
from tests.servers.product import Answer, Product
from tests.thorough import THOROUGH

_GONE: Final = (OSError, http.client.HTTPException)
_EX: Final = "https://example.org/prov/"
_RUNS: Final = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")


@dataclass(frozen=True, slots=True)
class Message:
    """One request, and the (kind, key) of what it makes."""

    path: str
    media_type: str
    body: bytes
    makes: tuple[tuple[str, str], ...]


def records(number: int) -> list[Message]:
    """A source with a passage, and an answer on a passage that only the next request brings."""
    name = f"n{number}"
    sent: list[dict[str, Any]] = [
        {"kind": "source", "key": name, "title": name},
        {"kind": "source_version", "key": name, "source": name},
        {"kind": "document", "key": name, "source_version": name, "text": f"Of {name}."},
        {"kind": "chunk", "key": name, "document": name, "interval": {"start": 0, "end": 3}},
        {"kind": "context", "key": name, "items": [{"chunk": f"n{number + 1}", "position": 1}]},
        {"kind": "answer", "key": name, "context": name, "text": "So it is. [1]"},
        {"kind": "claim", "key": name, "answer": name, "interval": {"start": 0, "end": 9}},
        {"kind": "citation", "key": name, "claim": name, "marker": "[1]", "position": 1},
    ]
    makes = tuple((one["kind"], one["key"]) for one in sent)
    return [Message("/api/v1/records", "application/json", _json({"records": sent}), makes)]


def events(number: int) -> list[Message]:
    """A run's end, and then its start; it reads what the run before has written."""
    run = str(uuid.uuid5(_RUNS, str(number)))
    read, written = dataset(f"d{number}"), dataset(f"d{number + 1}")
    told = [
        run_event("COMPLETE", at="2026-03-01T10:05:00Z", run=run, inputs=[read], outputs=[written]),
        run_event("START", at="2026-03-01T10:00:00Z", run=run, inputs=[read]),
    ]
    makes = (("source", f"d{number}"), ("source", f"d{number + 1}"), ("run", run))
    return [Message("/api/v1/lineage", "application/json", _json(one), makes) for one in told]


def spans(number: int) -> list[Message]:
    """A trace in two requests: the model's words, and then what had been found for them."""
    trace = f"{number + 1:032x}"
    found = documents("retrieval.documents", {"id": "a", "content": f"Of {number}."})
    pieces = [
        [span(3, "LLM", parent=1, at=2, input__value=f"[1] Of {number}.", output__value="So. [1]")],
        [span(2, "RETRIEVER", parent=1, at=1, input__value="q?", **found),
         span(1, "CHAIN", lasts=9, input__value="Which?")],
    ]  # fmt: skip
    makes = (("answer", f"{trace}:{span_id(3)}"), ("retrieval", f"{trace}:{span_id(2)}"))
    return [
        Message(
            "/v1/traces",
            "application/x-protobuf",
            protobuf(request(*({**one, "traceId": trace} for one in piece))),
            makes,
        )
        for piece in pieces
    ]


def documents_of_prov(number: int) -> list[Message]:
    """In PROV-JSON what was made of a thing, and in a bundle of Turtle's what was made before that."""
    made, before = f"{_EX}p{number + 1}", f"{_EX}p{number}"
    run, bundle = f"{_EX}run{number}", f"{_EX}b{number}"
    told = {
        "prefix": {"ex": _EX},
        "entity": {f"ex:p{number + 1}": {"prov:label": f"p{number + 1}"}},
        "activity": {f"ex:run{number}": {}},
        "wasGeneratedBy": {
            "_:1": {"prov:entity": f"ex:p{number + 1}", "prov:activity": f"ex:run{number}"}
        },
        "wasDerivedFrom": {
            "_:1": {"prov:generatedEntity": f"ex:p{number + 1}", "prov:usedEntity": f"ex:p{number}"}
        },
    }
    turtle = f"""
        @prefix prov: <http://www.w3.org/ns/prov#> .
        <{before}> a prov:Entity .
        <{bundle}> a prov:Bundle .
        <{bundle}> {{ <{bundle}-in> a prov:Entity ; prov:wasDerivedFrom <{before}> . }}
    """
    return [
        Message("/api/v1/prov", "application/json", _json(told), (("source", made), ("run", run))),
        Message(
            "/api/v1/prov",
            "application/trig",
            turtle.encode(),
            (("source", before), ("source", bundle), ("source", f"{bundle}-in")),
        ),
    ]


def graphs(number: int) -> list[Message]:
    """TrustGraph's: what was asked of a report, and then the report, taken apart."""
    name = f"urn:tg:{number}"
    fact = f'<< <{name}:beta> <{name}:left> "2020" >>'
    start = "@prefix tg: <https://trustgraph.ai/ns/> . @prefix prov: <http://www.w3.org/ns/prov#> ."
    asked = f"""{start}
        <{name}:q> a prov:Entity, tg:Question ; tg:query "When did Beta leave?" .
        <{name}:e> a tg:Exploration ; prov:wasDerivedFrom <{name}:q> .
        <{name}:f> a tg:Focus ; prov:wasDerivedFrom <{name}:e> ; tg:selectedEdge <{name}:x> .
        <{name}:x> tg:edge {fact} .
        <{name}:s> a tg:Synthesis ; prov:wasDerivedFrom <{name}:f> ; tg:content "In 2020. [1]" .
    """
    report = f"""{start}
        <{name}> a prov:Entity, tg:Document ; tg:content "Beta left." .
        <{name}:c> a tg:Chunk ; prov:wasDerivedFrom <{name}> ;
            tg:chunkIndex "1" ; tg:charOffset "0" ; tg:charLength "10" .
        <{name}:g> a tg:Subgraph ; prov:wasDerivedFrom <{name}:c> ; tg:contains {fact} .
    """
    made: dict[str, tuple[tuple[str, str], ...]] = {
        asked: (
            ("retrieval", f"{name}:e"), ("context", f"{name}:f"), ("answer", f"{name}:s"),
            ("claim", f"{name}:s#claim-1"), ("citation", f"{name}:s#citation-1"),
        ),
        report: (("source", name), ("document", name), ("chunk", f"{name}:c")),
    }  # fmt: skip
    return [
        Message("/api/v1/prov", "text/turtle", turtle.encode(), makes)
        for turtle, makes in made.items()
    ]


# Documents take the most of a processor: each day they are told in any order (tests/ingest), not killed.
FORMATS: Final = (records, events, spans, *((documents_of_prov, graphs) if THOROUGH else ()))


def _json(document: object) -> bytes:
    return json.dumps(document).encode()


@dataclass(slots=True)
class Sender:
    """Sends a format's messages one after the other until it is stopped, those of a number as a whole."""

    product: Product
    messages: Callable[[int], list[Message]]
    stopped: threading.Event
    acknowledged: list[Message] = field(default_factory=list)
    later: int = 0  # acknowledged with 202
    again: int = 0  # sent again, because nobody answered, or with 503
    unheard: int = 0  # of those, the ones that nobody answered
    unexpected: list[Answer] = field(default_factory=list)

    def run(self) -> None:
        number = 0
        while not self.stopped.is_set() and not self.unexpected:
            for message in self.messages(number):
                self._deliver(message)
            number += 1

    def _deliver(self, message: Message) -> None:
        while True:
            try:
                answer = deliver(self.product, message)
            except _GONE:
                answer = None
                self.unheard += 1
            if answer is None or told_when(answer):
                self.again += 1
                time.sleep(0.1)
                continue
            if not accepted(answer):
                self.unexpected.append(answer)
                return
            self.acknowledged.append(message)
            self.later += answer.status == 202
            return


def deliver(product: Product, message: Message) -> Answer:
    """Send one message."""
    headers = {"Content-Type": message.media_type}
    return product.request("POST", message.path, body=message.body, headers=headers)


def told_when(answer: Answer) -> bool:
    """Whether it is refused for now, and when to send it again is told."""
    return answer.status == 503 and int(answer.headers.get("retry-after", "0")) > 0


def accepted(answer: Answer) -> bool:
    """Whether all of a message was acknowledged: no record, event or span of it refused."""
    if answer.status not in (200, 202):
        return False
    if answer.headers["content-type"] == "application/x-protobuf":
        return answer.body == b""
    told = answer.json()
    return not told.get("rejected") and told.get("status") != "rejected"


class Senders:
    """A sender of each format, at work."""

    def __init__(self, product: Product) -> None:
        self._stopped = threading.Event()
        self.each = [Sender(product, messages, self._stopped) for messages in FORMATS]
        self._threads = [threading.Thread(target=one.run, daemon=True) for one in self.each]
        for thread in self._threads:
            thread.start()

    def go_on(self, more: int, *, seconds: float = 90.0) -> None:
        """Return when each has had `more` messages acknowledged."""
        wanted = [len(one.acknowledged) + more for one in self.each]
        end = time.monotonic() + seconds
        while any(
            len(one.acknowledged) < many for one, many in zip(self.each, wanted, strict=True)
        ):
            assert not any(one.unexpected for one in self.each), self.each
            assert time.monotonic() < end, [(len(one.acknowledged), one.again) for one in self.each]
            time.sleep(0.05)

    def stop(self) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join(90)
            assert not thread.is_alive()
        assert not any(one.unexpected for one in self.each), self.each

    def acknowledged(self) -> Iterable[Message]:
        return (message for one in self.each for message in one.acknowledged)
