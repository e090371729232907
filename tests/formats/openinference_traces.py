"""Small OTLP/JSON traces for the tests, written as the exporters write them."""

from typing import Any

TRACE_ID = "5b8efff798038103d269b633813fc60c"
SECOND = 1_000_000_000
START = 1_772_359_200 * SECOND  # 2026-03-01T10:00:00Z


def span_id(number: int) -> str:
    return f"{number:016x}"


def value(plain: Any) -> dict[str, Any]:
    """An AnyValue."""
    match plain:
        case bool():
            return {"boolValue": plain}
        case int():
            return {"intValue": str(plain)}
        case float():
            return {"doubleValue": plain}
        case list():
            return {"arrayValue": {"values": [value(item) for item in plain]}}
        case dict():
            return {"kvlistValue": {"values": pairs(plain)}}
        case _:
            return {"stringValue": plain}


def pairs(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value(plain)} for key, plain in attributes.items()]


def span(
    number: int,
    kind: str,
    *,
    parent: int | None = None,
    name: str = "step.run",
    at: float = 0,
    lasts: float = 0.5,
    **attributes: Any,
) -> dict[str, Any]:
    """A span that starts `at` seconds after 10:00; "__" in an attribute's name stands for a dot."""
    start = START + int(at * SECOND)
    told = {key.replace("__", "."): plain for key, plain in attributes.items()}
    return {
        "traceId": TRACE_ID,
        "spanId": span_id(number),
        **({"parentSpanId": span_id(parent)} if parent is not None else {}),
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + int(lasts * SECOND)),
        "attributes": pairs({"openinference.span.kind": kind} | told),
        "status": {"code": 1},
    }


def documents(prefix: str, *rows: dict[str, Any]) -> dict[str, Any]:
    """Flattened documents: each row's fields under prefix.INDEX.document."""
    return {
        f"{prefix}.{index}.document.{name}": plain
        for index, row in enumerate(rows)
        for name, plain in row.items()
    }


def request(*spans: Any, **resource: Any) -> dict[str, Any]:
    """An ExportTraceServiceRequest of one service."""
    told = {"service.name": "shop", "service.version": "3.2"} | resource
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": pairs(told)},
                "scopeSpans": [{"scope": {"name": "inst", "version": "0.1"}, "spans": list(spans)}],
            }
        ]
    }


def of_kind(records: list[Any], kind: str) -> list[Any]:
    return [record for record in records if record["kind"] == kind]


def only(records: list[Any], kind: str) -> Any:
    (found,) = of_kind(records, kind)
    return found
