"""Targets that a case is filed about because somebody asked what rests on them: of a question of impact."""

from dataclasses import dataclass

from lineage.cases.targets import MOST_TARGETS
from lineage.impact.question import Question
from lineage.impact.targets import targets_of
from lineage.models import Node
from lineage.types import Viewer
from lineage.vocabulary import CASE_TARGET_KINDS


@dataclass(frozen=True, slots=True)
class Proposed:
    """`uids`: what a case can name, at most 200; `beyond`: how many more there are."""

    uids: tuple[str, ...]
    beyond: int


def proposed(viewer: Viewer, question: Question) -> Proposed:
    """What the question asks about, sets and ranges of components included, as targets; filters do not narrow it.

    Raises NotFound for a uid that is unknown, QuestionInvalid as the report does.
    """
    if not question.names_something:
        return Proposed((), 0)
    found = targets_of(viewer, question)
    nodes = Node.objects.filter(
        found.condition("pk"), workspace_id=viewer.workspace_id, kind__in=CASE_TARGET_KINDS
    )
    uids = nodes.order_by("pk").values_list("uid", flat=True)
    return Proposed(tuple(uids[:MOST_TARGETS]), max(0, nodes.count() - MOST_TARGETS))
