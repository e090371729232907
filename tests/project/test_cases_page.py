"""docs/guide/cases.md says what the code does: its tables are compared with the code's."""

import re
from pathlib import Path
from typing import Final, get_args

import pytest

from lineage.api.case_schemas import CaseState
from lineage.cases.effects import EFFECTS, HIDES_PASSAGE, UNLESS_CLAIMS_STAND
from lineage.vocabulary import CASE_KINDS, Grade

pytestmark = pytest.mark.engine_free

PAGE: Final = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "cases.md").read_text(
    "utf-8"
)
# A word of the API that no case of this product has yet: kept for additions.
RESERVED: Final = {"approved"}


def rows(heading: str) -> list[list[str]]:
    """The cells of the table whose first heading this is."""
    table = PAGE.partition(f"\n| {heading} |")[2].partition("\n\n")[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


def test_every_state_of_a_case_is_explained() -> None:
    told = {row[0].strip("`") for row in rows("state")}
    assert told == set(get_args(CaseState)) - RESERVED


def test_every_kind_of_case_does_what_the_page_says() -> None:
    told = {
        kind: row[1:] for row in rows("case") for kind in re.findall(r"`(\w+)`", row[0])
    }  # fmt: skip
    assert sorted(told) == sorted(CASE_KINDS)
    for kind, (cited, in_context, produced, _claim, passage) in told.items():
        for grade, words in (
            (Grade.CITED, cited), (Grade.IN_CONTEXT, in_context), (Grade.PRODUCED, produced),
        ):  # fmt: skip
            state = "current" if words == "–" else words.partition(",")[0]
            assert EFFECTS[kind][grade].word == state, (kind, grade)
        assert ("claims stand" in cited) is (kind in UNLESS_CLAIMS_STAND), kind
        assert (passage == "hidden") is (kind in HIDES_PASSAGE), kind
