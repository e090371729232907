"""Small plots and the words beside numbers of components: bounded counts, durations, shares, steps of time."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from django.utils import translation

from lineage.nodes.component_work import Step
from lineage.nodes.counting import AtLeast
from lineage.pages.plots import HEIGHT, WIDTH, bar_plot
from lineage.templatetags.components import (
    at_least,
    duration,
    flat,
    plain,
    run_badge,
    share,
    step_name,
    step_words,
)

pytestmark = pytest.mark.engine_free


def test_bars_stand_in_their_frame_by_their_values() -> None:
    plot = bar_plot([0, 5, 10], [0, 5, 1])
    assert plot.most == 10
    assert [(bar.height, bar.part_height) for bar in plot.bars] == [
        (0, 0), (HEIGHT / 2, HEIGHT / 2), (HEIGHT, HEIGHT / 10),
    ]  # fmt: skip
    for bar in plot.bars:
        assert (bar.y + bar.height, bar.part_y + bar.part_height) == (HEIGHT, HEIGHT)
    edges = [(bar.x, bar.x + bar.width) for bar in plot.bars]
    assert edges == sorted(edges)
    assert all(start >= 0 and end <= WIDTH for start, end in edges)
    assert all(before[1] <= after[0] for before, after in pairwise(edges))


def test_what_is_little_is_seen_and_what_is_nothing_is_not() -> None:
    assert [bar.height for bar in bar_plot([1, 1_000_000, 0]).bars] == [1, HEIGHT, 0]
    assert bar_plot([]).bars == ()
    assert [bar.height for bar in bar_plot([0, 0]).bars] == [0, 0]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, "—"), (0, "0 s"), (0.44, "0.4 s"), (9.96, "10 s"), (94.2, "94 s"), (150, "2 min"),
        (5_400, "90 min"), (9_000, "2.5 h"),
    ],
)  # fmt: skip
def test_durations_are_said_as_people_do(seconds: float | None, said: str) -> None:
    assert duration(seconds) == said


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        (0, 0, "—"),
        (0, 9, "0%"),
        (1, 1_000, "under 1%"),
        (1, 3, "33%"),
        (999, 1_000, "99%"),
        (7, 7, "100%"),
    ],
)
def test_a_share_is_never_rounded_to_nothing_or_to_all(part: int, whole: int, said: str) -> None:
    assert share(part, whole) == said


def test_a_bounded_number_says_that_it_is_one() -> None:
    assert at_least(AtLeast(12_345)) == "12,345"
    assert at_least(AtLeast(10_000, more=True)) == "≥ 10,000"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hour", "2 March 2026, 14:00 UTC"), ("day", "2 March 2026"),
        ("week", "2 March 2026 – 8 March 2026"), ("month", "March 2026"), ("year", "2026"),
    ],
)  # fmt: skip
def test_steps_are_named_by_their_time(name: str, said: str) -> None:
    step = Step(datetime(2026, 3, 2, 14, tzinfo=UTC), 1, 0, 2_000)
    assert step_name(step, name) == said
    assert step_words(step, name) == f"{said}: 1 run, 2,000 outputs"


def test_the_last_week_of_the_calendar_ends_with_it() -> None:
    step = Step(datetime(9999, 12, 27, tzinfo=UTC), 1, 0, 0)
    assert step_name(step, "week") == "27 December 9999 – 31 December 9999"


def test_numbers_in_a_drawing_are_the_same_in_every_language() -> None:
    with translation.override("pt-br"):
        assert plain(12.5) == "12.5"


def test_a_configuration_is_laid_flat_in_its_order() -> None:
    config = {"ocr": {"lang": "en", "more": {}}, "pages": [1, 2], "x": None}
    assert flat(config) == [("ocr.lang", "en"), ("ocr.more", {}), ("pages", [1, 2]), ("x", None)]
    assert flat("plain") == [("—", "plain")]


def test_a_word_of_a_client_for_how_a_run_ended_is_escaped() -> None:
    badge = run_badge("other", "<b>half</b>")
    assert "&lt;b&gt;half&lt;/b&gt;" in badge
    assert "Failed" in run_badge("failed", "ERR")
