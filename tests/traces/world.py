"""Traces sent piece by piece, and the same trace in other forms."""

import json
import secrets
from collections.abc import Iterable
from typing import Any

from lineage.inbox.receive import Receipt, receive
from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.formats.openinference_traces import documents, request, span
from tests.formats.otlp_bodies import protobuf
from tests.ingest.sending import standing_graph

JSON, PROTOBUF = "application/json", "application/x-protobuf"


def fresh() -> Workspace:
    """An empty workspace; all of them give the same uids to the same records: one at a time."""
    slug = f"traces-{secrets.token_hex(6)}"
    return Workspace.objects.create(slug=slug, name=slug, uid_key="ab" * 32)


def end_state(workspace: Workspace) -> Any:
    """Nodes, edges and closure; the workspace makes room for the next."""
    found = standing_graph(workspace)
    Node.objects.filter(workspace=workspace).delete()
    workspace.delete()
    return found


def send(workspace: Workspace, *spans: Any, by: str = JSON, **resource: Any) -> Receipt:
    """Receive these spans as one request, as the endpoint does."""
    return send_request(workspace, request(*spans, **resource), by=by)


def send_request(workspace: Workspace, body: dict[str, Any], *, by: str = JSON) -> Receipt:
    data = protobuf(body) if by == PROTOBUF else json.dumps(body).encode()
    return receive(workspace, format="otlp", body=data, media_type=by)


def spans_of(body: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Every span of a request with what stands around it."""
    return [
        ({"resource": rs.get("resource", {}), "scope": ss.get("scope", {})}, raw)
        for rs in body["resourceSpans"]
        for ss in rs["scopeSpans"]
        for raw in ss["spans"]
    ]


def piece(held: Iterable[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, Any]:
    """A request of some of the spans, each in a group of its own."""
    return {
        "resourceSpans": [
            {
                "resource": around["resource"],
                "scopeSpans": [{"scope": around["scope"], "spans": [raw]}],
            }
            for around, raw in held
        ]
    }


def rag_trace() -> list[dict[str, Any]]:
    """Root, outer and inner retriever, reranker, an inner and an outer model span; children first."""
    alpha, beta = (
        {"id": "a", "content": "Alpha is one."},
        {"id": "b", "content": "Beta is two."},
    )
    return [
        span(4, "RETRIEVER", parent=3, at=1, lasts=1, input__value="q?", **documents("retrieval.documents", alpha, beta)),
        span(3, "RETRIEVER", parent=1, at=1, lasts=2, input__value="Q?", **documents("retrieval.documents", beta)),
        span(5, "RERANKER", parent=1, at=4, reranker__model_name="ce", **documents("reranker.output_documents", beta)),
        span(7, "LLM", parent=6, at=5, lasts=1, output__value="Draft. [1]", llm__model_name="m"),
        span(6, "LLM", parent=1, at=5, lasts=2, output__value="Two. [1]", llm__model_name="m", input__value="[1] Beta is two."),
        span(1, "CHAIN", at=0, lasts=9, input__value="Which?", session__id="s-1"),
    ]  # fmt: skip


def whole(*spans: Any) -> Any:
    """The end state of a workspace that was sent these spans in one request."""
    workspace = fresh()
    send(workspace, *spans)
    return end_state(workspace)
