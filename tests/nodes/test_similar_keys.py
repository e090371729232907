"""Which keys read alike: the same words and numbers, written another way."""

import pytest

from lineage.nodes.similar_keys import Candidate, similar_keys

pytestmark = pytest.mark.engine_free


def alike(key: str, *others: str, most: int = 5) -> list[str]:
    found = similar_keys(key, [Candidate(n, one) for n, one in enumerate(others)], most=most)
    assert all(75 <= one.likeness <= 100 for one in found)
    return [others[one.node_id] for one in found]


@pytest.mark.parametrize(
    ("key", "other"),
    [
        ("guide-2019.pdf", "guide-2020.pdf"),
        ("report#12", "report#13"),
        ("page 7", "page 70"),
        ("alpha", "omega"),
        ("harbour-handbook-2024.md", "sotu-2024"),
        ("annual report", "report of the port"),
        ("d", "docs/handbook"),
        ("", "docs/handbook"),
    ],
)
def test_keys_that_mean_something_else_are_not_alike(key: str, other: str) -> None:
    assert alike(key, other) == []


@pytest.mark.parametrize(
    ("key", "other"),
    [
        ("guide.md", "s3://corpus/guide.md"),
        ("d#1", "D-1"),
        ("report 007", "report-7"),
        ("Guide_2019.pdf", "corpus-3/guide-2019.pdf"),
        ("x" * 2_000 + "guide.md", "x" * 1_000 + "guide.md"),
    ],
)
def test_keys_that_are_written_another_way_are_alike(key: str, other: str) -> None:
    assert alike(key, other) == [other]


def test_the_most_alike_comes_first_and_no_more_than_asked() -> None:
    others = ("docs/guide-1.pdf", "guide-1.pdf", "guides/1", "unrelated")
    assert alike("guide-1.pdf", *others)[0] == "guide-1.pdf"
    assert len(alike("guide-1.pdf", *others, most=2)) == 2
