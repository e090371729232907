"""What the form of a case shows of its targets: those chosen, those found, and lines that were pasted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from lineage.impact.pasted import PastedLine, read_lines, resolve_lines
from lineage.impact.question_values import QuestionInvalid
from lineage.nodes import search
from lineage.nodes.search_items import FoundItem
from lineage.pages.names import name_of, nodes_of
from lineage.types import Viewer
from lineage.vocabulary import CASE_TARGET_KINDS

MOST_FOUND: Final = 30
# Lines that were refused are shown one by one; of more than this their number.
MOST_REFUSED: Final = 50
# Meanings of one ambiguous line that are offered.
_MOST_MEANT: Final = 10


@dataclass(frozen=True, slots=True)
class Chosen:
    """A target that was picked; `wrong`: why a case cannot be about it, empty where it can."""

    uid: str
    kind: str
    name: str
    wrong: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an ambiguous line may mean."""

    uid: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A pasted line that was not taken, why, and what it may mean."""

    text: str
    why: str
    meanings: tuple[Meaning, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """What became of a pasted list: uids that were taken, lines that were not; `beyond` more of those."""

    taken: tuple[str, ...] = ()
    refused: tuple[RefusedLine, ...] = ()
    beyond: int = 0
    left: str = ""  # the refused lines, to be put right


@dataclass(frozen=True, slots=True)
class Picker:
    """The targets chosen so far, what the words found besides, and the lines that were refused."""

    chosen: tuple[Chosen, ...]
    found: tuple[FoundItem, ...]
    searched: bool
    read: Read


def chosen_of(viewer: Viewer, uids: Sequence[str]) -> tuple[Chosen, ...]:
    """The chosen targets by name, each with what stands against it; one query for all."""
    known = nodes_of(viewer, uids)
    chosen = []
    for uid in uids:
        node = known.get(uid)
        if node is None:
            chosen.append(Chosen(uid, "", uid, _("Nothing with this uid is known here.")))
        elif node.kind not in CASE_TARGET_KINDS:
            wrong = _("A case cannot be about this kind of thing.")
            chosen.append(Chosen(uid, node.kind, name_of(node), wrong))
        else:
            chosen.append(Chosen(uid, node.kind, name_of(node), ""))
    return tuple(chosen)


def found_by(viewer: Viewer, words: str, chosen: Sequence[str]) -> tuple[FoundItem, ...]:
    """Hits of the words that a case can be about, without those that are chosen."""
    hits = search(viewer, words, limit=100).items
    fitting = [hit for hit in hits if hit.kind in CASE_TARGET_KINDS and hit.uid not in chosen]
    return tuple(fitting[:MOST_FOUND])


def read_list(viewer: Viewer, pasted: str) -> Read:
    """The lines of a pasted list as targets. A line that means several things is not guessed at."""
    try:
        lines = resolve_lines(viewer, read_lines(pasted))
    except QuestionInvalid as invalid:
        return Read(refused=(RefusedLine("", invalid.detail, ()),), left=pasted)
    taken: dict[str, None] = {}
    refused: list[PastedLine] = []
    for line in lines:
        uids = [meant.uid for meant in line.nodes if meant.kind in CASE_TARGET_KINDS]
        if line.verdict == "found" and uids:
            taken |= dict.fromkeys(uids)
        else:
            refused.append(line)
    shown = refused[:MOST_REFUSED]
    names = nodes_of(viewer, {meant.uid for line in shown for meant in line.nodes[:_MOST_MEANT]})
    return Read(
        taken=tuple(taken),
        refused=tuple(
            RefusedLine(
                line.text,
                _why(line),
                tuple(
                    Meaning(meant.uid, meant.kind, name_of(names[meant.uid]))
                    for meant in line.nodes[:_MOST_MEANT]
                    if meant.uid in names and meant.kind in CASE_TARGET_KINDS
                ),
            )
            for line in shown
        ),
        beyond=len(refused) - len(shown),
        left="\n".join(line.text for line in refused),
    )


def _why(line: PastedLine) -> str:
    if line.verdict == "unknown":
        return _("Nothing here has this name.")
    if not any(meant.kind in CASE_TARGET_KINDS for meant in line.nodes):
        return _("A case cannot be about this kind of thing.")
    return _("It may mean several things: choose which.")
