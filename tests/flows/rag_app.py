"""A small RAG program as its authors would instrument it: OpenTelemetry's SDK and exporter, real
libraries that make GenAI and OpenInference spans, the `openai` client, and a stand-in for OpenAI.

`python -m tests.flows.rag_app` asks once in each convention; endpoint and key are in OpenTelemetry's
own variables (OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS). Prints the trace ids.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from openai import OpenAI
from openai.types.chat import ChatCompletion
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.util.genai.handler import TelemetryHandler
from opentelemetry.util.genai.types import InputMessage, OutputMessage, TextPart

ANSWER: Final = "Fees rose in May. [2] Costs fell. [1]"
QUESTION: Final = "Which fees rose?"
PASSAGES: Final = {"a": "Costs fell in April.", "b": "The fees rose in May.", "c": "Cats sleep."}


class StandIn(BaseHTTPRequestHandler):
    """Answers chat completions as OpenAI's API does."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": ANSWER}
        body = json.dumps(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1772359200,
                "model": "m-2026-01-01",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 40, "completion_tokens": 9, "total_tokens": 49},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing: what it says is the program's alone."""


class GenAI:
    """OpenTelemetry's own library for GenAI spans, as its instrumentations use it."""

    def __init__(self, provider: TracerProvider) -> None:
        self._handler = TelemetryHandler(tracer_provider=provider)

    def retrieve(self) -> None:
        with self._handler.retrieval(data_source_id="kb@7", provider="shop") as found:
            found.query_text = QUESTION
            found.top_k = 3
            rows = [{"id": key, "score": 0.9 - n / 10} for n, key in enumerate(PASSAGES)]
            dropped = {"kept": False, "drop_reason": "below_threshold"}
            found.documents = [*rows[:2], rows[2] | dropped]

    def generate(self, client: OpenAI, prompt: str) -> None:
        with self._handler.inference("openai", request_model="m") as told:
            told.input_messages = [InputMessage("user", [TextPart(prompt)])]
            read = [{"id": "a", "position": 1}, {"id": "b", "position": 2}]
            told.attributes["rag.context.documents"] = json.dumps(read)
            reply = asked(client, prompt)
            told.response_model_name = reply.model
            words = str(reply.choices[0].message.content)
            told.output_messages = [OutputMessage("assistant", [TextPart(words)], "stop")]


class OpenInference:
    """OpenInference's instrumentation of the client, and its words for the retrieval."""

    def __init__(self, provider: TracerProvider) -> None:
        OpenAIInstrumentor().instrument(tracer_provider=provider)
        self._tracer = provider.get_tracer("shop")

    def retrieve(self) -> None:
        with self._tracer.start_as_current_span("Finder.run") as span:
            span.set_attribute("openinference.span.kind", "RETRIEVER")
            span.set_attribute("rag.collection", "kb")
            span.set_attribute("input.value", QUESTION)
            for n, (key, text) in enumerate(PASSAGES.items()):
                place = f"retrieval.documents.{n}.document"
                span.set_attribute(f"{place}.id", key)
                span.set_attribute(f"{place}.content", text)
                span.set_attribute(f"{place}.score", 0.9 - n / 10)

    def generate(self, client: OpenAI, prompt: str) -> None:
        asked(client, prompt)


def asked(client: OpenAI, prompt: str) -> ChatCompletion:
    """What the model says."""
    return client.chat.completions.create(
        model="m", temperature=0, messages=[{"role": "user", "content": prompt}]
    )


def ask(dialect: str) -> str:
    """Answer one question; the id of its trace."""
    provider = TracerProvider(resource=Resource.create({"service.name": "shop"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(compression=Compression.Gzip)))
    app: GenAI | OpenInference
    app = GenAI(provider) if dialect == "genai" else OpenInference(provider)
    server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = OpenAI(api_key="none", base_url=f"http://127.0.0.1:{server.server_port}/v1")
    with provider.get_tracer("shop").start_as_current_span("ask") as root:
        app.retrieve()
        # Two requests hold the spans of the one trace.
        provider.force_flush()
        app.generate(client, f"[1] {PASSAGES['a']}\n[2] {PASSAGES['b']}\n{QUESTION}")
    provider.shutdown()
    server.shutdown()
    server.server_close()
    return f"{root.get_span_context().trace_id:032x}"


if __name__ == "__main__":
    # The second instruments the client for good.
    print(ask("genai"), ask("openinference"))
