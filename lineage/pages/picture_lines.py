"""The lines between the boxes of a picture: one for all edges that run from box to box, by grade.

A line shows the strongest grade of its edges. Grades are told by dashes and width
(static/css/lineage.css and the legend), so that colour is left for the path of a defect.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from lineage.identifiers import kind_of_uid
from lineage.pages.defect_path import DefectPath
from lineage.types import EdgeView
from lineage.vocabulary import Edge

# From the strongest to the weakest; `derived` is what was made from something, of no grade itself.
LINES: Final = ("cited", "in_context", "derived", "produced", "retrieved", "possible", "served")
_LINE_OF: Final[Mapping[str, str]] = {
    Edge.CITES: "cited",
    Edge.WAS_QUOTED_FROM: "cited",
    Edge.STATED_IN: "cited",
    Edge.INCLUDED: "in_context",
    Edge.RETRIEVED: "retrieved",
    Edge.MATCHED: "retrieved",
    Edge.USED_SNAPSHOT: "produced",
    Edge.WAS_INFLUENCED_BY: "produced",
    Edge.SERVED_FROM: "served",
}


# From effect to cause; a chain ends with the step from a claim into its answer.
_STEPS: Final[Mapping[tuple[str, ...], Edge]] = {
    ("answer", "claim"): Edge.STATED_IN,
    ("claim", "citation"): Edge.CITES,
    ("citation", "chunk"): Edge.WAS_QUOTED_FROM,
    ("citation", "fact"): Edge.WAS_QUOTED_FROM,
    ("context", "chunk"): Edge.INCLUDED,
    ("context", "fact"): Edge.INCLUDED,
    ("retrieval", "chunk"): Edge.RETRIEVED,
    ("retrieval", "fact"): Edge.RETRIEVED,
    ("retrieval", "index_snapshot"): Edge.USED_SNAPSHOT,
    ("answer", "answer"): Edge.SERVED_FROM,
}


class Place(Protocol):
    """A box, as far as lines need it; `place` is its number in the picture."""

    @property
    def place(self) -> int: ...
    @property
    def stage(self) -> int: ...
    @property
    def x(self) -> int: ...
    @property
    def y(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Link:
    """A line between two boxes, from cause to effect; `count` edges of the lineage run along it.

    `line` is one of LINES, `cause` and `effect` are the numbers of the boxes.
    """

    path: str
    count: int
    troubled: bool
    line: str
    cause: int
    effect: int


def line_of(edge: EdgeView, possible: Collection[str] = ()) -> str:
    """Which of LINES an edge is drawn as; what is only possible stays so further on."""
    if edge.from_uid in possible:
        return "possible"
    return _LINE_OF.get(edge.type or _between(edge), "derived")


def _between(edge: EdgeView) -> str:
    """The type of an edge of which only the ends are known: a step of an explaining chain."""
    kinds = [kind_of_uid(uid) for uid in (edge.from_uid, edge.to_uid)]
    return _STEPS.get(tuple(kind.name if kind else "" for kind in kinds), "")


def links(
    edges: Iterable[EdgeView],
    box_of: Mapping[str, Place],
    path: DefectPath,
    possible: Collection[str],
    *,
    width: int,
    height: int,
) -> list[Link]:
    """The lines of a picture; `width` and `height` are those of its boxes.

    Nodes of no stage have no box and no line; across a run of which nothing says what came
    of what, a line joins its inputs with the outputs for which it speaks.
    """
    ends: dict[tuple[int, int], tuple[Place, Place]] = {}
    found: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    troubled: set[tuple[int, int]] = set()
    inputs: dict[str, Counter[int]] = defaultdict(Counter)
    outputs: dict[str, Counter[int]] = defaultdict(Counter)
    places = {place.place: place for place in box_of.values()}
    for edge in edges:
        effect, cause = box_of.get(edge.from_uid), box_of.get(edge.to_uid)
        if edge.type == Edge.USED and cause is not None:
            inputs[edge.from_uid][cause.place] += 1
        if edge.type == Edge.WAS_GENERATED_BY and effect is not None and edge.from_uid in possible:
            outputs[edge.to_uid][effect.place] += 1
        if effect is None or cause is None or effect is cause:
            continue
        pair = (cause.place, effect.place)
        ends[pair] = (cause, effect)
        found[pair][line_of(edge, possible)] += 1
        ends_of_edge = (edge.from_uid, edge.to_uid)
        if ends_of_edge in path.edges or ends_of_edge[::-1] in path.edges:
            troubled.add(pair)
    for run, made in outputs.items():
        for before, read in inputs[run].items():
            for after, written in made.items():
                if before != after and places[before].stage <= places[after].stage:
                    ends[before, after] = (places[before], places[after])
                    found[before, after]["possible"] += read * written
    drawn = [
        Link(
            path=_path(*ends[pair], width=width, height=height),
            count=lines.total(),
            troubled=pair in troubled,
            line=min(lines, key=LINES.index),
            cause=pair[0],
            effect=pair[1],
        )
        for pair, lines in found.items()
    ]
    # The path of the defect is drawn last, above the rest; two that lie on each other have one path.
    return sorted(
        drawn,
        key=lambda link: (
            link.troubled, -LINES.index(link.line), link.path, link.cause, link.effect,
        ),
    )  # fmt: skip


def _path(cause: Place, effect: Place, *, width: int, height: int) -> str:
    """A curve from the cause's right side to the effect's left; within a column it bows out to the right."""
    y1, y2 = cause.y + height // 2, effect.y + height // 2
    if cause.stage == effect.stage:
        x = cause.x + width
        return f"M{x} {y1}C{x + 18} {y1} {x + 18} {y2} {x} {y2}"
    left, right = (cause, effect) if cause.stage < effect.stage else (effect, cause)
    x1, x2 = left.x + width, right.x
    if left is not cause:
        y1, y2 = y2, y1
    bend = max((x2 - x1) // 2, 12)
    return f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
