"""What other formats send that brings a text with it."""

from typing import Any


def retrieval_of(document: str, text: str) -> dict[str, Any]:
    """A span of OpenInference that retrieved this text."""
    return {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": "eee19b7ec3c1b174",
        "name": "retrieve",
        "kind": 1,
        "startTimeUnixNano": "1767225600000000000",
        "endTimeUnixNano": "1767225601000000000",
        "attributes": [
            {"key": "openinference.span.kind", "value": {"stringValue": "RETRIEVER"}},
            {"key": "input.value", "value": {"stringValue": "What was weighed?"}},
            {"key": "retrieval.documents.0.document.id", "value": {"stringValue": document}},
            {"key": "retrieval.documents.0.document.content", "value": {"stringValue": text}},
        ],
    }


def run_of(inputs: list[dict[str, Any]], outputs: list[dict[str, Any]]) -> dict[str, Any]:
    """An event of OpenLineage about a run that read and wrote these."""
    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-03-01T10:00:00Z",
        "producer": "https://example.org/producer",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": "0195a1b2-0000-7000-8000-000000000001"},
        "job": {"namespace": "jobs", "name": "load"},
        "inputs": inputs,
        "outputs": outputs,
    }
