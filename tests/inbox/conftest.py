"""A clock that stands still, a graph that is away, and appliers that fail on demand."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from django.test import override_settings

from lineage.inbox import attempt
from lineage.inbox.appliers import APPLIERS
from lineage.inbox.result import Payload, Result
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.inbox.world import NOW


class Clock:
    """Stands at NOW until it is moved."""

    def __init__(self) -> None:
        self.now: datetime = NOW

    def pass_(self, **time: float) -> None:
        self.now += timedelta(**time)


@pytest.fixture(autouse=True)
def time() -> Iterator[Clock]:
    standing = Clock()
    clock.use(lambda: standing.now)
    yield standing
    clock.use(None)


@pytest.fixture(autouse=True)
def _graph_away() -> Iterator[None]:
    """What these tests look at stands in the relational store; those of the graph ask for it."""
    with override_settings(NEO4J_URI="bolt://127.0.0.1:9"):
        yield


Failing = Callable[[Exception | None], None]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Failing:
    """`failing(error)`: native payloads raise it from now on; `failing(None)`: no more."""
    real = APPLIERS["native"]
    raised: list[Exception | None] = [None]

    def apply(workspace: Workspace, payload: Payload) -> Result:
        if raised[0] is not None:
            raise raised[0]
        return real(workspace, payload)

    monkeypatch.setattr(attempt, "APPLIERS", {"native": apply})

    def fail(error: Exception | None) -> None:
        raised[0] = error

    return fail
