"""Web Annotation selectors: what each selects, what of them cannot be used, and how they are written."""

import json
from pathlib import Path
from typing import Any

import pytest

from lineage.formats.selectors import (
    Fault,
    PageStep,
    PositionStep,
    QuoteStep,
    Selected,
    UnknownStep,
    read_selectors,
    written,
)

pytestmark = pytest.mark.engine_free

EXAMPLES = Path(__file__).parent / "web_annotation"
QUOTE = {"type": "TextQuoteSelector", "exact": "two", "prefix": "one ", "suffix": " three"}
POSITION = {"type": "TextPositionSelector", "start": 4, "end": 7}
PAGE = {
    "type": "FragmentSelector", "conformsTo": "http://tools.ietf.org/rfc/rfc3778", "value": "page=3",
}  # fmt: skip


@pytest.mark.parametrize(
    ("selector", "fault"),
    [
        (7, Fault("", "not a selector")),
        ("page=3", Fault("", "not a selector")),
        ([True], Fault("/0", "not a selector")),
        ({"type": "TextQuoteSelector"}, Fault("", "a TextQuoteSelector has the words it selects in exact")),
        ({"type": "TextQuoteSelector", "exact": 7}, Fault("", "a TextQuoteSelector has the words it selects in exact")),
        (POSITION | {"start": -1}, Fault("", "a TextPositionSelector has start and end, not negative, in this order")),
        (POSITION | {"end": 3}, Fault("", "a TextPositionSelector has start and end, not negative, in this order")),
        (POSITION | {"end": True}, Fault("", "a TextPositionSelector has start and end, not negative, in this order")),
        (POSITION | {"end": 2**40}, Fault("", "a TextPositionSelector has start and end, not negative, in this order")),
        ({"type": "FragmentSelector"}, Fault("", "a FragmentSelector has a value")),
        ({"type": "FragmentSelector", "value": "page=0"}, Fault("", "pages count from 1")),
        ({"source": "https://example.org", "selector": {"type": "FragmentSelector", "value": 3}}, Fault("/selector", "a FragmentSelector has a value")),
    ],
)  # fmt: skip
def test_what_selects_nothing_is_told_and_nothing_is_raised(selector: Any, fault: Fault) -> None:
    assert read_selectors(selector) == Selected((), (fault,))


@pytest.mark.parametrize(
    "nothing", [None, [], {}, {"refinedBy": None}, {"target": "https://example.org"}]
)
def test_nothing_selects_nothing(nothing: Any) -> None:
    assert read_selectors(nothing).paths == ()
    assert written(Selected()) is None


def test_selectors_without_end_are_bounded() -> None:
    deep: Any = QUOTE
    for _ in range(20):
        deep = {"type": "FragmentSelector", "value": "page=1", "refinedBy": deep}
    found = read_selectors(deep)
    assert found.paths == ()
    assert len(found.faults) == 1
    many = read_selectors([QUOTE] * 500)
    assert (len(many.paths), len(many.faults)) == (16, 1)


@pytest.mark.parametrize(
    ("selector", "paths"),
    [
        (QUOTE, ((QuoteStep("two", "one ", " three"),),)),
        ({"exact": "two", "prefix": 7}, ((QuoteStep("two"),),)),
        (POSITION, ((PositionStep(4, 7),),)),
        (PAGE, ((PageStep(2),),)),
        ({"type": "FragmentSelector", "value": "zoom=50&page=12"}, ((PageStep(11),),)),
        ({"type": "FragmentSelector", "value": "char=4,7"}, ((PositionStep(4, 7),),)),
        ({"type": "FragmentSelector", "value": "char=,7"}, ((PositionStep(0, 7),),)),
        ([QUOTE, POSITION], ((QuoteStep("two", "one ", " three"),), (PositionStep(4, 7),))),
        (PAGE | {"refinedBy": [POSITION, QUOTE]}, (
            (PageStep(2), PositionStep(4, 7)), (PageStep(2), QuoteStep("two", "one ", " three")),
        )),
        ({"type": "Choice", "items": [POSITION, PAGE]}, ((PositionStep(4, 7),), (PageStep(2),))),
        # A whole annotation, and the target of one.
        ({"type": "Annotation", "target": {"source": "x", "selector": POSITION}}, ((PositionStep(4, 7),),)),
        ({"target": ["https://example.org", {"selector": [POSITION]}]}, ((PositionStep(4, 7),),)),
    ],
)  # fmt: skip
def test_each_selector_is_read(selector: Any, paths: tuple[Any, ...]) -> None:
    assert read_selectors(selector) == Selected(paths)


