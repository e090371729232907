"""OpenLineage's own Python client over HTTP: against the running product, and where it must send again."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any, Final
from uuid import UUID
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.db import OperationalError, close_old_connections
from django.test import override_settings
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

from lineage.inbox.receive import Receipt, receive
from lineage.models import Node
from provexplorer import clock
from provexplorer.workspaces.keys import create_key
from provexplorer.workspaces.models import Workspace
from provexplorer.wsgi import application
from tests.servers.product import Product

pytestmark = pytest.mark.one_pair
TOO_MANY: Final = 429

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


class _Quiet(WSGIRequestHandler):
    """Says nothing of the requests that it answers."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as it is called there
        pass


@contextmanager
def _connection_kept() -> Iterator[None]:
    """Requests leave the test's connection open, which is in a transaction."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in signals:
            signal.connect(close_old_connections)


def statuses_of(
    workspace: Workspace,
    *events: RunEvent,
    per_minute: int | None = None,
    answered: Callable[[int], object] = lambda _: None,
) -> list[int]:
    """What the site answered, in order, while the client sent these events with its own retries.

    `answered` is told each status as it is given.
    Requests are answered in this thread, whose transaction nobody else would see.
    """
    key = create_key(workspace=workspace, scopes=["ingest"], requests_per_minute=per_minute)[1]
    statuses: list[int] = []

    def site(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        def started(status: str, headers: Any, error: Any = None) -> Any:
            statuses.append(int(status.split(maxsplit=1)[0]))
            answered(statuses[-1])
            return start(status, headers, error)

        return application(environ, started)

    with (
        _connection_kept(),
        make_server("127.0.0.1", 0, site, handler_class=_Quiet) as server,
    ):
        server.timeout = 0.05
        address = f"http://127.0.0.1:{server.server_port}"
        config = HttpConfig(url=address, auth=ApiKeyTokenProvider({"api_key": key}))
        client = OpenLineageClient(transport=HttpTransport(config))
        with ThreadPoolExecutor(1) as emitting:
            sent = [emitting.submit(client.emit, event) for event in events]
            while not all(each.done() for each in sent):
                server.handle_request()
        for each in sent:
            each.result()
    return statuses


def runs(number: int) -> list[RunEvent]:
    """So many runs that ended."""
    return [
        RunEvent(
            eventType=RunState.COMPLETE,
            eventTime=at(5),
            run=Run(str(UUID(int=UUID(RUN).int + 16 + place))),
            job=Job("rag", "ingest.parse"),
            producer=PRODUCER,
        )
        for place in range(number)
    ]


def stored(workspace: Workspace) -> set[str]:
    nodes = Node.objects.filter(workspace=workspace, kind="run", resolved=True)
    return set(nodes.values_list("key", flat=True))


@pytest.mark.usefixtures("graph_away")
@override_settings(REDIS_URL="")
def test_the_client_waits_for_the_next_minute_and_loses_no_event(workspace: Workspace) -> None:
    cache.clear()
    # The next minute begins when the client has been told to wait for it.
    last_second, refused = datetime(2026, 3, 1, 10, 0, 59, tzinfo=UTC), Event()
    clock.use(lambda: last_second + timedelta(seconds=2 * refused.is_set()))

    def note(status: int) -> None:
        if status == TOO_MANY:
            refused.set()

    try:
        statuses = statuses_of(workspace, *(sent := runs(3)), per_minute=2, answered=note)
    finally:
        clock.use(None)
        cache.clear()
    assert statuses == [202, 202, TOO_MANY, 202]
    assert stored(workspace) == {event.run.runId for event in sent}


@pytest.mark.usefixtures("graph_away")
def test_the_client_sends_again_what_the_store_could_not_keep(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = iter([True])

    def busy_first(*given: Any, **named: Any) -> Receipt:
        if next(busy, False):
            raise OperationalError
        return receive(*given, **named)

    monkeypatch.setattr("lineage.api.records.receive", busy_first)
    statuses = statuses_of(workspace, *(sent := runs(2)))
    assert statuses == [503, 202, 202]
    assert stored(workspace) == {event.run.runId for event in sent}


def one(product: Product, key: str, kind: str, name: str, namespace: str) -> Any:
    found = product.request(
        "GET", f"/api/v1/resolve?kind={kind}&key={name}&namespace={namespace}", key=key
    ).json()
    uid = found["items"][0]["uid"]
    return product.request("GET", f"/api/v1/nodes/{uid}", key=key).json()
