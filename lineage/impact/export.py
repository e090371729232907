"""The list of a report as CSV and as JSON Lines: every answer of the question, in its order, in flat memory.

One statement is read as it is walked; what a row needs beside it is looked up for some hundred
rows at a time. What is written is what the list shows, so that both have the same length.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, cast

from lineage.formats.times import written
from lineage.impact.affected import Affected
from lineage.impact.report import ImpactItem, items_of
from lineage.models import Node
from lineage.types import JsonValue

COLUMNS: Final = (
    "answer", "key", "occurred_at", "grade", "origin_grade", "state", "model", "provider", "unit",
    "because", "address",
)  # fmt: skip
_BATCH: Final = 500
# Where a spreadsheet may begin a cell: at ours, and where it takes another sign than the comma for
# the separator (Excel takes ";" where the comma is the decimal one) within ours, whatever quotes
# stand around it there. It calculates what then begins with one of these signs.
_FORMULA: Final = re.compile(
    r"""^(?=[\s\ufeff]*[=+\-@＝＋－＠]|[\t\r\n'])|(?<=[;\t\r\n])(?=[\s\ufeff"]*[=+\-@＝＋－＠]|')"""
)


def csv_lines(found: Affected, address: Callable[[str], str]) -> Iterator[str]:
    """Header and rows, some hundred at a time. `address` gives the address of an answer's page."""
    yield csv_rows([COLUMNS])
    for rows in _rows(found, address):
        yield csv_rows([_cells(row) for row in rows])


def json_lines(found: Affected, address: Callable[[str], str]) -> Iterator[str]:
    """One object a line, with the members of COLUMNS; `because` is a list, unknown is null."""
    for rows in _rows(found, address):
        yield "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def csv_rows(rows: Iterable[Sequence[str]]) -> str:
    """These rows as every CSV of the product has them: RFC 4180 (CRLF, quotes where needed), without formulas."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows([safe_cell(cell) for cell in row] for row in rows)
    return buffer.getvalue()


def safe_cell(text: str) -> str:
    """The text, with an apostrophe before whatever of it a spreadsheet would calculate.

    Without the apostrophe that then begins the cell, or follows a separator in it, it is the
    text again: one that was there is doubled.
    """
    return _FORMULA.sub("'", text)


def batches(found: Affected) -> Iterator[tuple[ImpactItem, ...]]:
    """Every item of the list, some hundred at a time."""
    rows = found.every()
    while batch := list(islice(rows, _BATCH)):
        yield items_of(found, batch)


def _rows(found: Affected, address: Callable[[str], str]) -> Iterator[list[dict[str, JsonValue]]]:
    for items in batches(found):
        stated = _stated(found, items)
        yield [
            {
                "answer": item.uid,
                "key": item.key,
                "occurred_at": None if item.occurred_at is None else written(item.occurred_at),
                "grade": item.grade,
                "origin_grade": item.origin_grade,
                "state": item.state,
                **stated[item.uid],
                "because": list(item.because),
                "address": address(item.uid),
            }
            for item in items
        ]


def _stated(found: Affected, items: Sequence[ImpactItem]) -> dict[str, dict[str, JsonValue]]:
    """What the answers say of themselves, by uid."""
    rows = Node.objects.filter(
        workspace_id=found.viewer.workspace_id, uid__in=[item.uid for item in items]
    )
    said: dict[str, dict[str, Any]] = {item.uid: {} for item in items}
    said |= dict(rows.order_by().values_list("uid", "fields"))
    names = ("model", "provider", "unit")
    return {uid: {name: fields.get(name) for name in names} for uid, fields in said.items()}


def _cells(row: dict[str, JsonValue]) -> list[str]:
    said = row | {"because": " > ".join(cast("list[str]", row["because"]))}
    return ["" if said[name] is None else str(said[name]) for name in COLUMNS]
