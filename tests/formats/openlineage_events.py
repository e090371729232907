"""OpenLineage events to send and to read."""

from typing import Any

RUN = "01890a5d-ac96-774b-bcce-b302099a8057"
OTHER_RUN = "01890a5d-ac96-774b-bcce-b302099a8058"
PRODUCER = "https://example.org/ingest/1.0"


def facet(**members: Any) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": "https://example.org/schema.json", **members}


def dataset(name: str, namespace: str = "s3://corpus", **facets: Any) -> dict[str, Any]:
    return {
        "namespace": namespace,
        "name": name,
        "facets": {k: facet(**v) for k, v in facets.items()},
    }


def run_event(
    event_type: str = "COMPLETE",
    *,
    at: str = "2026-03-01T10:00:00Z",
    run: str = RUN,
    job: str = "ingest.parse",
    inputs: Any = (),
    outputs: Any = (),
    run_facets: Any = None,
    job_facets: Any = None,
) -> dict[str, Any]:
    return {
        "eventType": event_type,
        "eventTime": at,
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run, "facets": {k: facet(**v) for k, v in (run_facets or {}).items()}},
        "job": {
            "namespace": "rag",
            "name": job,
            "facets": {k: facet(**v) for k, v in (job_facets or {}).items()},
        },
        "inputs": list(inputs),
        "outputs": list(outputs),
    }


def dataset_event(at: str = "2026-03-02T00:00:00Z", **named: Any) -> dict[str, Any]:
    return {
        "eventTime": at,
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent",
        "dataset": named,
    }