@pytest.mark.parametrize(
    ("selector", "kind"),
    [
        ({"type": "CssSelector", "value": "#a"}, "CssSelector"),
        ({"type": "FragmentSelector", "value": "t=30,60"}, "FragmentSelector of this form"),
        # An integrity check is of the text as it was fetched.
        ({"type": "FragmentSelector", "value": "char=4,7;length=9"}, "FragmentSelector of this form"),
    ],
)  # fmt: skip
def test_what_cannot_be_resolved_in_a_text_is_told_and_keeps_its_place(
    selector: Any, kind: str
) -> None:
    told = (Fault("", f"a {kind} cannot be resolved in a text"),)
    assert read_selectors(selector) == Selected(((UnknownStep(kind),),), told)
    refined = read_selectors(selector | {"refinedBy": QUOTE})
    assert refined.paths == ((UnknownStep(kind), QuoteStep("two", "one ", " three")),)
    with pytest.raises(ValueError, match="cannot be written"):
        written(refined)


@pytest.mark.parametrize(
    "selector",
    [QUOTE, POSITION, PAGE, [POSITION, QUOTE], PAGE | {"refinedBy": [POSITION, QUOTE]},
     PAGE | {"refinedBy": QUOTE}],
)  # fmt: skip
def test_what_was_read_is_written_as_it_was(selector: Any) -> None:
    assert written(read_selectors(selector)) == selector


def examples(prefix: str) -> list[Any]:
    found = [pytest.param(path, id=path.stem) for path in sorted(EXAMPLES.glob(f"{prefix}*.json"))]
    assert found
    return found


def selectors_in(annotation: Any) -> list[Any]:
    """The selectors of an annotation's target, as they stand there."""
    target = annotation.get("target")
    targets = target if isinstance(target, list) else [target]
    return [each["selector"] for each in targets if isinstance(each, dict) and "selector" in each]


@pytest.mark.parametrize("path", examples("anno"))
def test_the_examples_of_the_standard_round_trip(path: Path) -> None:
    """Each selects what it says, or is told as one that cannot be resolved in a text."""
    annotation = json.loads(path.read_text(encoding="utf-8"))
    found = read_selectors(annotation)
    for selector in selectors_in(annotation):
        if not found.faults:
            assert written(found) == selector
        else:
            assert [fault.pointer for fault in found.faults] == ["/target/selector"]
    assert bool(found.paths) == bool(selectors_in(annotation))


def test_what_the_examples_of_the_standard_select() -> None:
    found = {path.values[0].stem: path for path in examples("anno")}
    texts = {name: json.loads((EXAMPLES / f"{name}.json").read_text("utf-8")) for name in found}
    assert read_selectors(texts["anno26"]).quote == QuoteStep(
        "anotation", "this is an ", " that has some"
    )
    assert read_selectors(texts["anno27"]).paths == ((PositionStep(412, 795),),)
    unresolved = {name for name, text in texts.items() if read_selectors(text).faults}
    assert unresolved == {"anno24", "anno29", "anno31", "anno32"}
    assert read_selectors(texts["anno32"]).quote == QuoteStep(
        "Selected Text", "text before the ", " and text after it"
    )


def test_a_faulty_example_is_told() -> None:
    faulty = json.loads((EXAMPLES / "incorrect_anno38.json").read_text("utf-8"))
    assert read_selectors(faulty) == Selected(
        (), (Fault("/target/selector", "a FragmentSelector has a value"),)
    )


def test_what_an_annotation_tool_stores_is_read_but_for_its_ranges_of_elements() -> None:
    stored = json.loads((EXAMPLES / "hypothesis_minimal.json").read_text("utf-8"))
    found = read_selectors(stored["rows"][0])
    assert found.paths[1:] == ((PositionStep(4, 7),), (QuoteStep("Two", "One ", " Three\n"),))
    assert [fault.pointer for fault in found.faults] == ["/target/0/selector/0"]
