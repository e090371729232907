"""When rights end: what is stated in years, months, days and instants, and by consents."""

from datetime import UTC, datetime
from typing import Any

import pytest

from lineage.rights.known import Rules, lacking, licence_known, names_creator
from lineage.rights.terms import Ending, end_of, endings_of

pytestmark = pytest.mark.engine_free


@pytest.mark.parametrize(
    "stated",
    [None, "", "soon", "2026-13", "2026-02-30", "20260101x", 2026, True, "9999", "2026-1", ["2026"]],
)  # fmt: skip
def test_what_is_no_date_ends_nothing(stated: Any) -> None:
    assert end_of(stated) is None


@pytest.mark.parametrize(
    ("stated", "end"),
    [
        ("2026", datetime(2027, 1, 1, tzinfo=UTC)),
        ("2026-12", datetime(2027, 1, 1, tzinfo=UTC)),
        ("2026-02", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2024-02-28", datetime(2024, 2, 29, tzinfo=UTC)),
        ("2026-12-31", datetime(2027, 1, 1, tzinfo=UTC)),
        ("2026-05-01T10:00:00Z", datetime(2026, 5, 1, 10, tzinfo=UTC)),
        ("2026-05-01T10:00:00", datetime(2026, 5, 1, 10, tzinfo=UTC)),
        ("2026-05-01T10:00:00+02:00", datetime(2026, 5, 1, 8, tzinfo=UTC)),
    ],
)
def test_a_day_is_over_when_it_has_passed(stated: str, end: datetime) -> None:
    assert end_of(stated) == end


def test_each_end_is_told_the_earliest_first() -> None:
    fields = {
        "valid_until": "2026-06",
        "retention_until": "2026-01-01T00:00:00Z",
        "consent": {"by": "participants", "expires": "2026-03-01"},
    }
    assert endings_of(fields) == (
        Ending("retention", datetime(2026, 1, 1, tzinfo=UTC)),
        Ending("consent", datetime(2026, 3, 2, tzinfo=UTC)),
        Ending("validity", datetime(2026, 7, 1, tzinfo=UTC)),
    )
    assert endings_of({"consent": "given", "valid_until": None}) == ()


def test_a_publisher_is_no_creator_and_words_are_no_licence() -> None:
    assert not names_creator({"creators": []})
    assert not names_creator({"publisher": {"name": "P"}})
    assert names_creator({"creators": [{"name": "A"}]})
    assert not licence_known({"license": "All rights reserved"})
    assert not licence_known({"rights": "CC BY 4.0"})
    assert licence_known({"license": "LicenseRef-house"})
    assert licence_known({"license_uri": "https://creativecommons.org/licenses/by/4.0/"})


def test_only_what_is_demanded_is_lacking() -> None:
    nothing: dict[str, Any] = {}
    assert lacking(Rules(), nothing, nothing) == ()
    assert lacking(Rules(creator=True, licence=True), nothing, nothing) == ("creator", "licence")
    assert lacking(Rules(creator=True), nothing, {"creators": [{"name": "A"}]}) == ()
