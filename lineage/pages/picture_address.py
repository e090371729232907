"""What a picture of a lineage shows, as its address says it: starts, direction, depth, open bundles, words, selection.

Equal pictures have equal addresses: what is as usual is left out, and the order is fixed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal
from urllib.parse import urlencode

from lineage.identifiers import kind_of_uid
from lineage.pages.instants import last_of
from lineage.vocabulary import KINDS

Direction = Literal["up", "down", "both"]
DIRECTIONS: Final[tuple[Direction, ...]] = ("up", "down", "both")
USUAL_DEPTH: Final = 10
DEEPEST: Final = 30
# Steps that the page offers; any other number up to the deepest may stand in an address.
DEPTHS: Final = (1, 2, 3, 5, USUAL_DEPTH, DEEPEST)
PORTION: Final = 25  # nodes that an open bundle shows more of at a time
MOST_PORTIONS: Final = 6
MOST_STARTS: Final = 8  # nodes that one picture starts from
MOST_OPEN: Final = 4  # bundles open at once; the last opened stay
_LONGEST_WORDS: Final = 80
_LONGEST_TIME: Final = 40


@dataclass(frozen=True, slots=True)
class PictureAddress:
    """The state of a picture.

    `opened`: kinds whose bundle is open, with the number of portions shown. `words`: by kind,
    what its names must contain. `node`: the uid selected, or empty. `as_of`: a date or an
    instant (UTC) as it was given: what began later is left out; empty for all.
    `also`: uids of further nodes that it starts from, at most seven.
    """

    root: str
    direction: Direction = "both"
    depth: int = USUAL_DEPTH
    opened: tuple[tuple[str, int], ...] = ()
    words: tuple[tuple[str, str], ...] = ()
    node: str = ""
    as_of: str = ""
    also: tuple[str, ...] = ()

    @property
    def roots(self) -> tuple[str, ...]:
        """All that it starts from."""
        return (self.root, *self.also)

    @property
    def until(self) -> datetime | None:
        """The last instant that counts: that of `as_of`, of a date the end."""
        return last_of(self.as_of)

    @property
    def day(self) -> str:
        """The date of `until` as a field shows it."""
        return f"{self.until:%Y-%m-%d}" if self.until else ""

    @property
    def fields_beside_time(self) -> list[tuple[str, str]]:
        """The hidden fields of the form that asks for another date."""
        return [*replace(self, as_of="").fields, *([("node", self.node)] if self.node else [])]

    @property
    def today(self) -> str:
        """The same picture of all that is known."""
        return replace(self, as_of="").whole

    @property
    def limits(self) -> dict[str, int]:
        """How many nodes of each open kind are shown."""
        return {kind: portions * PORTION for kind, portions in self.opened}

    @property
    def filters(self) -> dict[str, str]:
        return dict(self.words)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Names and values of the query, without the selection."""
        found: list[tuple[str, str]] = []
        if self.also:
            found.append(("also", ",".join(self.also)))
        if self.direction != "both":
            found.append(("direction", self.direction))
        if self.depth != USUAL_DEPTH:
            found.append(("depth", str(self.depth)))
        if self.opened:
            found.append(("open", ",".join(_opening(*each) for each in self.opened)))
        found += [(f"in_{kind}", words) for kind, words in self.words]
        if self.as_of:
            found.append(("as_of", self.as_of))
        return found

    @property
    def whole(self) -> str:
        """The query of this very picture, without "?", the selection included; empty for the usual one."""
        return urlencode([*self.fields, *([("node", self.node)] if self.node else [])], safe=",:")

    @property
    def unselected(self) -> str:
        """The same picture with nothing selected."""
        return replace(self, node="").whole

    @property
    def selecting(self) -> str:
        """What stands before the uid of a node that is to be selected."""
        query = self.unselected
        return f"{query}&node=" if query else "node="

    @property
    def elsewhere(self) -> str:
        """The query for the same view of another node alone: direction, depth and time, no bundle and no selection."""
        return replace(self, opened=(), words=(), node="", also=()).whole

    def turned(self, direction: Direction) -> str:
        return replace(self, direction=direction).whole

    def to_depth(self, depth: int) -> str:
        return replace(self, depth=depth).whole

    def opening(self, kind: str) -> str:
        """With the bundle of this kind open, or one portion further open."""
        portions = min(dict(self.opened).get(kind, 0) + 1, MOST_PORTIONS)
        others = [each for each in self.opened if each[0] != kind][-(MOST_OPEN - 1) :]
        return replace(self, opened=(*others, (kind, portions))).whole

    def closing(self, kind: str) -> str:
        """With the bundle of this kind closed and its words forgotten."""
        return replace(
            self,
            opened=tuple(each for each in self.opened if each[0] != kind),
            words=tuple(each for each in self.words if each[0] != kind),
        ).whole

    def fields_beside(self, kind: str) -> list[tuple[str, str]]:
        """The hidden fields of the form that looks for words in this kind; sent, it is open."""
        others = [each for each in self.opened if each[0] != kind][-(MOST_OPEN - 1) :]
        words = tuple(each for each in self.words if each[0] != kind)
        return replace(self, opened=(*others, (kind, 1)), words=words).fields


def read_address(root: str, query: Mapping[str, str]) -> PictureAddress:
    """The address of the picture of `root`; what makes no sense counts as left out."""
    direction: Direction = next(
        (each for each in DIRECTIONS if each == query.get("direction")), "both"
    )
    node = query.get("node", "")
    as_of = query.get("as_of", "").strip()[:_LONGEST_TIME]
    # Addresses of before bundles had kinds named the stage.
    opened = _opened(query.get("open", "")) or _of_stage(query.get("stage", ""))
    return PictureAddress(
        root=root,
        direction=direction,
        depth=_number(query.get("depth", ""), USUAL_DEPTH, DEEPEST),
        opened=opened,
        words=tuple(
            (kind, words)
            for kind in KINDS
            if (words := " ".join(query.get(f"in_{kind}", "").split())[:_LONGEST_WORDS])
        ),
        node=node if kind_of_uid(node) is not None else "",
        as_of=as_of if last_of(as_of) is not None else "",
        also=_further(root, query.get("also", "")),
    )


def _further(root: str, given: str) -> tuple[str, ...]:
    """`uid,uid`: what is a uid, each once and without the root."""
    uids = dict.fromkeys(uid for uid in given[:400].split(",") if kind_of_uid(uid) is not None)
    return tuple(uid for uid in uids if uid != root)[: MOST_STARTS - 1]


def _opened(given: str) -> tuple[tuple[str, int], ...]:
    """`chunk,answer:3`: kinds with the number of portions, one where none is given."""
    found: dict[str, int] = {}
    for each in given[:400].split(","):
        kind, _, portions = each.partition(":")
        if kind in KINDS:
            found.pop(kind, None)
            found[kind] = _number(portions, 1, MOST_PORTIONS)
    return tuple(found.items())[-MOST_OPEN:]


def _of_stage(given: str) -> tuple[tuple[str, int], ...]:
    stage = _number(given, 0, 8)
    return tuple((kind.name, 1) for kind in KINDS.values() if stage and kind.stage == stage)


def _opening(kind: str, portions: int) -> str:
    return kind if portions == 1 else f"{kind}:{portions}"


def _number(given: str, default: int, most: int) -> int:
    """A number of the address from 1 to `most`; the default for what is none."""
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        return default
    return max(1, min(int(given), most))
