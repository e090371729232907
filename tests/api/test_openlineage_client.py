"""OpenLineage's own Python client against the running product, over HTTP."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import (
    DatasetEvent,
    InputDataset,
    Job,
    JobEvent,
    OutputDataset,
    Run,
    RunEvent,
    RunState,
    StaticDataset,
)
from openlineage.client.facet_v2 import (
    dataset_version_dataset,
    error_message_run,
    lifecycle_state_change_dataset,
    ownership_dataset,
    processing_engine_run,
)
from openlineage.client.transport.http import (
    ApiKeyTokenProvider,
    HttpCompression,
    HttpConfig,
    HttpTransport,
)

from tests.servers.product import Product

pytestmark = pytest.mark.one_pair

RUN = "01980000-7c3e-7aaa-8bbb-0000000000aa"
PRODUCER = "https://example.org/ingest"


def client_of(product: Product, key: str, *, packed: bool) -> OpenLineageClient:
    config = HttpConfig(
        url=product.base_url,
        auth=ApiKeyTokenProvider({"api_key": key}),
        compression=HttpCompression.GZIP if packed else None,
        retry={"total": 0},
        timeout=60.0,
    )
    return OpenLineageClient(transport=HttpTransport(config))


def at(minute: int) -> str:
    return datetime(2026, 3, 1, 10, minute, tzinfo=UTC).isoformat()


@pytest.fixture(scope="module")
def key(stack: Product) -> str:
    return stack.new_key(slug="openlineage-client")


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_the_client_sends_a_run_and_it_is_there(stack: Product, key: str, packed: bool) -> None:
    client = client_of(stack, key, packed=packed)
    run = Run(
        str(UUID(int=UUID(RUN).int + packed)),
        {"processing_engine": processing_engine_run.ProcessingEngineRunFacet("2.0", "engine")},
    )
    job = Job("rag", "ingest.parse")
    source = InputDataset(
        "s3://corpus",
        "a.pdf",
        facets={
            "version": dataset_version_dataset.DatasetVersionDatasetFacet("7"),
            "ownership": ownership_dataset.OwnershipDatasetFacet(
                [ownership_dataset.Owner("team:library", "MAINTAINER")]
            ),
        },
    )
    client.emit(
        RunEvent(
            eventType=RunState.START,
            eventTime=at(0),
            run=run,
            job=job,
            producer=PRODUCER,
            inputs=[source],
        )
    )
    client.emit(
        RunEvent(
            eventType=RunState.COMPLETE,
            eventTime=at(5),
            run=run,
            job=job,
            producer=PRODUCER,
            outputs=[OutputDataset("file", "/a.txt")],
        )
    )
    found = one(stack, key, "run", run.runId, "rag%23ingest.parse")
    assert (found["fields"]["status"], found["fields"]["run_kind"]) == ("completed", "parse")
    used = one(stack, key, "source_version", "a.pdf", "s3%3A%2F%2Fcorpus")
    assert (found["fields"]["used"][0]["uid"], used["label"]) == (used["uid"], "7")
    # What the client adds by itself.
    assert {"processing_engine", "tags"} <= set(found["attributes"])
    made = one(stack, key, "source_version", "/a.txt", "file")
    upstream = stack.request("GET", f"/api/v1/nodes/{made['uid']}/upstream", key=key).json()
    assert ("source_version", "a.pdf") in {(n["kind"], n["key"]) for n in upstream["nodes"]}


def test_the_client_sends_failures_jobs_and_datasets(stack: Product, key: str) -> None:
    client = client_of(stack, key, packed=False)
    run = Run(
        "01980000-7c3e-7aaa-8bbb-0000000000bb",
        {"errorMessage": error_message_run.ErrorMessageRunFacet("Locked.", "PYTHON")},
    )
    client.emit(
        RunEvent(
            eventType=RunState.FAIL,
            eventTime=at(1),
            run=run,
            job=Job("rag", "ingest.parse"),
            producer=PRODUCER,
        )
    )
    client.emit(JobEvent(eventTime=at(2), job=Job("rag", "ingest.chunk"), producer=PRODUCER))
    dropped = lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(
        lifecycle_state_change_dataset.LifecycleStateChange.DROP
    )
    client.emit(
        DatasetEvent(
            eventTime=at(3),
            producer=PRODUCER,
            dataset=StaticDataset("s3://corpus", "b.pdf", facets={"lifecycleStateChange": dropped}),
        )
    )
    failed = one(stack, key, "run", run.runId, "rag%23ingest.parse")
    assert failed["fields"]["status"] == "failed"
    assert failed["attributes"]["errorMessage"]["message"] == "Locked."
    assert (
        one(stack, key, "component", "ingest.chunk", "rag")["fields"]["component_kind"]
        == "pipeline"
    )
    assert one(stack, key, "source", "b.pdf", "s3%3A%2F%2Fcorpus")["state"] == "active"


def test_the_client_is_told_that_it_may_not(stack: Product) -> None:
    reader = stack.new_key(slug="openlineage-client", scopes="read")
    event = JobEvent(eventTime=at(2), job=Job("rag", "ingest.chunk"), producer=PRODUCER)
    with pytest.raises(Exception, match="403"):
        client_of(stack, reader, packed=False).emit(event)


def one(product: Product, key: str, kind: str, name: str, namespace: str) -> Any:
    found = product.request(
        "GET", f"/api/v1/resolve?kind={kind}&key={name}&namespace={namespace}", key=key
    ).json()
    uid = found["items"][0]["uid"]
    return product.request("GET", f"/api/v1/nodes/{uid}", key=key).json()
