"""What the page of a pasted list shows: what was found, what is ambiguous, what nobody knows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lineage.impact.pasted import PastedLine
from lineage.pages.names import name_of, nodes_of
from lineage.types import Viewer

# Rows of each verdict.
MOST_ROWS: Final = 200
# Revisions that the row of a found line names; all of them count.
MOST_REVISIONS: Final = 20


@dataclass(frozen=True, slots=True)
class Pasted:
    """A pasted list and what was found of it: the lines of each verdict, at most some hundred of each."""

    text: str
    found: int
    ambiguous: tuple[PastedLine, ...]
    ambiguous_total: int
    unknown: tuple[PastedLine, ...]
    unknown_total: int
    shown: tuple[PastedLine, ...]
    names: Mapping[str, str]
    lines: int


def meant(lines: Sequence[PastedLine], chosen: Sequence[str]) -> list[str]:
    """The nodes that the lines mean, and of ambiguous ones those that were chosen."""
    wanted = set(chosen)
    found: dict[str, None] = {}
    for line in lines:
        for node in line.nodes:
            if line.verdict == "found" or (line.verdict == "ambiguous" and node.uid in wanted):
                found[node.uid] = None
    return list(found)


def pasted_list(viewer: Viewer, lines: Sequence[PastedLine]) -> Pasted:
    """The table of a pasted list."""
    by = {
        word: [line for line in lines if line.verdict == word]
        for word in ("found", "ambiguous", "unknown")
    }
    shown = by["ambiguous"][:MOST_ROWS], [_short(line) for line in by["found"][:MOST_ROWS]]
    named = nodes_of(viewer, {node.uid for some in shown for line in some for node in line.nodes})
    return Pasted(
        text="\n".join(line.text for line in lines),
        found=len(by["found"]),
        ambiguous=tuple(shown[0]),
        ambiguous_total=len(by["ambiguous"]),
        unknown=tuple(by["unknown"][:MOST_ROWS]),
        unknown_total=len(by["unknown"]),
        shown=tuple(shown[1]),
        names={uid: name_of(view) for uid, view in named.items()},
        lines=len(lines),
    )


def _short(line: PastedLine) -> PastedLine:
    """A found line with its first revisions alone."""
    more = max(0, len(line.nodes) - MOST_REVISIONS)
    return replace(line, nodes=line.nodes[:MOST_REVISIONS], more=more)
