"""A printed marker that stands for several citations, and how each of them is told in it.

"[1, 2]" and "[1-5]" name several positions; behind a "[1]" several passages may stand. The
marker is printed once, as given; a label leads to each citation.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from citations.card import Card
from citations.segments import Paragraph

_NUMBER: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a printed marker; `citation_uid` where it is the label of a citation."""

    text: str
    citation_uid: str | None = None


def labels_of(paragraphs: Sequence[Paragraph], cards: Sequence[Card]) -> dict[str, str]:
    """The label of each citation that shares its printed marker with others, by uid.

    Its position in the context where all of them have one of their own, else its place among them ("1/2").
    """
    known = {card.uid: card for card in cards}
    labels: dict[str, str] = {}
    for paragraph in paragraphs:
        for segment in paragraph.segments:
            uids = [uid for uid in segment.citations if uid in known]
            if len(uids) > 1:
                positions = [known[uid].position for uid in uids]
                own = None not in positions and len(set(positions)) == len(positions)
                labels |= {
                    uid: str(position) if own else f"{place}/{len(uids)}"
                    for place, (uid, position) in enumerate(
                        zip(uids, positions, strict=True), start=1
                    )
                }
    return labels


def place_of(label: str) -> int:
    """By what the citations that share a marker are ordered; 0 without a label."""
    found = _NUMBER.match(label)
    return int(found.group()) if found is not None else 0


def parts_of(marker: str, labels: Mapping[str, str]) -> tuple[Part, ...]:
    """The marker as printed, cut so that each number that is the label of a citation stands alone.

    `labels` by uid are those of the citations that it stands for; of a range ("[1-5]") only
    the first and the last are printed.
    """
    waiting = {label: uid for uid, label in labels.items()}
    parts: list[Part] = []
    at = 0
    for found in _NUMBER.finditer(marker):
        if (uid := waiting.pop(found.group(), None)) is not None:
            if at < found.start():
                parts.append(Part(marker[at : found.start()]))
            parts.append(Part(found.group(), uid))
            at = found.end()
    if at < len(marker):
        parts.append(Part(marker[at:]))
    return tuple(parts)


def all_printed(parts: Sequence[Part], labels: Mapping[str, str]) -> bool:
    """Whether every one of the citations has its label among the parts."""
    return {part.citation_uid for part in parts} >= set(labels)
