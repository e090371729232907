"""What differs between two texts of one kind: documents, chunks or parts of two versions, or two answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from citations.answer import Opened, answer_page
from citations.difference_pages import DifferencePage, laid_out
from citations.differences import Difference, Verdict, difference, verdict_on
from citations.hidden_parts import without_hidden_parts
from citations.versions import MOST_TEXT, DocumentPlace
from lineage.cases.register import passage_hidden, withdrawals_of
from lineage.content.passages import texts_of
from lineage.nodes.find import find, settled
from lineage.nodes.view import node
from lineage.nodes.visible import visible
from lineage.types import NodeView, NotFound, Viewer

_CLOSED: Final = Opened()
_SLICES: Final = ("chunk", "part")


@dataclass(frozen=True, slots=True)
class TextDifference:
    """Two texts compared; nothing is found where one of them is not held or may not be read.

    `cut`: they go on beyond what is compared. `documents`: where the new text may be read.
    """

    old: NodeView
    new: NodeView
    verdict: Verdict | None
    found: Difference | None
    page: DifferencePage | None
    cut: bool = False
    documents: tuple[DocumentPlace, ...] = ()


def text_difference(viewer: Viewer, uid: str, earlier: str, page: int = 1) -> TextDifference:
    """From the text of `earlier` to that with this uid, each as the viewer may read it.

    Raises NotFound for what is unknown, foreign, of a kind without such a text, or not of one
    kind; Moved where this uid is an alias; Erased with the tombstone.
    """
    new = node(viewer, uid)
    earlier = settled(viewer, earlier)
    old = node(viewer, earlier)
    reading = _TEXTS.get(new.kind)
    if reading is None or old.kind != new.kind:
        raise NotFound(earlier)
    before, after = reading(viewer, earlier), reading(viewer, uid)
    if before is None or after is None:
        return TextDifference(old, new, None, None, None)
    cut = max(len(before), len(after)) > MOST_TEXT
    before, after = before[:MOST_TEXT], after[:MOST_TEXT]
    found = difference(before, after)
    return TextDifference(
        old=old,
        new=new,
        verdict=verdict_on(before, after),
        found=found,
        page=laid_out(found, page),
        cut=cut,
        documents=(DocumentPlace(uid, 0),) if new.kind == "document" else (),
    )


def _passage(viewer: Viewer, uid: str) -> str | None:
    """A text that the viewer may see and no case hides; what one hides of its document is masked."""
    found = find(viewer, uid)
    parent = found.parent if found.kind in _SLICES else found
    document = parent if parent is not None and parent.kind == "document" else None
    every = {each.pk: each for each in (found, document) if each is not None}
    seen = visible(viewer, list(every.values()))
    cases = withdrawals_of(viewer.workspace_id, list(every))
    readable = [
        each for pk, each in every.items() if seen[pk] and passage_hidden(cases.get(pk, ())) is None
    ]
    texts = texts_of(readable, workspace=viewer)
    documents = [document] if document is not None else []
    slices = [found] if found.kind in _SLICES else []
    return without_hidden_parts(viewer, documents, texts, slices).get(found.pk)


def _answer(viewer: Viewer, uid: str) -> str | None:
    return answer_page(viewer, uid, _CLOSED).text


_TEXTS: Final[Mapping[str, Callable[[Viewer, str], str | None]]] = {
    "answer": _answer,
    "chunk": _passage,
    "document": _passage,
    "part": _passage,
}
