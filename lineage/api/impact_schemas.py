"""Shapes of a report of impact and of the sets that it asks about."""

from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import Field

from lineage.api.impact import Affected, Counts
from lineage.api.schemas import Instant, Number, number_out
from lineage.impact.question import MOST_NODES
from lineage.impact.runs_asked import RunsAsked


class FacetValueOut(Schema):
    """A value of a filter and the number of answers that it would keep, all other filters holding."""

    value: str
    count: int


class FacetOut(Schema):
    """The values of one filter; `more` where some are left out. An empty value: not stated."""

    name: str
    values: list[FacetValueOut]
    more: bool


class ReadersOut(Schema):
    """`known`: different users that answers name (pseudonyms); `unstated`: answers that name none."""

    known: int
    unstated: int


class ClaimsOut(Schema):
    """Of `answers` that cite it, the newest: `claims` that do, and those that `kept` an independent source.

    `more` where there are answers whose claims were not judged.
    """

    claims: int
    kept: int
    answers: int
    more: bool


class StagesOut(Schema):
    """Nodes downstream by kind, what is asked about not among them; at least so many where `truncated`."""

    counts: dict[str, int]
    truncated: bool


class Counted(Schema):
    """How far the numbers of a large report are counted: `done` of `steps`; `failed`: no more will come.

    `at` is the instant of numbers that were kept; null where all were counted just now.
    """

    done: int
    steps: int
    failed: bool
    at: Instant | None


class RunsOut(Schema):
    """Of a question of what was made in some time: the runs within its bounds, and those that state no time.

    `counted_in`: what the undated ones made counts, too (`made_undated`).
    """

    dated: Number
    undated: Number
    counted_in: bool


class ImpactOfQuestion(Schema):
    """Counts before filters; items and all else after them. `question` is its canonical form.

    The list is always there at once. Of large reports the numbers are counted in the
    background: what is not counted yet is null, or not among the facets; ask again. `runs` is
    null where all that was made is asked about, whenever it was, and where `numbers` is false.
    """

    question: str
    counts: Counts | None
    items: list[Affected]
    next: str | None
    total: int | None
    facets: list[FacetOut]
    readers: ReadersOut | None
    claims: ClaimsOut | None
    stages: StagesOut | None
    runs: RunsOut | None
    counted: Counted


class Names(Schema):
    """Uids, keys, DOIs, other identifiers and addresses, one an item."""

    lines: Annotated[list[str], Field(min_length=1, max_length=MOST_NODES)]


class MeantOut(Schema):
    """A node that a line means, or may mean."""

    uid: str
    kind: str


class LineOut(Schema):
    """What became of a line."""

    line: str
    verdict: Literal["found", "ambiguous", "unknown"]
    nodes: list[MeantOut]


class SetOut(Schema):
    """The set of all that was found without doubt; null where nothing was."""

    uid: str | None
    lines: list[LineOut]


def runs_out(runs: RunsAsked) -> dict[str, Any]:
    """The runs of a time, as RunsOut."""
    return {
        "dated": number_out(runs.dated),
        "undated": number_out(runs.undated),
        "counted_in": runs.counted_in,
    }
