"""What licences ask, and the families that lists tell them apart by."""

import pytest

from lineage.formats.license_list import license_listed
from lineage.formats.licenses import read_license
from lineage.rights import asks as asks_module
from lineage.rights.asks import Family, asks_of, asks_of_id, family_of

pytestmark = pytest.mark.engine_free


@pytest.mark.parametrize(
    ("stated", "family"),
    [
        ("CC0-1.0", "open"),
        ("MIT-0 OR MIT", "open"),
        ("CC-BY-4.0", "attribution"),
        ("MIT", "attribution"),
        ("CC BY-SA 3.0", "copyleft"),
        ("GPL-3.0", "copyleft"),
        ("CC-BY-4.0 AND ODbL-1.0", "copyleft"),
        ("CC-BY-NC-SA-4.0", "non_commercial"),
        ("CC-BY-NC-ND-4.0", "no_derivatives"),
        ("LicenseRef-house", "own"),
        ("CC-BY-4.0 OR LicenseRef-house", "own"),
        ("AAL", "unclear"),
        ("CC BY", "unclear"),
        ("NOASSERTION", "none"),
        (None, "none"),
    ],
)
def test_a_licence_has_one_family(stated: str | None, family: Family) -> None:
    assert family_of(read_license(stated)) == family


def test_words_about_rights_are_unclear_and_not_nothing() -> None:
    assert family_of(read_license(None), words=True) == "unclear"
    assert family_of(read_license("CC0-1.0"), words=True) == "open"


def test_the_table_names_only_what_is_on_the_list() -> None:
    table = asks_module._TABLE
    for id_ in table:
        listed = license_listed(id_)
        assert listed is not None, id_
        assert (listed.id, listed.deprecated) == (id_, False)


def test_all_licences_of_creative_commons_and_gnu_are_known() -> None:
    assert asks_of_id("CC-BY-SA-2.1-JP") == ("attribution", "changes", "share_alike")
    assert asks_of_id("CC-BY-ND-4.0") == ("attribution", "no_derivatives")
    assert asks_of_id("GFDL-1.3-no-invariants-or-later") == (
        "attribution", "notice", "changes", "share_alike",
    )  # fmt: skip
    assert asks_of_id("CC-BY-NC-4.0") == ("attribution", "changes", "non_commercial")
    assert asks_of_id("NotAny-1.0") is None


def test_one_unknown_part_makes_the_whole_unknown() -> None:
    read = read_license("CC-BY-4.0 AND AAL")
    assert read.expression is not None
    assert asks_of(read.expression.tree) is None
