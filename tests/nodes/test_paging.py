"""Cursors: only what a list gave is taken back."""

import base64
from datetime import UTC, datetime

import pytest

from lineage.nodes.paging import (
    CursorInvalid,
    after_newest,
    bounded,
    cursor_of,
    read_cursor,
    write_cursor,
)


def encoded(json: str) -> str:
    return base64.urlsafe_b64encode(json.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        "", "!", "é", "a" * 500, encoded("{}"), encoded("[1]"), encoded("[1,2,3]"),
        encoded('["2026-03-01T10:00:00+00:00",5]'), encoded('[true,"u"]'), encoded("[" * 200),
        encoded('["yesterday","u"]'), encoded('["2026-03-01T10:00:00","u"]'), encoded('["x",null]'),
        encoded('[null,"\\u0000"]'),
    ],
)  # fmt: skip
def test_cursor_of_another_make_is_refused(cursor: str) -> None:
    with pytest.raises(CursorInvalid):
        after_newest(cursor)


def test_number_beyond_64_bits_is_refused() -> None:
    assert read_cursor(encoded(f"[{2**63 - 1}]"), int) == (2**63 - 1,)
    for number in (2**63, 2**64, -(2**64)):
        with pytest.raises(CursorInvalid):
            read_cursor(encoded(f"[{number}]"), int)


def test_flag_does_not_pass_for_a_number() -> None:
    with pytest.raises(CursorInvalid):
        read_cursor(encoded("[true]"), int)


def test_cursor_comes_back_as_it_went() -> None:
    assert read_cursor(write_cursor(-1, "ans_x", None), int, str, str) == (-1, "ans_x", None)
    at = datetime(2026, 3, 1, 10, 0, 0, 123456, tzinfo=UTC)
    assert read_cursor(cursor_of(at, "u"), str, str) == ("2026-03-01T10:00:00.123456+00:00", "u")
    assert read_cursor(cursor_of(None, "u"), str, str) == (None, "u")


@pytest.mark.parametrize(("asked", "given"), [(-5, 1), (0, 1), (1, 1), (200, 200), (10**9, 200)])
def test_page_size_is_bounded(asked: int, given: int) -> None:
    assert bounded(asked) == given
