"""Values of one shape are sound or faulty together, by the validator itself."""

from collections import defaultdict
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from lineage.formats.schema_shapes import Shapes

pytestmark = pytest.mark.engine_free

SCHEMAS: Final[list[Any]] = [
    {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}},
    {"required": ["a"], "not": {"required": ["b"]}},
    {"properties": {"a": {"enum": ["x", "y"]}, "b": {"const": True}}},
    {"properties": {"a": {"enum": [1, None, "x"]}, "b": {"const": {"a": 1.5}}}},
    {"properties": {"a": {"type": "string", "minLength": 1}}},
    {"properties": {"a": {"minLength": 2}, "b": {"maxLength": 1}}},
    {"properties": {"a": {"pattern": "^x"}}},
    {"properties": {"a": {"minimum": 1}, "b": {"type": ["number", "null"]}}},
    {"additionalProperties": {"type": "array", "items": {"type": "string", "minLength": 1}}},
    {"properties": {"a": {"type": "array", "minItems": 2}, "b": {"uniqueItems": True}}},
    {"properties": {"a": {"prefixItems": [{"type": "string"}, {"type": "null"}]}}},
    {"dependentRequired": {"a": ["b"]}, "anyOf": [{"required": ["b"]}, {"type": "array"}]},
]
leaves: Final = st.sampled_from(["", "x", "y", "xx", "s", 0, 1, 2, 1.0, 1.5, True, False, None])
values: Final = st.dictionaries(
    st.sampled_from(["a", "b", "c"]),
    st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
        ),
        max_leaves=4,
    ),
)


@pytest.mark.parametrize("schema", SCHEMAS, ids=range(len(SCHEMAS)))
@given(several=st.lists(values, min_size=10, max_size=40))
def test_one_shape_is_sound_or_faulty_as_a_whole(schema: Any, several: list[Any]) -> None:
    shapes, validator = Shapes(schema), Draft202012Validator(schema)
    judged: dict[bytes, set[bool]] = defaultdict(set)
    for value in several:
        judged[shapes.digest(value)].add(validator.is_valid(value))
    assert all(len(found) == 1 for found in judged.values())


@pytest.mark.parametrize(
    ("schema", "one", "other"),
    [
        (SCHEMAS[0], {"a": "table", "b": 1_000}, {"b": 7.0, "a": "view"}),
        (SCHEMAS[2], {"a": "x", "c": "some"}, {"a": "x", "c": "other"}),
        (SCHEMAS[4], {"c": ["one", "two", "three"]}, {"c": ["four"]}),
        (SCHEMAS[4], {"a": {"p": "q"}}, {"a": {"p": "r"}}),
    ],
)
def test_what_the_schema_does_not_ask_makes_no_difference(
    schema: Any, one: Any, other: Any
) -> None:
    assert Shapes(schema).digest(one) == Shapes(schema).digest(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": "1"}, {"a": 1}),
        ({"a": []}, {"a": {}}),
        ({"a": True}, {"a": 1}),
        ({"a": None}, {}),
        ({"a": 1.5}, {"a": 1}),
        ({"a": ""}, {"a": "x"}),
        ({"a,'b": 1}, {"a": 1, "b": 1}),
        ({"a": {"b": "s"}}, {"a": {"b": ["s"]}}),
    ],
)
def test_types_and_names_always_count(one: Any, other: Any) -> None:
    assert Shapes({}).digest(one) != Shapes({}).digest(other)


def test_lone_surrogates_have_a_shape_as_well() -> None:
    assert Shapes({}).digest({"\ud800": "\udfff"}) == Shapes({}).digest({"\ud800": "x"})
