"""/healthz and /readyz: alive is not ready, and what is away is named in time."""

import time

import pytest
from django.test import Client

from provexplorer import health
from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.embedded.ports import free_port


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_REMEMBERED_SECONDS", -1.0)


@pytest.fixture
def nowhere(settings: object) -> None:
    """Graph and broker at ports where nobody listens."""
    settings.NEO4J_URI = f"bolt://127.0.0.1:{free_port()}"  # type: ignore[attr-defined]
    settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{free_port()}/0"  # type: ignore[attr-defined]


@pytest.mark.django_db(transaction=True)
def test_what_is_away_is_named_and_the_process_is_alive_all_the_same(
    client: Client, nowhere: None
) -> None:
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()) == (
        503,
        {
            "status": "not ready",
            "away": ["broker", "graph"],
            "waiting": {"payloads": 0, "nodes": 0},
            "delayed": False,
            "set_aside": 0,
            "rebuilding": False,
        },
    )
    assert client.get("/healthz").content == b"ok\n"


@pytest.mark.django_db(transaction=True)
def test_graph_that_answers_is_not_named(
    client: Client, nowhere: None, graph: GraphAddress
) -> None:
    assert client.get("/readyz").json()["away"] == ["broker"]


@pytest.mark.engine_free
def test_probe_that_hangs_or_fails_counts_as_away_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang() -> bool:
        time.sleep(1)
        return True

    def fail() -> bool:
        raise RuntimeError

    probes = {"hangs": hang, "fails": fail, "says no": lambda: False, "answers": lambda: True}
    monkeypatch.setattr(health, "PROBES", probes)
    began = time.monotonic()
    assert health.what_is_away(seconds=0.2) == ["fails", "hangs", "says no"]
    assert time.monotonic() - began < 0.8


@pytest.mark.engine_free
def test_everything_there_is_ready(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PROBES", {"relational": lambda: True})
    ready = client.get("/readyz")
    # No store may be asked here, so nothing can be counted.
    told: dict[str, object] = {
        "status": "ready", "away": [], "waiting": None, "delayed": None, "set_aside": None,
        "rebuilding": None,
    }  # fmt: skip
    assert (ready.status_code, ready.json()) == (200, told)
    assert "no-store" in ready.headers["Cache-Control"]


@pytest.mark.engine_free
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_is_only_asked_never_told(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405
