"""When a source is looked at again, and by whom."""

from datetime import timedelta

import pytest

from lineage.freshness.schedule import LEAST, MOST, interval
from lineage.models.freshness import Outcome

pytestmark = pytest.mark.engine_free

DAY = timedelta(days=1)


def wait(outcome: str = Outcome.SAME, **told: float) -> timedelta:
    watched = timedelta(days=told.pop("watched", 0))
    numbers = {"changes": 0, "answers": 0, "failures": 0} | told
    return interval(outcome, watched=watched, **numbers)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "told, days",
    [
        # (30 + watched) / (1 + changes) / 4, for nothing that rests on it.
        ({}, 7.5), ({"watched": 90}, 30), ({"watched": 90, "changes": 3}, 7.5),
        ({"watched": 30, "changes": 29}, 0.5),
        # Half as long with 9 answers, a third with 99.
        ({"answers": 9}, 3.75), ({"answers": 99}, 2.5),
        ({"watched": 3_000}, 30), ({"watched": 365, "changes": 365 * 24, "answers": 10**6}, 1 / 24),
    ],
)  # fmt: skip
def test_how_fast_it_changes_and_what_hangs_on_it(told: dict[str, float], days: float) -> None:
    given = wait(Outcome.SAME, **told)
    assert given == pytest.approx(days * DAY, rel=1e-9)
    assert LEAST <= given <= MOST


@pytest.mark.parametrize(
    "outcome, failures, hours",
    [
        (Outcome.UNREACHABLE, 1, 1), (Outcome.UNREACHABLE, 2, 2), (Outcome.UNREACHABLE, 6, 32),
        (Outcome.UNREACHABLE, 99, 7 * 24), (Outcome.UNREADABLE, 3, 4), (Outcome.GONE, 1, 24),
        (Outcome.GONE, 3, 96), (Outcome.PAYWALL, 99, 30 * 24), (Outcome.NO_ADDRESS, 10**6, 30 * 24),
    ],
)  # fmt: skip
def test_each_failure_doubles_the_wait(outcome: str, failures: int, hours: int) -> None:
    assert wait(outcome, failures=failures) == timedelta(hours=hours)


def test_a_site_is_left_alone_as_long_as_it_asks() -> None:
    assert wait(Outcome.UNREACHABLE, failures=1, retry_after=7_200) == timedelta(hours=2)
    assert wait(Outcome.UNREACHABLE, failures=3, retry_after=60) == timedelta(hours=4)
