"""JSON Schema of native records, from their declared shape."""

from typing import Any, Final

from lineage.formats.holds import UNITS, WITHIN, Field, Holds, Shape
from lineage.formats.shape import COMMON, SHAPES
from lineage.formats.values import KEY_LENGTH

_KEY: Final = {"type": "string", "minLength": 1, "maxLength": KEY_LENGTH}
_SIMPLE: Final[dict[Holds, dict[str, Any]]] = {
    Holds.STRING: {"type": "string"},
    Holds.TEXT: {"type": "string"},
    Holds.STRINGS: {"type": "array", "items": {"type": "string"}},
    Holds.TEXTS: {"type": "array", "items": {"type": "string"}},
    Holds.TERM: {"type": ["string", "number", "boolean"]},
    Holds.INTEGER: {"type": "integer", "format": "int64"},
    Holds.NUMBER: {"type": "number"},
    Holds.BOOLEAN: {"type": "boolean"},
    Holds.OBJECT: {"type": "object"},
    Holds.JSON: {},
    Holds.QUOTING: {},
    Holds.INSTANT: {"type": "string", "format": "date-time"},
    Holds.DATE: {"type": "string", "description": "RFC 3339, or a date, month or year alone."},
    Holds.DIGEST: {"type": "string", "pattern": "^sha256:[0-9a-fA-F]{64}$"},
    Holds.INTERVAL: {"$ref": "#/components/schemas/Interval"},
}
_INTERVAL: Final = {
    "type": "object",
    "required": ["start", "end"],
    "description": "Half-open: the end is exclusive.",
    "properties": {
        "start": {"type": "integer"},
        "end": {"type": "integer"},
        "unit": {"enum": list(UNITS), "default": "codepoint"},
        "in": {"enum": list(WITHIN), "default": "document"},
    },
}
_PROBLEM: Final = {
    "type": "object",
    "description": "RFC 9457; `type` is the address of a page that explains it.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "format": "uri-reference"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "pointer": {"type": "string", "format": "json-pointer"},
    },
}
REQUEST_BODY: Final[dict[str, Any]] = {
    "required": True,
    "description": "At most 16 MiB, 64 MiB unpacked (Content-Encoding: gzip), 8 MiB a record.",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["records"],
                "properties": {
                    "records": {
                        "type": "array",
                        "items": {"$ref": "#/components/schemas/Record"},
                    }
                },
            }
        },
        "application/x-ndjson": {"schema": {"$ref": "#/components/schemas/Record"}},
    },
}


def component_schemas() -> dict[str, Any]:
    """Schemas of the records, one a kind, and of what they share."""
    names = {kind: _name(kind) for kind in SHAPES}
    references = {kind: f"#/components/schemas/{name}" for kind, name in names.items()}
    return {
        "Problem": _PROBLEM,
        "Interval": _INTERVAL,
        "Record": {
            "oneOf": [{"$ref": reference} for reference in references.values()],
            "discriminator": {"propertyName": "kind", "mapping": references},
        },
        **{names[kind]: _record(kind, shape) for kind, shape in SHAPES.items()},
    }


def _name(kind: str) -> str:
    return "".join(word.capitalize() for word in kind.split("_")) + "Record"


def _record(kind: str, shape: Shape) -> dict[str, Any]:
    common = {name: _field(field) for name, field in COMMON.items()}
    common |= {"kind": {"const": kind}, "key": _KEY}
    schema = _shape(shape)
    schema["properties"] = common | schema["properties"]
    # A component's key defaults to kind:name@version#config_digest.
    needed = ["kind"] if kind == "component" else ["kind", "key"]
    schema["required"] = [*needed, *schema.get("required", [])]
    return schema


def _shape(shape: Shape) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: _field(field) for name, field in shape.fields.items()},
    }
    required = [name for name, field in shape.fields.items() if field.required]
    if required:
        schema["required"] = required
    rules: list[dict[str, Any]] = [
        {"anyOf": [{"required": [name]} for name in names]} for names in shape.any_of
    ]
    rules += [{"not": {"required": list(names)}} for names in shape.at_most_one]
    if rules:
        schema["allOf"] = rules
    return schema


def _field(field: Field) -> dict[str, Any]:
    match field.holds:
        case Holds.CHOICE:
            return {"enum": list(field.choices)}
        case Holds.REF:
            return _ref(field)
        case Holds.REFS:
            return {"type": "array", "items": _ref(field)}
        case Holds.REF_OR_REFS:
            return {"oneOf": [_ref(field), {"type": "array", "items": _ref(field)}]}
        case Holds.GROUP if field.members:
            return _shape(field.members)
        case Holds.GROUPS if field.members:
            return {"type": "array", "items": _shape(field.members)}
        case _:
            return dict(_SIMPLE[field.holds])


def _ref(field: Field) -> dict[str, Any]:
    """A key, or {key, namespace?, digest?, kind?}, or {uid}."""
    by_key: dict[str, Any] = {
        "type": "object",
        "required": ["key"],
        "properties": {
            "key": _KEY,
            "namespace": {"type": ["string", "null"]},
            "digest": _SIMPLE[Holds.DIGEST],
            "kind": {"enum": list(field.kinds)},
        },
    }
    by_uid = {
        "type": "object",
        "required": ["uid"],
        "properties": {"uid": {"type": "string"}},
    }
    if len(field.kinds) > 1:
        by_key["required"] = ["key", "kind"]
        return {"oneOf": [by_key, by_uid]}
    return {"oneOf": [_KEY, by_key, by_uid]}
