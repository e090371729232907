"""Selectors of the Web Annotation Data Model: which part of a source is meant. Pure.

What a citation's `selector` may be: one selector, a list of them (alternatives that select
the same), each refined by others; also a whole annotation or the target of one. Source:
https://www.w3.org/TR/annotation-model/#selectors; fragments by RFC 8118 (PDF, `page=3`)
and RFC 5147 (plain text, `char=0,10`).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from lineage.types import JsonValue

CONTEXT: Final = "http://www.w3.org/ns/anno.jsonld"
PDF_FRAGMENT: Final = "http://tools.ietf.org/rfc/rfc3778"
# Bounds of what is read; a selector that goes beyond is told as one that cannot be resolved.
MOST_PATHS: Final = 16
MOST_STEPS: Final = 8
_PAGE: Final = re.compile(r"(?:^|&)page=(\d{1,7})(?:&|$)")
_CHARACTERS: Final = re.compile(r"char=(\d{1,10})?,(\d{1,10})?")
# No document has so many characters.
_TO_THE_END: Final = 2**31 - 1
_NESTED: Final = ("selector", "items", "target")


@dataclass(frozen=True, slots=True)
class QuoteStep:
    """TextQuoteSelector: these words, between those."""

    exact: str
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class PositionStep:
    """TextPositionSelector, or `char=` of a plain text: code points, end exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PageStep:
    """`page=` of a PDF; `index` counts from 0."""

    index: int


@dataclass(frozen=True, slots=True)
class UnknownStep:
    """A selector of a kind that cannot be resolved in a text (CSS, XPath, SVG, a named anchor)."""

    type: str


Step = QuoteStep | PositionStep | PageStep | UnknownStep


@dataclass(frozen=True, slots=True)
class Fault:
    """A selector that cannot be used: where it stands (JSON pointer), and why."""

    pointer: str
    detail: str


@dataclass(frozen=True, slots=True)
class Selected:
    """Alternatives, each a path of steps: every step selects within what the one before selected."""

    paths: tuple[tuple[Step, ...], ...] = ()
    faults: tuple[Fault, ...] = ()

    @property
    def quote(self) -> QuoteStep | None:
        """The first words that are quoted."""
        steps = (step for path in self.paths for step in path)
        return next((step for step in steps if isinstance(step, QuoteStep)), None)

    @property
    def page_index(self) -> int | None:
        """The first page that is named, from 0."""
        steps = (step for path in self.paths for step in path)
        return next((step.index for step in steps if isinstance(step, PageStep)), None)


def read_selectors(value: JsonValue) -> Selected:
    """The paths of a selector, and what in it cannot be used; nothing is raised."""
    reading = _Reading()
    reading.read(value, "", ())
    return Selected(tuple(reading.paths), tuple(reading.faults))


