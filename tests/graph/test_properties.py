"""What a client sends does not reach the graph unless it is a code, a number or a time."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from lineage.graph.properties import edge_properties, instant, node_properties
from lineage.vocabulary import EDGE_PROPERTIES, GRAPH_COMMON, GRAPH_PROPERTIES, KINDS, Edge

pytestmark = pytest.mark.engine_free


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_beyond_the_allow_list_and_no_sentence(kind: str) -> None:
    sentence = "Dr. Ana Silva, ana@example.org, said so"
    names = {"title", "name", "key", "heading", "uri", "doi", "text", "label", "reason"}
    allowed = GRAPH_COMMON | GRAPH_PROPERTIES[kind]
    assert node_properties(kind, dict.fromkeys(names | allowed, sentence)) == {}
    assert node_properties(kind, dict.fromkeys(names, "code")) == {}


@pytest.mark.parametrize("edge", Edge)
def test_edges_hold_nothing_beyond_the_allow_list(edge: Edge) -> None:
    names = EDGE_PROPERTIES.get(edge, frozenset())
    assert edge_properties(edge, dict.fromkeys(names | {"quote"}, "two words")) == {}
    assert "quote" not in edge_properties(edge, dict.fromkeys(names | {"quote"}, "code"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("start", True),
        ("start", 2**63),
        ("start", 1.5),
        ("confidence", float("nan")),
        ("confidence", 10**400),
        ("confidence", "high"),
        ("resolved", 1),
        ("occurred_at", "yesterday"),
        ("occurred_at", 20260301),
        ("language", "e\ud800n"),
        ("language", "x" * 65),
        ("version", "x" * 121),
        ("version", "line\nbreak"),
        ("license", ["MIT"]),
    ],
)
def test_a_value_of_the_wrong_form_is_left_out(name: str, value: Any) -> None:
    kinds = [kind for kind in KINDS if name in GRAPH_COMMON | GRAPH_PROPERTIES[kind]]
    assert kinds
    assert [node_properties(kind, {name: value}) for kind in kinds] == [{} for _ in kinds]


def test_times_are_written_so_that_text_order_is_time_order() -> None:
    brasilia = timezone(timedelta(hours=-3))
    values = [
        datetime(987, 1, 1, tzinfo=UTC),
        datetime(2026, 3, 1, 9, 0, tzinfo=UTC),
        datetime(2026, 3, 1, 6, 0, 0, 1, tzinfo=brasilia),
    ]
    assert [instant(value) for value in values] == [
        "0987-01-01T00:00:00.000000Z",
        "2026-03-01T09:00:00.000000Z",
        "2026-03-01T09:00:00.000001Z",
    ]


def test_values_of_the_right_form_are_kept() -> None:
    assert node_properties(
        "source_version",
        {
            "version": "v2.1 (final)",
            "license": "MIT OR Apache-2.0",
            "published_at": "2003-10",
            "modified_at": "2003-10-13T10:00:00",
            "valid_until": None,
        },
    ) == {
        "version": "v2.1 (final)",
        "license": "MIT OR Apache-2.0",
        "published_at": "2003-10",
        "modified_at": "2003-10-13T10:00:00.000000Z",
    }
    assert edge_properties(
        Edge.RETRIEVED,
        {"rank": 1, "score": 1, "score_kind": "bm25", "kept": False, "drop_reason": "below top_k"},
    ) == {"rank": 1, "score": 1.0, "score_kind": "bm25", "kept": False}
