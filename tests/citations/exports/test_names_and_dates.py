"""Names are taken apart only where a comma says how; dates have the parts that are stated."""

import pytest

from citations.exports.dates import iso, parts_of
from citations.exports.names import csl_name, inverted
from tests.citations.exports.works_made import creator

pytestmark = pytest.mark.engine_free


@pytest.mark.parametrize(
    "name",
    [
        "Bozdech Zbynek",  # the family name comes first here, and nothing says so
        "Ludwig van Beethoven",
        "World Health Organization",
        "Example, Inc.",
        "Acme Research, Ltd",
        "Ministry of Health, Brazil",
        "Smith, Jones, and Partners",
        "Route 66, Friends",
        ", Ada",
        "Ada,",
        "🐠",
    ],
)
def test_a_name_whose_parts_nobody_states_stands_as_stated(name: str) -> None:
    assert csl_name(creator(name)) == {"literal": name}


@pytest.mark.parametrize("name", ["", "   "])
def test_no_name_is_none(name: str) -> None:
    assert csl_name(creator(name)) is None


@pytest.mark.parametrize(
    ("name", "parts", "written"),
    [
        ("Author, A. B.", {"family": "Author", "given": "A. B."}, "Author, A. B."),
        (
            "van Beethoven, Ludwig",
            {"family": "Beethoven", "given": "Ludwig", "non-dropping-particle": "van"},
            "van Beethoven, Ludwig",
        ),
        (
            "Humboldt, Alexander von",
            {"family": "Humboldt", "given": "Alexander", "dropping-particle": "von"},
            "Humboldt, Alexander von",
        ),
        (
            "de la Cruz,  Juana   Inés",
            {"family": "Cruz", "given": "Juana Inés", "non-dropping-particle": "de la"},
            "de la Cruz, Juana Inés",
        ),
        (
            "King, Martin Luther, Jr.",
            {"family": "King", "given": "Martin Luther", "suffix": "Jr."},
            "King, Jr., Martin Luther",
        ),
        ("Llinás, Manuel", {"family": "Llinás", "given": "Manuel"}, "Llinás, Manuel"),
    ],
)
def test_a_name_with_a_comma_is_taken_apart(name: str, parts: dict[str, str], written: str) -> None:
    found = csl_name(creator(name))
    assert found == parts
    assert inverted(found) == written


@pytest.mark.parametrize(
    ("stated", "parts", "written"),
    [
        ("2003-10-17", (2003, 10, 17), "2003-10-17"),
        ("2003-10", (2003, 10), "2003-10"),
        ("0987", (987,), "0987"),
        ("2003-10-17T23:30:00-05:00", (2003, 10, 17), "2003-10-17"),
        ("2003-02-30", (), ""),
        ("2003-13", (), ""),
        ("0000", (), ""),
        ("17 October 2003", (), ""),
        ("", (), ""),
        (None, (), ""),
    ],
)
def test_a_date_has_the_parts_that_are_stated(
    stated: str | None, parts: tuple[int, ...], written: str
) -> None:
    assert parts_of(stated) == parts
    assert iso(parts_of(stated)) == written
