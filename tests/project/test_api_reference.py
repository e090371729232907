"""The API as a page: every operation and schema of the document, in words that say what it is."""

import re
from typing import Any

import pytest
from django.test import Client

from provexplorer.api import api
from provexplorer.api_reference import read_document, shape_of


@pytest.mark.engine_free
@pytest.mark.parametrize(
    ("schema", "words", "named"),
    [
        ({}, "anything", ()),
        ({"type": "string"}, "string", ()),
        ({"type": "string", "format": "date-time"}, "date-time", ()),
        ({"enum": ["apa", "ieee"], "type": "string"}, '"apa" or "ieee"', ()),
        ({"const": "accepted"}, '"accepted"', ()),
        ({"type": ["integer", "null"]}, "integer or null", ()),
        (
            {"type": "array", "items": {"$ref": "#/components/schemas/Record"}},
            "array of Record",
            ("Record",),
        ),
        (
            {"anyOf": [{"$ref": "#/components/schemas/Case"}, {"type": "null"}]},
            "Case or null",
            ("Case",),
        ),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "object of integer", ()),
        (
            {"type": "object", "properties": {"records": {"type": "array", "items": {}}}},
            "object with records: array of anything",
            (),
        ),
    ],
)
def test_shape_is_told_in_words(schema: dict[str, Any], words: str, named: tuple[str, ...]) -> None:
    shape = shape_of(schema)
    assert (shape.words, shape.schemas) == (words, named)


@pytest.mark.engine_free
def test_operation_tells_parameters_answers_problems_and_scope() -> None:
    document = {
        "paths": {
            "/api/v1/things/{uid}": {
                "get": {
                    "operationId": "get_thing", "tags": ["things"], "summary": "A thing",
                    "description": "`uid` is <opaque>.",
                    "parameters": [
                        {"name": "uid", "in": "path", "required": True, "schema": {"type": "string"}}
                    ],
                    "responses": {
                        "404": {"content": {"application/problem+json": {"schema": {}}}},
                        "200": {
                            "description": "OK",
                            "content": {"application/json": {"schema": {"type": "object"}}},
                        },
                    },
                }
            }
        },
        "components": {"schemas": {}},
    }  # fmt: skip
    ((name, (operation,)),) = read_document(document, {"get_thing": "read"}).groups
    assert (name, operation.method, operation.path, operation.scope) == (
        "things", "GET", "/api/v1/things/{uid}", "read",
    )  # fmt: skip
    assert [str(each) for each in operation.text] == ["<code>uid</code> is &lt;opaque&gt;."]
    assert [(each.name, each.place, each.required) for each in operation.members] == [
        ("uid", "path", True)
    ]
    assert [(each.status, each.phrase, each.text) for each in operation.replies] == [
        (200, "OK", "")
    ]
    assert operation.problems == (404,)


@pytest.mark.one_pair
@pytest.mark.django_db
def test_page_has_every_operation_and_every_link_in_it_leads_somewhere() -> None:
    text = Client().get("/api/docs").content.decode()
    document = api.get_openapi_schema()
    listed = re.findall(r'class="method">([A-Z]+)</span> <code>([^<]+)</code>', text)
    assert sorted(listed) == sorted(
        (method.upper(), path) for path, item in document["paths"].items() for method in item
    )
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) - {"main"} <= set(ids)
    operations = [each for item in document["paths"].values() for each in item.values()]
    assert text.count('small">scope <code>') == sum("security" in each for each in operations)
