"""No cell of an export is a formula, whatever sign a spreadsheet takes for the separator."""

import csv
import io
import re
from pathlib import Path

import pytest

from lineage.impact.export import csv_rows, safe_cell

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
        ("\t=1", "'\t'=1"),
        ("\r=1", "'\r'=1"),
        ("\xa0=1", "'\xa0=1"),
        ("x;=1+cmd|' /C calc'!A1;y", "x;'=1+cmd|' /C calc'!A1;y"),
        ("x;=1;-2;y", "x;'=1;'-2;y"),
        ("x; \t+1", "x;' \t'+1"),
        ("x\t@a", "x\t'@a"),
        ("x\r\n=1", "x\r'\n'=1"),
        ('x;"=1";y', 'x;\'"=1";y'),
        ("x;＝1", "x;'＝1"),
        ("x;'a", "x;''a"),
        ("Ana; Zoë - a life; 'tis", "Ana; Zoë - a life; 'tis"),
        (" =1", "' =1"),
        ("＝1", "'＝1"),
        ("'a", "''a"),
        ("a=1", "a=1"),
    ],
)
def test_cell_that_would_be_a_formula_has_an_apostrophe(text: str, cell: str) -> None:
    assert safe_cell(text) == cell
    # One apostrophe less at each of these places is the text again.
    assert re.sub(r"(^|[;\t\r\n])'", r"\1", cell) == text


_CALCULATED = re.compile(r"\s*[=+\-@＝＋－＠]")
_CELLS = (
    "=1+1", "x;=1+cmd|' /C calc'!A1;y", 'x;"=1+1";y', 'a "b";=1', "x;\n=1", "x\t=1", "x, =1",
    "x\r\n-1", "a,b;@c", 'x;""=1', "x;",
)  # fmt: skip


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_separator_of_a_spreadsheet_leaves_a_formula(separator: str) -> None:
    written = csv_rows([("uid", cell, "=2", "end") for cell in _CELLS])
    read = list(csv.reader(io.StringIO(written, newline=""), delimiter=separator))
    assert len(read) >= len(_CELLS)
    assert [cell for row in read for cell in row if _CALCULATED.match(cell)] == []
    # As it was written, every cell is where it was.
    if separator == ",":
        assert [row[1] for row in read] == [safe_cell(cell) for cell in _CELLS]


def test_rows_are_written_in_one_place() -> None:
    root = Path(__file__).parents[2]
    files = [
        path
        for room in ("lineage", "citations", "provexplorer")
        for path in (root / room).rglob("*.py")
    ]
    writing = [
        path.relative_to(root).as_posix()
        for path in files
        if re.search(r"csv\.(writer|DictWriter)", path.read_text())
    ]
    assert writing == ["lineage/impact/export.py"]
