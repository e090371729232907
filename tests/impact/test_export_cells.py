"""No cell of an export is a formula."""

import pytest

from lineage.impact.export import safe_cell

pytestmark = pytest.mark.engine_free


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("", ""),
        ("a-1", "a-1"),
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        (" =1", "' =1"),
        ("＝1", "'＝1"),
        ("'a", "''a"),
        ("a=1", "a=1"),
    ],
)
def test_cell_that_would_be_a_formula_has_an_apostrophe(text: str, cell: str) -> None:
    assert safe_cell(text) == cell
