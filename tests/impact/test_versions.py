"""The natural order of versions, and what lies between two of them."""

import pytest

from lineage.impact.versions import natural_key, reversed_bounds, within

pytestmark = pytest.mark.engine_free

ASCENDING = (
    "0.9", "1", "1.0.1", "2-rc.1", "2-rc.2", "2", "3.1", "3.2.dev1", "3.2-alpha", "3.2-beta2",
    "3.2rc1", "3.2", "3.2.post1", "3.2.1", "3.9", "3.10", "2023.12", "2024-05-01", "2024-05-02",
)  # fmt: skip


def test_order_is_that_of_people() -> None:
    keys = [natural_key(version) for version in ASCENDING]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(ASCENDING)


@pytest.mark.parametrize(
    "same", [("3.2", "v3.2", "V3.2.0", "3.2+cu121", " 3.2 "), ("1.0-RC1", "1-rc1", "1.0.0rc.1")]
)
def test_what_says_the_same_is_equal(same: tuple[str, ...]) -> None:
    assert len({natural_key(version) for version in same}) == 1


@pytest.mark.parametrize(
    ("version", "least", "most", "inside"),
    [
        ("3.2", "", "", True),
        ("latest", "", "", True),
        ("", "", "", True),
        ("3.2", "3.2", "3.2", True),
        ("3.2.0", "3.2", "3.2", True),
        ("3.2.1", "3.2", "3.2", False),
        ("3.10", "3.2", "3.11", True),
        ("3.1.9", "3.2", "", False),
        ("3.2rc1", "3.2", "", False),
        ("4", "", "3.99", False),
        ("0.1", "", "3.99", True),
        ("latest", "1", "", False),
        ("Latest", "latest", "", True),
        ("", "1", "", False),
        ("3.2", "latest", "", False),
    ],
)
def test_bounds_are_included(version: str, least: str, most: str, inside: bool) -> None:
    assert within(version, least, most) is inside


@pytest.mark.parametrize(
    ("least", "most", "is_reversed"),
    [
        ("2", "1", True),
        ("3.10", "3.9", True),
        ("3.2", "3.2rc1", True),
        ("3.9", "3.10", False),
        ("v3.2.0", "3.2", False),
        ("2", "", False),
        ("", "1", False),
        ("latest", "1", False),
        ("2", "latest", False),
    ],
)
def test_bounds_may_be_the_wrong_way_round(least: str, most: str, is_reversed: bool) -> None:
    assert reversed_bounds(least, most) is is_reversed
