"""`/api/docs`: the API's OpenAPI document as a page to read, in English as the API itself is.

Everything on it comes from the document (`/api/v1/openapi.json`), the scopes from the operations.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from ninja.constants import NOT_SET

from lineage.api.access import Needs
from provexplorer.api import PREFIX, api
from provexplorer.problem_pages import paragraphs

_REFERENCE: Final = "#/components/schemas/"
_METHODS: Final = ("get", "post", "put", "patch", "delete")
# In what order somebody meets them; what is not named comes after, by name.
_GROUPS: Final = ("records", "openlineage", "prov", "reading", "exports", "impact", "cases")
_ANCHOR: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Shape:
    """What a value looks like: words, and the schemas of the document that they name."""

    words: str
    schemas: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """A parameter, or a member of an object; `place` is query, path, header, or empty."""

    name: str
    place: str
    required: bool
    shape: Shape
    text: str


@dataclass(frozen=True, slots=True)
class Body:
    """A body by its media type."""

    media_type: str
    shape: Shape


@dataclass(frozen=True, slots=True)
class Reply:
    """What an operation answers; errors are problems."""

    status: int
    phrase: str
    text: str
    bodies: tuple[Body, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one address, with the scope that a key needs for it."""

    anchor: str
    method: str
    path: str
    summary: str
    text: tuple[SafeString, ...]
    scope: str
    members: tuple[Member, ...]
    bodies: tuple[Body, ...]
    body_text: str
    replies: tuple[Reply, ...]
    problems: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    """A named schema of the document."""

    name: str
    text: tuple[SafeString, ...]
    members: tuple[Member, ...]
    shape: Shape


@dataclass(frozen=True, slots=True)
class Reference:
    """The whole document: operations by their group, and the schemas that they name."""

    groups: tuple[tuple[str, tuple[Operation, ...]], ...]
    schemas: tuple[Schema, ...]


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """The reference, for everybody: it tells of no workspace."""
    found = reference()
    context = {"groups": found.groups, "schemas": found.schemas, "section": "api"}
    return render(request, "api/reference.html", context)


@cache
def reference() -> Reference:
    """The document, read once a process."""
    return read_document(api.get_openapi_schema(path_prefix=PREFIX), _scopes())


def read_document(document: Mapping[str, Any], scopes: Mapping[str, str]) -> Reference:
    """An OpenAPI 3.1 document in the words of this page; `scopes` by operationId."""
    groups: dict[str, list[Operation]] = defaultdict(list)
    for path, item in document["paths"].items():
        for method in _METHODS:
            if (operation := item.get(method)) is not None:
                group = next(iter(operation.get("tags", ())), "other")
                scope = scopes.get(operation["operationId"], "")
                groups[group].append(_operation(method, path, operation, scope))
    order: list[str] = [name for name in _GROUPS if name in groups]
    order += sorted(name for name in groups if name not in _GROUPS)
    schemas = document["components"]["schemas"]
    return Reference(
        tuple((name, tuple(groups[name])) for name in order),
        tuple(_schema(name, schemas[name]) for name in sorted(schemas)),
    )


def _scopes() -> dict[str, str]:
    found: dict[str, str] = {}
    for _, router in api._routers:  # noqa: SLF001 - ninja has no other way to its operations
        for view in router.path_operations.values():
            for operation in view.operations:
                name = operation.operation_id or api.get_openapi_operation_id(operation)
                # None: open to everybody, whatever the router says.
                own = operation.auth_param
                auth = router.auth if own is NOT_SET else own
                if isinstance(auth, Needs):
                    found[name] = auth.scope
    return found


def _operation(method: str, path: str, given: Mapping[str, Any], scope: str) -> Operation:
    replies = []
    problems = []
    for status, reply in sorted(given["responses"].items(), key=lambda each: int(each[0])):
        if "application/problem+json" in reply.get("content", {}):
            problems.append(int(status))
            continue
        phrase = HTTPStatus(int(status)).phrase
        text = reply.get("description", "")
        bodies = _bodies(reply.get("content", {}))
        replies.append(Reply(int(status), phrase, "" if text == phrase else text, bodies))
    body = given.get("requestBody", {})
    return Operation(
        anchor=_ANCHOR.sub("-", f"{method}-{path}".lower()).strip("-"),
        method=method.upper(),
        path=path,
        summary=given.get("summary", ""),
        text=tuple(paragraphs(given.get("description", ""))),
        scope=scope,
        members=tuple(
            Member(
                name=each["name"],
                place=each["in"],
                required=each.get("required", False),
                shape=shape_of(each["schema"]),
                text=each.get("description", ""),
            )
            for each in given.get("parameters", ())
        ),
        bodies=_bodies(body.get("content", {})),
        body_text=body.get("description", ""),
        replies=tuple(replies),
        problems=tuple(problems),
    )


def _bodies(content: Mapping[str, Any]) -> tuple[Body, ...]:
    return tuple(Body(name, shape_of(each.get("schema", {}))) for name, each in content.items())


def _schema(name: str, given: Mapping[str, Any]) -> Schema:
    required = set(given.get("required", ()))
    return Schema(
        name=name,
        text=tuple(paragraphs(given.get("description", ""))),
        members=tuple(
            Member(key, "", key in required, shape_of(each), each.get("description", ""))
            for key, each in given.get("properties", {}).items()
        ),
        shape=shape_of(given),
    )


def shape_of(schema: Mapping[str, Any]) -> Shape:
    """A schema in a few words: "array of Record", "date-time or null", `"apa" or "ieee"`."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REFERENCE)
        return Shape(name, (name,))
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            parts = [shape_of(each) for each in schema[several]]
            joined = (" and " if several == "allOf" else " or ").join(part.words for part in parts)
            return Shape(joined, tuple(name for part in parts for name in part.schemas))
    if "const" in schema:
        return Shape(f'"{schema["const"]}"')
    if "enum" in schema:
        return Shape(" or ".join(f'"{each}"' for each in schema["enum"]))
    kind = schema.get("type", "anything")
    if isinstance(kind, list):
        kind = " or ".join(kind)
    if kind == "array":
        items = shape_of(schema.get("items", {}))
        return Shape(f"array of {items.words}", items.schemas)
    if kind == "object" and isinstance(more := schema.get("additionalProperties"), Mapping):
        values = shape_of(more)
        return Shape(f"object of {values.words}", values.schemas)
    if kind == "object" and "properties" in schema and "title" not in schema:
        named = {key: shape_of(each) for key, each in schema["properties"].items()}
        words = ", ".join(f"{key}: {part.words}" for key, part in named.items())
        names = tuple(name for part in named.values() for name in part.schemas)
        return Shape(f"object with {words}" if words else "object", names)
    return Shape(schema.get("format", kind) if kind == "string" else kind)
