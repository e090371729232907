"""The guide's table of faults is whole, and the tests that it names are there."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.engine_free

CHECKOUT = Path(__file__).resolve().parents[2]


def test_every_fault_names_tests_that_are_there() -> None:
    text = (CHECKOUT / "docs" / "guide" / "faults.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| F(\d+)(?:–F(\d+))? \|(.*)\|$", text, re.MULTILINE)
    faults = [n for first, last, _ in rows for n in range(int(first), int(last or first) + 1)]
    assert faults == list(range(1, 31))
    for *_, row in rows:
        named = re.findall(r"`(tests/[^`]+)`", row)
        assert named, row
        assert [path for path in named if not (CHECKOUT / path).exists()] == []
