"""How many runs a question of what was made in some time has, and how many of them say no time."""

from dataclasses import dataclass, replace
from typing import Final

from lineage.impact.makers import runs_of_makers
from lineage.impact.question import Question, RunTimes
from lineage.impact.targets import makers_of
from lineage.nodes.counting import AtLeast, count_of
from lineage.types import Viewer

# Runs are counted so far.
MOST_COUNTED: Final = 10_000


@dataclass(frozen=True, slots=True)
class RunsAsked:
    """Of the runs of what made something: `dated` within the bounds of time, and `undated`, which say none.

    `counted_in`: what the undated ones made counts, too.
    """

    dated: AtLeast
    undated: AtLeast
    counted_in: bool


def runs_asked(viewer: Viewer, question: Question) -> RunsAsked | None:
    """The runs of the time that the question is about; None where it is about all that was made.

    Raises as lineage.impact.targets.targets_of does.
    """
    when = question.made
    if when is None:
        return None
    makers = makers_of(viewer, question)
    dated, undated = (
        count_of(runs_of_makers(viewer, replace(makers, when=one)), MOST_COUNTED)
        for one in (replace(when, undated=False), RunTimes(undated=True))
    )
    return RunsAsked(dated, undated, when.undated)
