"""PROV-JSON (W3C member submission of 24 April 2013) to statements. Pure.

What the format itself forbids makes the document unusable: BodyRefused, with a JSON pointer
and the construct by name. What is only wrong in one statement is `Unread` among the others.
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Final

from lineage.formats.body import Repeated, as_json
from lineage.formats.prov_names import GRANTED, Budget, Names, as_object, refuse
from lineage.formats.prov_statements import (
    ARGUMENTS,
    NAME,
    NO_THINGS,
    PROV,
    TIMES,
    ProvDocument,
    Statement,
    Unread,
    Values,
    compact,
)
from lineage.formats.refusals import BodyRefused
from lineage.formats.storable import member, storable_json
from lineage.formats.times import read_instant
from lineage.types import JsonValue

_BLANK: Final = "_:"
_VALUE_MEMBERS: Final = frozenset({"$", "type", "lang"})
# What JSON cannot write, but many send, as XML Schema writes it.
_NOT_FINITE: Final = {"nan": "NaN", "inf": "INF", "-inf": "-INF"}
_QUALIFIED: Final = frozenset({NAME, "xsd:QName"})


def read_prov_json(body: bytes) -> ProvDocument:
    """Every statement of the document, those of its bundles too; raises BodyRefused."""
    document = as_json(body)
    _no_repeated_names(document)
    prefixes: dict[str, str] = {}
    statements = tuple(_document(document, prefixes))
    return ProvDocument(statements, prefixes)


def _no_repeated_names(document: JsonValue) -> None:
    """A name that stands twice in an object would silently lose what it said first."""
    pending: list[tuple[JsonValue, str]] = [(document, "")]
    while pending:
        value, pointer = pending.pop()
        if isinstance(value, Repeated):
            raise refuse(f"{value.name[:80]!r} stands twice in one object.", pointer)
        if pointer.count("/") > 10:
            raise refuse("PROV-JSON is not nested this deeply.", pointer)
        if isinstance(value, dict):
            pending += [(item, member(pointer, name)) for name, item in value.items()
                        if isinstance(item, (dict, list))]  # fmt: skip
        elif isinstance(value, list):
            pending += [(item, f"{pointer}/{place}") for place, item in enumerate(value)
                        if isinstance(item, (dict, list))]  # fmt: skip


def _document(document: JsonValue, prefixes: dict[str, str]) -> Iterator[Statement | Unread]:
    top = as_object(document, "A PROV-JSON document", "")
    names = Names(top.get("prefix", {}), GRANTED, "/prefix")
    prefixes.update(names.declared)
    budget = Budget()
    yield from _Container(top, names, "", "", budget).statements()
    bundles = as_object(top.get("bundle", {}), "bundle", "/bundle")
    for key, value in bundles.items():
        pointer = member("/bundle", key)
        inner = as_object(value, f"The bundle {key[:80]!r}", pointer)
        own = Names(inner.get("prefix", {}), names.known, f"{pointer}/prefix")
        prefixes.update({p: iri for p, iri in own.declared.items() if p not in prefixes})
        # The submission resolves a bundle's identifier where its prefixes are declared.
        iri = own.iri(key, pointer)
        yield from _Container(inner, own, iri, pointer, budget).statements()


class _Container:
    """The statements of a document or of one of its bundles."""

    def __init__(
        self, container: Mapping[str, JsonValue], names: Names, bundle: str, pointer: str,
        budget: Budget,
    ) -> None:  # fmt: skip
        self._container, self._names, self._bundle = container, names, bundle
        self._pointer, self._budget = pointer, budget

    def statements(self) -> Iterator[Statement | Unread]:
        for relation, records in self._container.items():
            if relation == "prefix" or (relation == "bundle" and not self._bundle):
                continue
            at = member(self._pointer, relation)
            if relation not in ARGUMENTS:
                raise refuse(f"{relation[:80]!r} is no type of PROV statement.", at)
            for key, sent in as_object(records, relation, at).items():
                place = member(at, key)
                several = isinstance(sent, list)
                for number, record in enumerate(sent if several else [sent]):
                    here = f"{place}/{number}" if several else place
                    yield from self._record(
                        relation, key, as_object(record, f"{relation} {key[:80]!r}", here), here
                    )

    def _record(
        self, relation: str, key: str, record: dict[str, JsonValue], place: str
    ) -> Iterator[Statement | Unread]:
        self._budget.take()
        iri = self._identifier(relation, key, place)
        arguments: dict[str, str] = {}
        attributes: dict[str, Values] = {}
        members: list[str] = []
        unread: Unread | None = None
        for name, value in record.items():
            at = member(place, name)
            attribute = self._names.iri(name, at)
            argument = attribute.removeprefix(PROV) if attribute.startswith(PROV) else ""
            if argument not in ARGUMENTS[relation]:
                attributes[attribute] = (
                    *attributes.get(attribute, ()),
                    *self._values(value, f"{relation} {key[:80]!r}, attribute {name[:80]!r}", at),
                )
            elif argument in TIMES:
                time, problem = self._time(value, at)
                if time:
                    arguments[argument] = time
                if problem and unread is None:
                    unread = Unread("time-unreadable", problem, at, iri or key, relation)
            elif relation == "hadMember" and argument == "entity" and isinstance(value, list):
                members = [
                    self._argument(one, argument, f"{at}/{n}") for n, one in enumerate(value)
                ]
            else:
                arguments[argument] = self._argument(value, argument, at)
        if unread is not None:
            yield unread
            return
        if not (members or arguments or relation in ("entity", "activity", "agent")):
            raise refuse(f"{relation} {key[:80]!r} names nothing that it relates.", place)
        yield Statement(
            relation, iri, arguments | ({"entity": members[0]} if members else {}), attributes,
            self._bundle, place,
        )  # fmt: skip
        for other in members[1:]:
            self._budget.take()
            yield Statement(
                relation, "", arguments | {"entity": other}, attributes, self._bundle, place
            )

    def _identifier(self, relation: str, key: str, place: str) -> str:
        if not key.startswith(_BLANK):
            return self._names.iri(key, place)
        if relation in ("entity", "activity", "agent"):
            raise refuse(f"{relation} {key[:80]!r} needs a qualified name of its own.", place)
        return ""

    def _argument(self, value: JsonValue, argument: str, at: str) -> str:
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if argument in NO_THINGS and isinstance(value, str) and value.startswith(_BLANK):
            return value
        return self._names.iri(value, at)

    def _time(self, value: JsonValue, at: str) -> tuple[str, str]:
        """The time as sent, or why it is none."""
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, dict) and value.keys() <= _VALUE_MEMBERS and "$" in value:
            value = value["$"]
        if not isinstance(value, str):
            raise refuse("This is to be a time, written as xsd:dateTime.", at)
        try:
            read_instant(value)
        except ValueError:
            return "", f"{value[:40]!r} is not a time of xsd:dateTime."
        return value, ""

    def _values(self, value: JsonValue, what: str, at: str) -> Iterator[JsonValue]:
        for number, one in enumerate(value if isinstance(value, list) else [value]):
            here = f"{at}/{number}" if isinstance(value, list) else at
            if isinstance(one, dict):
                yield self._typed(one, what, here)
            elif one is None or isinstance(one, list):
                raise refuse(f"{what}: this is no value.", here)
            elif isinstance(one, float) and not math.isfinite(one):
                yield {"$": _NOT_FINITE[str(one)], "type": "xsd:double"}
            else:
                yield storable_json(one, here, _quietly)

    def _typed(self, value: dict[str, JsonValue], what: str, at: str) -> JsonValue:
        if "$" not in value:
            raise refuse(f'{what}: a typed value needs its "$".', at)
        if unknown := sorted(value.keys() - _VALUE_MEMBERS):
            raise refuse(f"{what}: {unknown[0][:40]!r} is no member of a value.", at)
        lexical, language = value["$"], value.get("lang")
        if isinstance(lexical, bool):
            lexical = "true" if lexical else "false"
        elif isinstance(lexical, (int, float)):
            lexical = _NOT_FINITE.get(str(lexical)) or json.dumps(lexical)
        if not isinstance(lexical, str) or not isinstance(language, (str, type(None))):
            raise refuse(f"{what}: a value is to be text.", at)
        datatype = self._names.iri(value["type"], f"{at}/type") if "type" in value else ""
        if language:
            return {"$": storable_json(lexical, at, _quietly), "lang": language}
        if compact(datatype) in _QUALIFIED and self._resolves(lexical):
            return {"$": self._names.iri(lexical, at), "type": NAME}
        text = storable_json(lexical, at, _quietly)
        return {"$": text, "type": compact(datatype)} if datatype else text

    def _resolves(self, name: str) -> bool:
        """Whether a name as a value has a prefix in scope; else it is kept as a text of its type."""
        try:
            self._names.iri(name, "")
        except BodyRefused:
            return False
        return True


def _quietly(_code: str, _pointer: str, _detail: str) -> None:
    """Characters that no store can keep are replaced; the value stays recognisable."""
