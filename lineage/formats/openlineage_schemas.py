"""Checks OpenLineage events and facets against the schemas kept here, without a network.

Core and facets are those of OpenLineage (schemas/openlineage/), `rag_…` facets are ours
(schemas/rag/, published at /api/v1/lineage/schemas/). An event is refused for what it says
wrongly; what it owes but nobody needs (who produced it, which schema it follows) is told.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from lineage.formats.schema_shapes import Shapes
from lineage.formats.storable import member
from lineage.types import JsonValue

_FOLDER: Final = Path(__file__).parent / "schemas"
_OPENLINEAGE: Final = _FOLDER / "openlineage"
RAG_FOLDER: Final = _FOLDER / "rag"
_CORE: Final = "https://openlineage.io/spec/2-0-2/OpenLineage.json"
# Suffix of a facet's class → where such facets stand; the longer ones first.
_PLACES: Final = (
    ("InputDatasetFacet", "input"),
    ("OutputDatasetFacet", "output"),
    ("DatasetFacet", "dataset"),
    ("RunFacet", "run"),
    ("JobFacet", "job"),
)
# What the core schema asks of a facet, whatever else that holds.
FRAMING: Final = ("_producer", "_schemaURL", "_deleted")
# Members that tell who speaks and by which schema: nothing is made of them.
_TOLD: Final = frozenset({"producer", "schemaURL", "_producer", "_schemaURL"})
_TYPES: Final = {
    "string": "a string", "object": "an object", "array": "a list", "integer": "an integer",
    "number": "a number", "boolean": "true or false",
}  # fmt: skip
_SOUND_KEPT: Final = 10_000


class Fault(NamedTuple):
    """What is wrong with an event, and where; a tolerated one does not refuse it."""

    slug: str
    detail: str
    pointer: str
    tolerated: bool = False


@dataclass(slots=True)
class _Checker:
    """A schema with what checks it, and the shapes of what was found sound: most events are alike.

    `tolerant`: what can be tolerated is no fault at all.
    """

    validator: Draft202012Validator
    shapes: Shapes
    tolerant: bool
    sound: set[bytes] = field(default_factory=set)

    def faults(self, value: JsonValue, base: str) -> Iterator[Fault]:
        """Faults of the value; pointers start with `base`."""
        shape = self.shapes.digest(value)
        if shape in self.sound:
            return
        found = [
            fault
            for fault in _faults(self.validator, value, base)
            if not (self.tolerant and fault.tolerated)
        ]
        if not found:
            if len(self.sound) >= _SOUND_KEPT:
                self.sound.clear()
            self.sound.add(shape)
        yield from found


def event_faults(event: Mapping[str, JsonValue], definition: str) -> Iterator[Fault]:
    """Faults by the core schema; `definition` is RunEvent, DatasetEvent or JobEvent.

    Of facets it needs only FRAMING.
    """
    yield from _core(definition).faults(event, "")


def facet_faults(place: str, name: str, facet: JsonValue, pointer: str) -> Iterator[Fault]:
    """Faults of a facet that has a schema here; `place` is run, job, dataset, input or output.

    What the core schema asks of every facet is left to `event_faults`.
    """
    checker = _facets().get((place, name))
    if checker is not None:
        yield from checker.faults(facet, pointer)


def published(version: str, name: str) -> JsonValue | None:
    """The published schema of one of our facets (`1-0-0`, `RagChunksDatasetFacet`), if there is one."""
    return _published().get((version, name))


@cache
def _published() -> dict[tuple[str, str], JsonValue]:
    return {
        (file.parent.name, file.stem): _read(file) for file in sorted(RAG_FOLDER.glob("*/*.json"))
    }


def _faults(validator: Draft202012Validator, value: JsonValue, base: str) -> Iterator[Fault]:
    for error in validator.iter_errors(value):
        for leaf in _leaves(error):
            yield _fault(leaf, base)


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    """The errors that a person can act on: of an alternative, those of its only or likeliest branch."""
    if not error.context:
        yield error
    elif len(error.validator_value) == 1:
        for inner in error.context:
            yield from _leaves(inner)
    else:
        yield best_match([error])


def _fault(error: ValidationError, base: str) -> Fault:
    pointer = base
    for step in error.absolute_path:
        pointer = member(pointer, str(step))
    wanted = error.validator_value
    match error.validator:
        case "required" | "dependentRequired":
            name = str(error.message).partition("'")[2].partition("'")[0]
            told = error.validator == "required" and name in _TOLD
            return Fault("field-missing", f"{name} is required.", member(pointer, name), told)
        case "type":
            named = [wanted] if isinstance(wanted, str) else wanted
            words = " or ".join(_TYPES.get(each, each) for each in named)
            return Fault("wrong-type", f"To be {words}.", pointer)
        case "enum":
            return Fault("value-not-allowed", f"One of {', '.join(map(str, wanted))}.", pointer)
        case "const":
            return Fault("value-not-allowed", f"To be {wanted}.", pointer)
        case _:
            return Fault(
                "value-not-allowed", f"Not as the schema has it: {error.validator}.", pointer
            )


def _read(file: Path) -> JsonValue:
    return json.loads(file.read_text(encoding="utf-8"))


@cache
def _core_definitions() -> dict[str, JsonValue]:
    return dict(_read(_OPENLINEAGE / "OpenLineage.json")["$defs"])


def _inlined(schema: JsonValue) -> JsonValue:
    """The schema with the core's definitions in the place of references to them.

    None of those refers to itself. Looking references up takes a third of the time of a check.
    """
    if isinstance(schema, list):
        return [_inlined(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    base, _, name = str(schema.get("$ref", "")).partition("#/$defs/")
    if base == _CORE:
        return _inlined(_core_definition(name))
    return {key: _inlined(value) for key, value in schema.items()}


def _core_definition(name: str) -> JsonValue:
    """A definition of the core with its references made absolute."""
    text = json.dumps(_core_definitions()[name])
    return json.loads(text.replace('"#/$defs/', f'"{_CORE}#/$defs/'))


@cache
def _core(definition: str) -> _Checker:
    return _checker(_inlined(_core_definition(definition)), tolerant=False)


def _checker(schema: JsonValue, *, tolerant: bool) -> _Checker:
    return _Checker(Draft202012Validator(schema), Shapes(schema), tolerant)


@cache
def _facets() -> dict[tuple[str, str], _Checker]:
    """(place, key of the facet) → what checks it."""
    found: dict[tuple[str, str], _Checker] = {}
    documents = [_read(file) for file in sorted((_OPENLINEAGE / "facets").glob("*.json"))]
    for document in map(_inlined, (*documents, *_published().values())):
        for key, declared in document.get("properties", {}).items():
            for target in _targets(document, declared):
                for place in _places(target):
                    schema = {"$ref": f"#/$defs/{target}", "$defs": document["$defs"]}
                    found[place, key] = _checker(schema, tolerant=True)
    # The class is an input's; producers send the facet of the dataset as well.
    assertions = found.get(("dataset", "dataQualityAssertions"))
    if assertions is not None:
        found["input", "dataQualityAssertions"] = assertions
    return found


def _targets(document: JsonValue, declared: JsonValue) -> Iterator[str]:
    """The definitions that a facet's key refers to, through alternatives."""
    if "$ref" in declared:
        name = str(declared["$ref"]).rpartition("/")[2]
        inner = document["$defs"][name]
        if "oneOf" in inner and "allOf" not in inner:
            yield from _targets(document, inner)
        else:
            yield name
    for each in (*declared.get("anyOf", ()), *declared.get("oneOf", ())):
        yield from _targets(document, each)


def _places(definition: str) -> list[str]:
    return [next(place for suffix, place in _PLACES if definition.endswith(suffix))]