@dataclass(slots=True)
class _Reading:
    paths: list[tuple[Step, ...]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def read(self, value: JsonValue, pointer: str, outer: tuple[Step, ...]) -> None:
        if len(outer) >= MOST_STEPS or len(self.paths) >= MOST_PATHS:
            self._fault(pointer, f"more than {MOST_PATHS} selectors, or {MOST_STEPS} in each other")
        elif isinstance(value, list):
            for at, one in enumerate(value[: MOST_PATHS + 1]):
                self.read(one, f"{pointer}/{at}", outer)
        elif isinstance(value, Mapping):
            self._object(value, pointer, outer)
        elif value is not None and not (isinstance(value, str) and _is_target(pointer)):
            self._fault(pointer, "not a selector")

    def _object(
        self, value: Mapping[str, JsonValue], pointer: str, outer: tuple[Step, ...]
    ) -> None:
        """A selector with its refinements; or what holds selectors: an annotation, a target, a Choice."""
        if not _is_selector(value):
            for name in _NESTED:
                if value.get(name) is not None:
                    self.read(value[name], f"{pointer}/{name}", outer)
            return
        try:
            step = _step(value)
        except ValueError as unusable:
            self._fault(pointer, str(unusable))
            return
        if isinstance(step, UnknownStep):
            self._fault(pointer, f"a {step.type} cannot be resolved in a text")
        path = (*outer, step)
        refinement = value.get("refinedBy")
        if refinement is None:
            self.paths.append(path)
        else:
            self.read(refinement, f"{pointer}/refinedBy", path)

    def _fault(self, pointer: str, detail: str) -> None:
        if len(self.faults) < MOST_PATHS:
            self.faults.append(Fault(pointer, detail))


def _is_selector(value: Mapping[str, JsonValue]) -> bool:
    """Whether the object selects by itself; without a type it may still quote words."""
    kind = value.get("type")
    if kind is None:
        return "exact" in value or value.get("refinedBy") is not None
    return isinstance(kind, str) and kind.endswith("Selector")


def _is_target(pointer: str) -> bool:
    """Whether a plain string may stand here: the address of a target."""
    return any(part == "target" for part in pointer.split("/"))


def _step(value: Mapping[str, JsonValue]) -> Step:
    """One selector without its refinements; raises ValueError for one that selects nothing."""
    kind = value.get("type", "TextQuoteSelector" if "exact" in value else "selector without a type")
    match kind:
        case "TextQuoteSelector":
            return _quote(value)
        case "TextPositionSelector":
            return _position(value.get("start"), value.get("end"))
        case "FragmentSelector":
            return _fragment(value.get("value"))
        case _:
            return UnknownStep(str(kind)[:100])


def _quote(value: Mapping[str, JsonValue]) -> QuoteStep:
    exact = value.get("exact")
    if not isinstance(exact, str) or not exact.strip():
        raise ValueError("a TextQuoteSelector has the words it selects in exact")
    sides = [side if isinstance(side, str) else "" for side in map(value.get, ("prefix", "suffix"))]
    return QuoteStep(exact, *sides)


def _position(start: JsonValue, end: JsonValue) -> PositionStep:
    if not (_is_count(start) and _is_count(end) and start <= end):
        raise ValueError("a TextPositionSelector has start and end, not negative, in this order")
    return PositionStep(start, end)


def _is_count(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _TO_THE_END


def _fragment(value: JsonValue) -> Step:
    if not isinstance(value, str) or not value:
        raise ValueError("a FragmentSelector has a value")
    if page := _PAGE.search(value):
        if int(page[1]) == 0:
            raise ValueError("pages count from 1")
        return PageStep(int(page[1]) - 1)
    # Fragments with an integrity check (";length=…") are of a text as it was fetched, not of ours.
    if characters := _CHARACTERS.fullmatch(value):
        return _position(int(characters[1] or 0), int(characters[2] or _TO_THE_END))
    return UnknownStep("FragmentSelector of this form")


def written(selected: Selected) -> JsonValue:
    """The paths as selectors again: one, or a list of alternatives; None for none.

    Paths that begin alike share their beginning. Raises ValueError for a step of an unknown kind.
    """
    found = list(_grouped(list(selected.paths)))
    return None if not found else found[0] if len(found) == 1 else found


def _grouped(paths: list[tuple[Step, ...]]) -> Iterator[dict[str, JsonValue]]:
    beginnings: dict[Step, list[tuple[Step, ...]]] = {}
    for path in paths:
        beginnings.setdefault(path[0], []).append(path[1:])
    for step, rests in beginnings.items():
        inner = list(_grouped([rest for rest in rests if rest]))
        refined = {"refinedBy": inner[0] if len(inner) == 1 else inner} if inner else {}
        yield {**_selector(step), **refined}


def _selector(step: Step) -> dict[str, JsonValue]:
    match step:
        case QuoteStep(exact, prefix, suffix):
            around = {"prefix": prefix, "suffix": suffix}
            stated = {name: words for name, words in around.items() if words}
            return {"type": "TextQuoteSelector", "exact": exact, **stated}
        case PositionStep(start, end):
            return {"type": "TextPositionSelector", "start": start, "end": end}
        case PageStep(index):
            return {
                "type": "FragmentSelector",
                "conformsTo": PDF_FRAGMENT,
                "value": f"page={index + 1}",
            }
        case UnknownStep(kind):
            raise ValueError(f"{kind} cannot be written")
