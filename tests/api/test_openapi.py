"""The OpenAPI document: current, and true to what is answered."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from lineage.formats.shape import SHAPES
from tests.api.caller import Caller

pytestmark = pytest.mark.engine_free

COMMITTED = Path(settings.BASE_DIR) / "docs" / "openapi.json"


def test_the_committed_document_is_current() -> None:
    call_command("export_openapi", check=True)


def test_a_stale_document_is_told(tmp_path: Path, settings: Any) -> None:
    settings.BASE_DIR = tmp_path
    with pytest.raises(CommandError):
        call_command("export_openapi", check=True)
    (tmp_path / "docs").mkdir()
    call_command("export_openapi")
    call_command("export_openapi", check=True)
    assert (tmp_path / "docs" / "openapi.json").read_text("utf-8") == COMMITTED.read_text("utf-8")
    (tmp_path / "docs" / "openapi.json").write_text("{}")
    with pytest.raises(CommandError):
        call_command("export_openapi", check=True)


def test_it_is_served_to_anybody() -> None:
    reply = Caller().get("/openapi.json")
    assert reply.status == 200
    assert reply.body == json.loads(COMMITTED.read_text("utf-8"))


def test_every_reference_in_it_leads_somewhere() -> None:
    document = json.loads(COMMITTED.read_text("utf-8"))
    schemas = document["components"]["schemas"]
    names = {reference.removeprefix("#/components/schemas/") for reference in references(document)}
    assert names <= set(schemas)
    assert len(schemas["Record"]["oneOf"]) == len(SHAPES)


def test_no_answer_leaves_a_member_out() -> None:
    """A schema of an answer requires all of its members: none has a default."""
    document = json.loads(COMMITTED.read_text("utf-8"))
    answered = set()
    pending = [
        reference
        for path in document["paths"].values()
        for operation in path.values()
        for status, response in operation["responses"].items()
        if status.startswith("2")
        for reference in references(response)
    ]
    while pending:
        name = pending.pop().removeprefix("#/components/schemas/")
        if name not in answered:
            answered.add(name)
            schema = document["components"]["schemas"][name]
            pending += references(schema)
            if "properties" in schema:
                assert set(schema["required"]) == set(schema["properties"]), name


# Operations that are told of nodes by their parameters or their body.
NAMING_OTHERWISE = {
    ("get", "/compare"),
    ("get", "/impact"),
    ("get", "/impact.csv"),
    ("get", "/impact.jsonl"),
    ("get", "/impact.prov"),
    ("post", "/incidents"),
    ("post", "/webhooks"),
}


def test_every_operation_declares_its_problems() -> None:
    document = json.loads(COMMITTED.read_text("utf-8"))
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            refusals = {s: r for s, r in operation["responses"].items() if s >= "4"}
            assert {"401", "403"} <= set(refusals), (method, path)
            assert all("application/problem+json" in r["content"] for r in refusals.values())
            named = "{uid}" in path or (method, path.removeprefix("/api/v1")) in NAMING_OTHERWISE
            assert ("404" in refusals) is named, (method, path)


def references(part: Any) -> list[str]:
    if isinstance(part, list):
        return [found for item in part for found in references(item)]
    if not isinstance(part, dict):
        return []
    own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
    return own + [found for item in part.values() for found in references(item)]
