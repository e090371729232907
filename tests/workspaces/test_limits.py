"""Requests of a minute are counted per key and per workspace, for all processes at once."""

import secrets
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import cache
from django.test import override_settings

from lineage.types import Viewer
from provexplorer import clock
from provexplorer.embedded.broker import Valkey
from provexplorer.embedded.ports import free_port
from provexplorer.workspaces.limits import LimitReached, count_request
from tests.servers.running import running

pytestmark = pytest.mark.engine_free
NOW = datetime(2026, 3, 1, 10, 0, 42, 900_000, tzinfo=UTC)


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server = Valkey.in_folder(tmp_path_factory.mktemp("limits"), password="only-for-tests")
    with running(server, log=server.folder / "server.log", seconds=20):
        yield server.url


@pytest.fixture(params=["redis", "process"])
def _counted(request: pytest.FixtureRequest) -> Iterator[None]:
    url = request.getfixturevalue("redis_url") if request.param == "redis" else ""
    cache.clear()
    with override_settings(
        REDIS_URL=url, REQUESTS_PER_MINUTE_KEY=3, REQUESTS_PER_MINUTE_WORKSPACE=5
    ):
        yield


@pytest.fixture(autouse=True)
def _standing_clock() -> Iterator[None]:
    clock.use(lambda: NOW)
    yield
    clock.use(None)


def viewer(workspace: int, key: int | None, own: int | None = None) -> Viewer:
    return Viewer(workspace, b"", "w", key_id=key, requests_per_minute=own)


def fresh() -> int:
    """The number of a workspace that no test has used."""
    return secrets.randbits(48)


def let_in(who: Viewer, times: int) -> int:
    """How many of so many requests are let in."""
    allowed = 0
    for _ in range(times):
        try:
            count_request(who)
        except LimitReached:
            continue
        allowed += 1
    return allowed


@pytest.mark.usefixtures("_counted")
def test_a_key_beyond_its_limit_waits_for_the_next_minute() -> None:
    who = viewer(fresh(), 1)
    assert let_in(who, 3) == 3
    with pytest.raises(LimitReached) as reached:
        count_request(who)
    told = reached.value
    assert (told.whose, told.limit, told.seconds) == ("key", 3, 18)
    clock.use(lambda: NOW + timedelta(seconds=18))
    assert let_in(who, 5) == 3


@pytest.mark.usefixtures("_counted")
def test_a_noisy_key_does_not_use_up_the_workspace() -> None:
    place = fresh()
    assert let_in(viewer(place, 1), 100) == 3
    assert let_in(viewer(place, 2), 100) == 2
    with pytest.raises(LimitReached) as reached:
        count_request(viewer(place, 3))
    assert (reached.value.whose, reached.value.limit) == ("workspace", 5)
    assert let_in(viewer(fresh(), 3), 3) == 3


@pytest.mark.usefixtures("_counted")
@pytest.mark.parametrize(("own", "allowed"), [(None, 3), (1, 1), (4, 4), (0, 5)])
def test_a_key_may_have_a_limit_of_its_own(own: int | None, allowed: int) -> None:
    assert let_in(viewer(fresh(), 1, own), 10) == allowed


@pytest.mark.usefixtures("_counted")
def test_a_member_is_not_counted_and_zero_is_no_limit() -> None:
    assert let_in(viewer(fresh(), None), 10) == 10
    with override_settings(REQUESTS_PER_MINUTE_KEY=0, REQUESTS_PER_MINUTE_WORKSPACE=0):
        assert let_in(viewer(fresh(), 1), 10) == 10


def test_requests_at_the_same_time_are_never_counted_as_one(redis_url: str) -> None:
    who, allowed = viewer(fresh(), 1), []
    with override_settings(
        REDIS_URL=redis_url, REQUESTS_PER_MINUTE_KEY=50, REQUESTS_PER_MINUTE_WORKSPACE=0
    ):
        threads = [
            threading.Thread(target=lambda: allowed.append(let_in(who, 40))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sum(allowed) == 50


def test_a_counter_that_is_away_stops_nobody() -> None:
    with override_settings(
        REDIS_URL=f"redis://127.0.0.1:{free_port()}/0", REQUESTS_PER_MINUTE_KEY=1
    ):
        assert let_in(viewer(fresh(), 1), 3) == 3
