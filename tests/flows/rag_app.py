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
from openinference.instrumentation.openai import OpenAIInstrumentor as OpenInferenceInstrumentor
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor as GenAIInstrumentor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.util.genai.handler import TelemetryHandler

ANSWER: Final = "Fees rose in May. [2] Costs fell. [1]"
QUESTION: Final = "Which fees rose?"
PASSAGES: Final = {"a": "Costs fell in April.", "b": "The fees rose in May.", "c": "Cats sleep."}
COMPLETION: Final = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1772359200,
    "model": "m-2026-01-01",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}
    ],
    "usage": {"prompt_tokens": 40, "completion_tokens": 9, "total_tokens": 49},
}
VECTOR: Final = {
    "object": "list",
    "model": "e-1",
    "data": [{"object": "embedding", "index": 0, "embedding": [0.25, 0.5]}],
    "usage": {"prompt_tokens": 4, "total_tokens": 4},
}


class StandIn(BaseHTTPRequestHandler):
    """Answers chat completions and embeddings as OpenAI's API does."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps(VECTOR if self.path.endswith("/embeddings") else COMPLETION).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing: what it says is the program's alone."""


class GenAI:
    """OpenTelemetry's instrumentation of the client, its library for retrievals, and our words for the prompt."""

    def __init__(self, provider: TracerProvider) -> None:
        GenAIInstrumentor().instrument(tracer_provider=provider)
        self._handler = TelemetryHandler(tracer_provider=provider)
        self._tracer = provider.get_tracer("shop")

    def retrieve(self, client: OpenAI) -> None:
        with self._handler.retrieval(data_source_id="kb@7", provider="shop") as found:
            client.embeddings.create(model="e", input=QUESTION, encoding_format="float")
            found.query_text = QUESTION
            found.top_k = 3
            rows = [{"id": key, "score": 0.9 - n / 10} for n, key in enumerate(PASSAGES)]
            dropped = {"kept": False, "drop_reason": "below_threshold"}
            found.documents = [*rows[:2], rows[2] | dropped]

    def generate(self, client: OpenAI, prompt: str) -> None:
        with self._tracer.start_as_current_span("Prompt.fill") as span:
            span.set_attribute("rag.operation", "prompt")
            read = [{"id": "a", "position": 1}, {"id": "b", "position": 2}]
            span.set_attribute("rag.context.documents", json.dumps(read))
        asked(client, prompt)
        GenAIInstrumentor().uninstrument()


class OpenInference:
    """OpenInference's instrumentation of the client, and its words for the retrieval."""

    def __init__(self, provider: TracerProvider) -> None:
        OpenInferenceInstrumentor().instrument(tracer_provider=provider)
        self._tracer = provider.get_tracer("shop")

    def retrieve(self, _: OpenAI) -> None:
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
        app.retrieve(client)
        # Two requests hold the spans of the one trace.
        provider.force_flush()
        app.generate(client, f"[1] {PASSAGES['a']}\n[2] {PASSAGES['b']}\n{QUESTION}")
    provider.shutdown()
    server.shutdown()
    server.server_close()
    return f"{root.get_span_context().trace_id:032x}"


if __name__ == "__main__":
    print(ask("genai"), ask("openinference"))
