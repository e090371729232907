"""The look at both databases while others ask: none is told of a difference nobody found."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier, Event

import pytest
from django.db import OperationalError

from provexplorer import in_step
from provexplorer.in_step import _Latest


class _Looks:
    """Stands for the two databases: each look waits until `answer` is set, then does as told."""

    def __init__(self) -> None:
        self.answer, self.begun = Event(), Event()
        self.ends: Callable[[], bool] = lambda: False
        self.count = 0

    def __call__(self) -> bool:
        self.count += 1
        self.begun.set()
        assert self.answer.wait(10)
        return self.ends()


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> _Looks:
    looks = _Looks()
    monkeypatch.setattr(in_step, "out_of_step", looks)
    return looks


def _away() -> bool:
    raise OperationalError


def _all_ask(latest: _Latest, looks: _Looks) -> list[Future[bool]]:
    """What four are told who ask during a first look, the first of them before the others."""
    start = Barrier(3)

    def ask() -> bool:
        start.wait(10)
        return latest.agree()

    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(latest.agree)
        assert looks.begun.wait(10)
        asked = [first, *(threads.submit(ask) for _ in range(3))]
        # Whoever has an answer before the look is over, has it of nothing.
        assert not any(each.done() for each in asked)
        looks.answer.set()
    return asked


def test_who_asks_during_the_first_look_is_told_what_is_found(looks: _Looks) -> None:
    assert [each.result() for each in _all_ask(_Latest(), looks)] == [True] * 4
    looks.ends = lambda: True
    looks.answer.clear()
    looks.begun.clear()
    assert [each.result() for each in _all_ask(_Latest(), looks)] == [False] * 4


def test_who_asks_during_a_first_look_that_fails_is_told_why(looks: _Looks) -> None:
    looks.ends = _away
    for each in _all_ask(_Latest(), looks):
        with pytest.raises(OperationalError):
            each.result()


def test_while_they_agreed_one_looks_and_the_others_go_on(
    looks: _Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    latest = _Latest()
    looks.answer.set()
    assert latest.agree()
    monkeypatch.setattr(in_step, "AGREED_SECONDS", 0.0)
    looks.answer.clear()
    looks.begun.clear()
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(latest.agree)
        assert looks.begun.wait(10)
        monkeypatch.setattr(in_step, "AGREED_SECONDS", 60.0)
        assert [latest.agree() for _ in range(3)] == [True] * 3
        looks.ends = lambda: True
        looks.answer.set()
    assert not first.result()
    assert not latest.agree(), "found meanwhile"
    assert looks.count == 2


def test_databases_that_are_away_are_not_ones_that_were_restored(
    looks: _Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    latest = _Latest()
    looks.answer.set()
    assert latest.agree()
    monkeypatch.setattr(in_step, "AGREED_SECONDS", 0.0)
    looks.ends = _away
    assert latest.agree()


def test_a_look_that_took_longer_than_a_later_one_changes_nothing(
    looks: _Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    latest = _Latest()
    looks.ends = lambda: True
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(latest.agree)
        assert looks.begun.wait(10)
        monkeypatch.setattr(in_step, "out_of_step", lambda: False)
        assert latest.agree()
        looks.answer.set()
        assert not slow.result()
    assert latest.agree(), "they agree since"
