"""Shapes that more than one endpoint answers with. None has a default: every member is always there."""

from datetime import UTC, datetime, time
from typing import Annotated, Any, Generic, TypeVar

from django.utils.dateparse import parse_date
from ninja import Schema
from pydantic import AfterValidator, BeforeValidator, PlainSerializer, WithJsonSchema

from lineage.formats.times import written
from lineage.nodes.counting import AtLeast
from lineage.types import NodeView, Warned

# An instant as records write it: UTC, Z, microseconds where there are any.
Instant = Annotated[
    datetime,
    PlainSerializer(written, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}, mode="serialization"),
]
FreeJson = dict[str, Any]


def in_utc(at: datetime) -> datetime:
    """An instant as asked for; without a zone it is of UTC, as in records."""
    return at if at.tzinfo else at.replace(tzinfo=UTC)


# An instant as asked for.
AskedInstant = Annotated[datetime, AfterValidator(in_utc)]


def _end_of_day(value: object) -> object:
    try:
        day = parse_date(value) if isinstance(value, str) else None
    except ValueError:
        return value
    return datetime.combine(day, time.max, UTC) if day else value


# An instant that counts, or a date, all of which does.
LastInstant = Annotated[AskedInstant, BeforeValidator(_end_of_day)]

Item = TypeVar("Item")


class Page(Schema, Generic[Item]):
    """A page of a list; `next` is the cursor of the following page."""

    items: list[Item]
    next: str | None
    total: int


class Number(Schema):
    """A number; with `at_least`, counting stopped there."""

    number: int
    at_least: bool


class WarningOut(Schema):
    """Something wrong with what was stored all the same; `pointer` is a JSON pointer."""

    code: str
    pointer: str
    detail: str


class NodeOutline(Schema):
    """A node without its attributes. A hidden one has neither key nor label nor fields."""

    uid: str
    kind: str
    key: str | None
    namespace: str | None
    label: str | None
    state: str
    resolved: bool
    hidden: bool
    occurred_at: Instant | None
    recorded_at: Instant
    fields: FreeJson
    withdrawn_by: list[str]
    flags: list[WarningOut]


class Node(NodeOutline):
    """A node as its viewer may see it."""

    attributes: FreeJson


def warning(warned: Warned, prefix: str = "") -> dict[str, str]:
    """`prefix` leads from the body's root to the record."""
    return {
        "code": warned.code,
        "pointer": prefix + warned.pointer,
        "detail": warned.detail,
    }


def outline(view: NodeView) -> dict[str, Any]:
    """A node for `NodeOutline`."""
    return {
        "uid": view.uid,
        "kind": view.kind,
        "key": view.key,
        "namespace": view.namespace,
        "label": view.label,
        "state": view.state,
        "resolved": view.resolved,
        "hidden": view.hidden,
        "occurred_at": view.occurred_at,
        "recorded_at": view.recorded_at,
        "fields": dict(view.fields),
        "withdrawn_by": list(view.withdrawn_by),
        "flags": [warning(flag) for flag in view.flags],
    }


def number_out(count: AtLeast) -> dict[str, Any]:
    """What was counted, as a Number."""
    return {"number": count.number, "at_least": count.more}
