"""Reads the fields of one record by their declared shape."""

import json
from collections.abc import Mapping
from typing import Final

from lineage.formats.holds import REF_HOLDS, TEXT_HOLDS, Field, Holds, Shape
from lineage.formats.refusals import RecordRefused
from lineage.formats.selectors import read_selectors
from lineage.formats.storable import member, storable_json, storable_string
from lineage.formats.times import Instant, is_printed_date, read_instant, written
from lineage.formats.values import (
    boolean,
    choice,
    edge_properties,
    integer,
    interval_as_sent,
    interval_of,
    json_list,
    json_object,
    key_string,
    number,
    read_digest,
    string,
    text_value,
)
from lineage.identifiers import kind_of_uid
from lineage.types import Interval, JsonValue, Ref, Warned
from lineage.vocabulary import KINDS

WARNINGS_KEPT: Final = 100
_REF_MEMBERS: Final = frozenset({"key", "namespace", "digest", "kind", "uid"})


class RecordReader:
    """Collects what the fields of one record say: values, texts, references, warnings."""

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self.fields: dict[str, JsonValue] = {}
        self.texts: dict[str, str | list[str]] = {}
        self.refs: list[Ref] = []
        self.intervals: dict[str, Interval] = {}
        self.unknown: dict[str, JsonValue] = {}
        self.warnings: list[Warned] = []
        self._untold = 0

    def warn(self, code: str, pointer: str, detail: str) -> None:
        """Note that something is wrong; after the hundredth only their number is kept."""
        if len(self.warnings) < WARNINGS_KEPT:
            self.warnings.append(Warned(code, pointer, detail))
        else:
            self._untold += 1

    def all_warnings(self) -> tuple[Warned, ...]:
        """The warnings, and how many were left out."""
        if not self._untold:
            return tuple(self.warnings)
        return (*self.warnings, Warned("warnings_left_out", "", f"{self._untold} more."))

    def read(self, record: Mapping[str, JsonValue], shape: Shape, common: frozenset[str]) -> None:
        """All fields of the record but the common ones; raises RecordRefused."""
        self._check_presence(record, shape, "")
        for name, value in record.items():
            if name in common:
                continue
            pointer = member("", name)
            declared = shape.fields.get(name)
            if declared is None:
                self.unknown[name] = value
                self.warn("unknown_field", pointer, "Not a field of this kind: kept as attribute.")
            elif value is None and declared.nullable:
                continue
            elif declared.holds in (Holds.GROUP, Holds.GROUPS):
                self.fields[name] = self._groups(name, value, declared, pointer)
            elif declared.holds in REF_HOLDS:
                self._references(name, value, declared, pointer)
            elif declared.holds is Holds.QUOTING:
                self.texts[name] = self._quoting(value, pointer)
            elif declared.holds in TEXT_HOLDS:
                self.texts[name] = text_value(value, declared.holds, pointer)
            else:
                self.fields[name] = self.value(value, declared, pointer)
                if declared.holds is Holds.INTERVAL:
                    self.intervals[name] = interval_of(self.fields[name])

    def value(self, value: JsonValue, declared: Field, pointer: str) -> JsonValue:
        """A value that is neither text nor reference nor group, checked and normalised."""
        kept: JsonValue
        match declared.holds:
            case Holds.STRING:
                kept = storable_string(string(value, pointer), pointer, self.warn)
            case Holds.STRINGS:
                strings = [
                    string(item, f"{pointer}/{i}")
                    for i, item in enumerate(json_list(value, pointer))
                ]
                kept = storable_json(strings, pointer, self.warn)
            case Holds.CHOICE:
                kept = choice(value, declared.choices, pointer)
            case Holds.INTEGER:
                kept = integer(value, pointer)
            case Holds.NUMBER:
                kept = number(value, pointer, self.warn)
            case Holds.BOOLEAN:
                kept = boolean(value, pointer)
            case Holds.OBJECT:
                kept = storable_json(json_object(value, pointer), pointer, self.warn)
            case Holds.INSTANT:
                kept = written(self.instant(value, pointer).at)
            case Holds.DATE:
                kept = self._date(string(value, pointer), pointer)
            case Holds.INTERVAL:
                kept = interval_as_sent(value, pointer, self.warn)
            case _:
                kept = storable_json(value, pointer, self.warn)
        return kept

    def _quoting(self, value: JsonValue, pointer: str) -> str:
        """A selector as JSON, told where it cannot be used: it is kept all the same."""
        for fault in read_selectors(value).faults:
            self.warn("selector_unusable", f"{pointer}{fault.pointer}", f"{fault.detail}.")
        return json.dumps(storable_json(value, pointer, self.warn), separators=(",", ":"))

    def _date(self, text: str, pointer: str) -> str:
        try:
            if is_printed_date(text):
                return text
        except ValueError:
            raise RecordRefused("time-unreadable", "Not in the calendar.", pointer) from None
        return written(self.instant(text, pointer).at)

    def instant(self, value: JsonValue, pointer: str) -> Instant:
        """An instant, warned where the zone is missing."""
        try:
            read = read_instant(string(value, pointer))
        except ValueError:
            raise RecordRefused("time-unreadable", "Not a time of RFC 3339.", pointer) from None
        if not read.zone_stated:
            self.warn("time_without_zone", pointer, "No zone is stated: read as UTC.")
        return read

    def ref(
        self, value: JsonValue, declared: Field, relation: str, pointer: str, ordinal: int = 0,
        properties: Mapping[str, JsonValue] | None = None,
    ) -> Ref:  # fmt: skip
        """One reference, in any of its three forms."""
        named = {"key": value} if isinstance(value, str) else value
        if not isinstance(named, dict):
            raise RecordRefused("wrong-type", "To be a key or an object with key or uid.", pointer)
        for name in named.keys() - _REF_MEMBERS:
            self.warn("unknown_field", member(pointer, name), "Not a member of a reference.")
        key, uid = named.get("key"), named.get("uid")
        if (key is None) == (uid is None):
            raise RecordRefused("reference-malformed", "Give either key or uid.", pointer)
        if uid is not None:
            target = kind_of_uid(string(uid, f"{pointer}/uid"))
            if target is None:
                raise RecordRefused("reference-malformed", "Not a uid.", f"{pointer}/uid")
            self._kind(target.name, declared, f"{pointer}/uid")
            return Ref(
                relation=relation, kind=target.name, uid=uid, ordinal=ordinal, pointer=pointer,
                properties=properties or {},
            )  # fmt: skip
        kind = named.get("kind")
        if kind is None:
            if len(declared.kinds) > 1:
                raise RecordRefused(
                    "reference-kind-missing", f"One of {', '.join(declared.kinds)}.", pointer
                )
            kind = declared.kinds[0]
        namespace = named.get("namespace", self.namespace)
        if namespace is not None:
            namespace = key_string(namespace, f"{pointer}/namespace")
        digest = named.get("digest")
        key_pointer = pointer if isinstance(value, str) else f"{pointer}/key"
        return Ref(
            relation=relation,
            kind=self._kind(string(kind, f"{pointer}/kind"), declared, f"{pointer}/kind"),
            key=key_string(key, key_pointer, empty=False),
            namespace=namespace,
            digest="" if digest is None else read_digest(digest, f"{pointer}/digest"),
            ordinal=ordinal,
            pointer=pointer,
            properties=properties or {},
        )

    def _references(self, name: str, value: JsonValue, declared: Field, pointer: str) -> None:
        relation = declared.relation or name
        if declared.holds is Holds.REF or (
            declared.holds is Holds.REF_OR_REFS and not isinstance(value, list)
        ):
            self.refs.append(self.ref(value, declared, relation, pointer))
            return
        for i, item in enumerate(json_list(value, pointer)):
            self.refs.append(self.ref(item, declared, relation, f"{pointer}/{i}", i))

    def _groups(self, name: str, value: JsonValue, declared: Field, pointer: str) -> JsonValue:
        """The members of a group (or of each of a list) that are no references, as JSON."""
        assert declared.members is not None
        if declared.holds is Holds.GROUP:
            return self._group(name, json_object(value, pointer), declared.members, pointer, 0)
        return [
            self._group(
                name, json_object(item, f"{pointer}/{i}"), declared.members, f"{pointer}/{i}", i
            )
            for i, item in enumerate(json_list(value, pointer))
        ]

    def _group(
        self, name: str, value: dict[str, JsonValue], shape: Shape, pointer: str, ordinal: int
    ) -> dict[str, JsonValue]:
        self._check_presence(value, shape, pointer)
        plain: dict[str, JsonValue] = {}
        for key, item in value.items():
            declared, at = shape.fields.get(key), member(pointer, key)
            if declared is None:
                self.warn("unknown_field", at, "Not a member here: kept as sent.")
                plain[storable_string(key, at, self.warn)] = storable_json(item, at, self.warn)
            elif item is not None and declared.holds is not Holds.REF:
                plain[key] = self.value(item, declared, at)
        properties = edge_properties(plain, shape)
        for key, declared in shape.fields.items():
            if declared.holds is Holds.REF and value.get(key) is not None:
                self.refs.append(
                    self.ref(
                        value[key], declared, f"{name}.{key}", f"{pointer}/{key}", ordinal,
                        properties,
                    )
                )  # fmt: skip
        return plain

    def _check_presence(self, value: Mapping[str, JsonValue], shape: Shape, pointer: str) -> None:
        for name, declared in shape.fields.items():
            if declared.required and value.get(name) is None:
                raise RecordRefused("field-missing", f"{name} is required.", member(pointer, name))
        if not (shape.any_of or shape.at_most_one):
            return
        stated = {name for name, item in value.items() if item is not None}
        for names in shape.any_of:
            if stated.isdisjoint(names):
                raise RecordRefused(
                    "field-missing", f"One of {', '.join(names)} is required.", pointer
                )
        for names in shape.at_most_one:
            if len(stated.intersection(names)) > 1:
                raise RecordRefused(
                    "fields-exclusive", f"Only one of {', '.join(names)} can stand here.", pointer
                )

    @staticmethod
    def _kind(kind: str, declared: Field, pointer: str) -> str:
        if kind not in declared.kinds:
            word = "cannot stand here" if kind in KINDS else "is not a kind"
            raise RecordRefused(
                "reference-kind-wrong",
                f"{kind[:40]!r} {word}: one of {', '.join(declared.kinds)}.",
                pointer,
            )
        return kind
