"""What an answer says that an earlier version of it did not, masked as the viewer sees both."""

from dataclasses import dataclass
from datetime import datetime

from citations.answer import AnswerPage, Opened, answer_page
from citations.difference_pages import DifferencePage, laid_out
from citations.differences import Difference, Verdict, difference, verdict_on
from citations.marks import Piece
from lineage.types import NotFound, Viewer

_CLOSED = Opened()


@dataclass(frozen=True, slots=True)
class AnswerVersion:
    """A version of an answer as a heading names it; `held`: its text is held here."""

    uid: str
    occurred_at: datetime | None
    state: str
    model: str | None
    held: bool


@dataclass(frozen=True, slots=True)
class AnswerDifference:
    """Two versions of an answer compared; nothing is found where a text is not held."""

    question: tuple[Piece, ...]
    old: AnswerVersion
    new: AnswerVersion
    verdict: Verdict | None
    found: Difference | None
    page: DifferencePage | None


def answer_difference(viewer: Viewer, uid: str, earlier: str, page: int = 1) -> AnswerDifference:
    """From the `earlier` answer to the one with this uid.

    Raises NotFound for what is no answer or foreign, and for answers that are no versions
    of one another; Moved for an alias.
    """
    new = answer_page(viewer, uid, _CLOSED)
    beside = [*new.earlier, *new.later, *([new.served_from] if new.served_from else [])]
    if earlier not in {each.uid for each in beside}:
        raise NotFound(earlier)
    old = answer_page(viewer, earlier, _CLOSED)
    held = old.text is not None and new.text is not None
    found = difference(old.text or "", new.text or "") if held else None
    return AnswerDifference(
        question=new.question_pieces,
        old=_version(old),
        new=_version(new),
        verdict=verdict_on(old.text or "", new.text or "") if held else None,
        found=found,
        page=laid_out(found, page) if found is not None else None,
    )


def _version(page: AnswerPage) -> AnswerVersion:
    return AnswerVersion(page.uid, page.occurred_at, page.state, page.model, page.text is not None)
