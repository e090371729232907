"""Statements kept as attributes of records, and read back from them without loss.

An element's attributes stand under their own names; `prov:declared` says as what it was
declared. A relation stands with the first thing that it names, under the relation and its
other ends: `prov:used https://example.org/page` → a list of what was said so.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from lineage.formats.prov_statements import (
    ARGUMENTS,
    ELEMENTS,
    PROV,
    SHORT,
    TIMES,
    Statement,
    Values,
    compact,
    expand,
)
from lineage.types import JsonValue

DECLARED: Final = "prov:declared"
BUNDLE: Final = "prov:bundle"
PREFIXES: Final = "prov:prefixes"
# The document names the element and says nothing of it: the work of a version.
IMPLIED: Final = "prov:implied"
_OWN: Final = frozenset({DECLARED, BUNDLE, PREFIXES, IMPLIED})
# What `compact` shortens needs no prefix of the document's.
_GRANTED: Final = frozenset(SHORT.values())

Attributes = dict[str, JsonValue]


def keep_element(attributes: Attributes, statement: Statement) -> None:
    """Add what an element says of itself; the same value twice is one."""
    attributes[DECLARED] = statement.relation
    said = {name: (time,) for name, time in _times(statement).items()}
    for name, values in {**said, **statement.attributes}.items():
        before = attributes.get(compact(name))
        there = [] if before is None else before if isinstance(before, list) else [before]
        there += [value for value in values if value not in there]
        attributes[compact(name)] = there[0] if len(there) == 1 else there
    if statement.bundle:
        attributes[BUNDLE] = statement.bundle


def keep_relation(attributes: Attributes, statement: Statement) -> None:
    """Add a relation that this thing is the first to be named in."""
    _, *others = statement.things().values()
    name = " ".join([f"prov:{statement.relation}", *others])
    said: dict[str, JsonValue] = {"arguments": dict(statement.arguments)}
    if statement.id:
        said["id"] = statement.id
    if statement.attributes:
        said["attributes"] = {
            compact(one): list(values) for one, values in statement.attributes.items()
        }
    there = attributes.setdefault(name, [])
    if statement.bundle:
        said["bundle"] = statement.bundle
    if said not in there:
        there.append(said)


def keep_prefixes(attributes: Attributes, key: str, prefixes: Mapping[str, str]) -> None:
    """Add the prefixes of the document that names here begin with."""
    names = [key, *attributes, *_names(attributes)]
    used = {
        prefix: iri
        for prefix, iri in prefixes.items()
        if iri and iri not in _GRANTED and any(name.startswith(iri) for name in names)
    }
    if used:
        attributes[PREFIXES] = used


def elements_of(key: str, attributes: Mapping[str, JsonValue]) -> Iterator[Statement]:
    """The declaration of the element, if it was declared."""
    declared = attributes.get(DECLARED)
    if declared not in ELEMENTS:
        return
    times: dict[str, str] = {}
    kept: dict[str, Values] = {}
    for name, value in attributes.items():
        if name in _OWN or _relation(name) or not _is_said(name, value):
            continue
        argument = name.removeprefix("prov:")
        if declared == "activity" and argument in TIMES and isinstance(value, str):
            times[argument] = value
        else:
            kept[expand(name)] = tuple(value if isinstance(value, list) else [value])
    yield Statement(str(declared), key, times, kept, _bundle(attributes))


def relations_of(attributes: Mapping[str, JsonValue]) -> Iterator[Statement]:
    """The relations kept here."""
    for name, value in attributes.items():
        relation = _relation(name)
        for said in value if relation and isinstance(value, list) else ():
            if isinstance(said, dict) and isinstance(said.get("arguments"), dict):
                yield Statement(
                    relation,
                    str(said.get("id", "")),
                    said["arguments"],
                    {expand(n): tuple(v) for n, v in said.get("attributes", {}).items()},
                    str(said.get("bundle", "")),
                )


def is_kept(attributes: Mapping[str, JsonValue]) -> bool:
    """Whether a node's attributes hold statements of PROV."""
    return not attributes.keys().isdisjoint((DECLARED, IMPLIED)) or any(
        _relation(name) for name in attributes
    )


def others_of(attributes: Mapping[str, JsonValue]) -> Attributes:
    """The attributes of a node that PROV statements do not make."""
    declared = DECLARED in attributes
    return {
        name: value
        for name, value in attributes.items()
        if name not in _OWN and not _relation(name) and not (declared and _is_said(name, value))
    }


def _is_said(name: str, value: JsonValue) -> bool:
    """Whether an attribute can be one of PROV: named by an IRI, with values of PROV-JSON."""
    if ":" not in name:
        return False
    values = value if isinstance(value, list) else [value]
    return all(
        isinstance(one, (str, bool, int, float))
        or (isinstance(one, dict) and "$" in one and one.keys() <= {"$", "type", "lang"})
        for one in values
    )


def _times(statement: Statement) -> dict[str, str]:
    return {PROV + name: value for name, value in statement.arguments.items() if name in TIMES}


def _bundle(attributes: Mapping[str, JsonValue]) -> str:
    bundle = attributes.get(BUNDLE, "")
    return bundle if isinstance(bundle, str) else ""


def _relation(name: str) -> str:
    """The relation that an attribute's name stands for; "" for any other."""
    word = name.split(" ", 1)[0].removeprefix("prov:")
    known = name.startswith("prov:") and word in ARGUMENTS and word not in ELEMENTS
    return word if known else ""


def _names(value: Any) -> Iterator[str]:
    """Every name and IRI within values."""
    pending: list[Any] = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, Mapping):
            yield from (str(name) for name in one)
            pending += one.values()
        elif isinstance(one, Sequence) and not isinstance(one, str):
            pending += one
        elif isinstance(one, str) and ":" in one[:80]:
            yield one
