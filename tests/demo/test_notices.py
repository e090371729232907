"""Which published notices touch which article."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from demo import notices as notice_data
from demo.importer import Notice, notices

pytestmark = pytest.mark.engine_free

CORRECTION = Notice(
    article_doi="10.1371/journal.pbio.0000010",
    article_key="PMC212691",
    doi="10.1371/journal.pbio.0020089",
    kind="correction",
    title="Corrections: The Roles of APC and Axin Derived from Experimental and Theoretical"
    " Analysis of the Wnt Pathway",
    publisher="Public Library of Science (PLoS)",
    recorded_at=datetime(2020, 4, 8, 3, 33, 10, 987000, tzinfo=UTC),
)


def test_the_one_known_notice() -> None:
    assert notices() == {"10.1371/journal.pbio.0000010": (CORRECTION,)}
    assert CORRECTION.date == "2020-04-08"


def test_notice_is_a_source_that_a_case_can_name() -> None:
    (source,) = notice_data.source_records()
    assert source == {
        "kind": "source",
        "key": "10.1371/journal.pbio.0020089",
        "title": CORRECTION.title,
        "source_kind": "notice",
        "doi": "10.1371/journal.pbio.0020089",
        "publisher": {"name": "Public Library of Science (PLoS)"},
        "attributes": {
            "notice_kind": "correction",
            "concerns": "PMC212691",
            "recorded_by": "Open Retractions",
            "recorded_at": "2020-04-08T03:33:10.987000Z",
        },
    }


def test_notices_of_other_articles_are_passed_over_and_several_are_in_order(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    def row(doi: str, *updates: tuple[int, str]) -> str:
        told = [
            {"timestamp": at, "identifier": {"doi": by}, "type": "correction"} for at, by in updates
        ]
        return json.dumps(
            {
                "record": {
                    "identifier": {"doi": doi},
                    "title": "T",
                    "publisher": "P",
                    "updates": told,
                }
            }
        )

    (tmp_path / "notices").mkdir()
    lines = [
        row("10.1/other", (1, "10.1/a")),
        row("10.1371/journal.pbio.0000010", (5_000, "10.1/late"), (0, "10.1/early")),
    ]
    (tmp_path / "notices" / "open_retractions.jsonl").write_text("\n".join(lines) + "\n")
    monkeypatch.setattr("demo.notices.DATA", tmp_path)
    (several,) = notices().values()
    assert [(notice.doi, notice.recorded_at) for notice in several] == [
        ("10.1/early", datetime(1970, 1, 1, tzinfo=UTC)),
        ("10.1/late", datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC)),
    ]
