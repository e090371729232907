"""Which answers fall under an incident's question: how many now, and which of some that changed.

All comes from the report's one definition (lineage.impact.affected); what is new is
told by the rows of the closure: those written after the incident was opened have greater ids
than its mark, since they are written in the workspace's turn and never under an old id.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from lineage.content.keys import in_batches
from lineage.impact.affected import Affected, Rows, affected
from lineage.impact.question import Question
from lineage.impact.targets import Targets
from lineage.incidents.growing import asked_when_opened
from lineage.models import Incident, RestsOn
from lineage.types import Viewer


@dataclass(frozen=True, slots=True)
class Standing:
    """Answers by grade before the question's filters; `total` after them. `targets`: what was asked about."""

    counts: Mapping[str, int]
    total: int
    targets: Targets


@dataclass(frozen=True)
class _UpToMark(Affected):
    """The answers of a question by the rows of the closure that were there at a mark."""

    mark: int = 0

    def joining(self) -> Rows:
        """As ever, without what came after the mark."""
        return super().joining().filter(pk__lte=self.mark)


def standing(viewer: Viewer, question: Question, mark: int | None = None) -> Standing:
    """The numbers of this moment, or without what came after the mark.

    Raises NotFound, QuestionInvalid.
    """
    found = affected(viewer, question)
    if mark is not None:
        found = _UpToMark(viewer, question, found.targets, mark)
    return Standing(found.counts(), found.count(), found.targets)


def newest_row() -> int:
    """The greatest id that a row of the closure has; to be asked in the workspace's turn."""
    return RestsOn.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def fallen_since(
    viewer: Viewer, question: Question, answer_ids: Collection[int], incident: Incident
) -> set[int]:
    """Of these answers, those that fall under the question now and rested on none of it when it was opened.

    What the question asked about then counts, where that is kept. Raises NotFound,
    QuestionInvalid.
    """
    asked = affected(viewer, question)
    found = asked.among(answer_ids)
    then = asked_when_opened(incident)
    for some in in_batches(found):
        before = asked.joining() if then is None else RestsOn.objects.filter(target_id__in=then)
        before = before.filter(answer_id__in=some, pk__lte=incident.mark)
        found -= set(before.values_list("answer_id", flat=True))
    return found
