"""The body of a request: what is unusable as a whole, and what loses one record only."""

import gzip
import json
import zlib

import pytest

from lineage.formats.records import parse_request
from lineage.formats.refusals import BodyRefused
from lineage.types import NativeRecord, Refused

pytestmark = pytest.mark.engine_free

JSON = "application/json"
LINES = "application/x-ndjson"
AGENT = {"kind": "agent", "key": "a", "name": "A"}


def refused(body: bytes, content_type: str = JSON, encoding: str = "") -> tuple[str, int]:
    with pytest.raises(BodyRefused) as caught:
        parse_request(body, content_type, encoding)
    return caught.value.problem.slug, caught.value.problem.status


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b'{"records": [',
        b"[]",
        b"{}",
        b'"records"',
        b'{"records": {}}',
        b'{"records": null}',
        b'{"records": [], "records": []}',
        b"\xff\xfe\x00",
        b'{"records": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}",
    ],
    ids=lambda body: body[:20].decode("latin-1"),
)
def test_a_body_that_is_no_list_of_records_is_400(body: bytes) -> None:
    assert refused(body) == ("body-unreadable", 400)


def test_an_unreadable_body_says_where_reading_stopped_but_not_what_stood_there() -> None:
    with pytest.raises(BodyRefused) as caught:
        parse_request(b'{"records": [\n{"kind": secret}]}', JSON, "")
    assert caught.value.problem.detail == "Not JSON: Expecting value at line 2, column 10."


@pytest.mark.parametrize(
    "charset",
    ["utf-8", "UTF-8", "utf8", "UTF8", '"utf8"', '"UTF-8"', "utf_8", "u8", "cp65001"],
)
@pytest.mark.parametrize("before", ["; charset=", ";Charset=", '; profile="a;b=c"; charset='])
def test_utf_8_has_many_names(before: str, charset: str) -> None:
    assert len(parse_request(b'{"records": [{}]}', JSON + before + charset, "")) == 1


@pytest.mark.parametrize(
    "content_type",
    [
        "application/xml",
        "text/html",
        "multipart/form-data",
        "application/json; charset=latin-1",
        "application/json; charset=utf-16",
        "application/json; charset=no-such",
        'application/json; charset="\0"',
        "application/json; charset=",
    ],
)
def test_another_media_type_is_415(content_type: str) -> None:
    assert refused(b'{"records": []}', content_type) == ("media-type-unsupported", 415)


def test_another_content_encoding_is_415() -> None:
    assert refused(b"x", JSON, "br") == ("media-type-unsupported", 415)


def test_more_than_16_mib_on_the_wire_is_413() -> None:
    assert refused(b" " * ((16 << 20) + 1)) == ("body-too-large", 413)


def test_gzip_that_unpacks_to_more_than_64_mib_is_413() -> None:
    assert refused(gzip.compress(b" " * (80 << 20), 1), JSON, "gzip") == ("body-too-large", 413)


def test_many_gzip_members_are_bounded_together() -> None:
    piece = gzip.compress(b" " * (20 << 20), 1)
    assert refused(piece * 4, JSON, "gzip") == ("body-too-large", 413)
    assert refused(gzip.compress(b"") * 65, JSON, "gzip") == ("body-unreadable", 400)


@pytest.mark.parametrize(
    "body",
    [
        b'{"records": []}',
        gzip.compress(b'{"records": []}')[:-4],
        gzip.compress(b'{"records": []}') + b"trailing",
        zlib.compress(b'{"records": []}'),
        b"",
    ],
    ids=["plain", "truncated", "trailing", "zlib", "empty"],
)
def test_what_is_not_the_gzip_it_says_is_400(body: bytes) -> None:
    assert refused(body, JSON, "gzip") == ("body-unreadable", 400)


def test_gzip_of_one_or_two_members_is_read() -> None:
    body = json.dumps({"records": [AGENT]}).encode()
    for packed in (gzip.compress(body), gzip.compress(body[:9]) + gzip.compress(body[9:])):
        (record,) = parse_request(packed, "application/json; charset=utf-8", "gzip")
        assert isinstance(record, NativeRecord)
        assert record.key == "a"


def test_more_than_fifty_thousand_records_at_once_are_413() -> None:
    assert refused(b'{"records": [' + b"0," * 50_000 + b"0]}") == ("body-too-large", 413)
    assert refused(b"0\n" * 50_001, LINES) == ("body-too-large", 413)


def test_no_records_are_no_error() -> None:
    assert parse_request(b'{"records": []}', JSON, "") == []
    assert parse_request(b"\n\n", LINES, "") == []


def test_a_line_that_cannot_be_read_loses_no_other() -> None:
    lines = [
        json.dumps(AGENT).encode(),
        b"{",
        b"\xff",
        b"[" * 100_000,
        b'{"kind": "agent", "key": "' + b"x" * (8 << 20) + b'"}',
        json.dumps(AGENT | {"key": "b"}).encode(),
    ]
    read = parse_request(b"\r\n".join([*lines, b""]), LINES, "")
    assert [(r.index, r.problem.slug if isinstance(r, Refused) else r.key) for r in read] == [
        (0, "a"),
        (1, "record-unreadable"),
        (2, "record-unreadable"),
        (3, "too-deep"),
        (4, "record-too-large"),
        (5, "b"),
    ]


def test_a_byte_order_mark_is_no_part_of_the_json() -> None:
    for content_type, body in ((JSON, {"records": [AGENT]}), (LINES, AGENT)):
        (record,) = parse_request(b"\xef\xbb\xbf" + json.dumps(body).encode(), content_type, "")
        assert isinstance(record, NativeRecord)


def test_nan_and_infinity_are_read_and_their_scores_kept_as_null() -> None:
    body = (
        b'{"records": [{"kind": "retrieval", "key": "r", "candidates": ['
        b'{"chunk": "a", "score": NaN}, {"chunk": "b", "score": -Infinity}, '
        b'{"chunk": "c", "score": 1e999}, {"chunk": "d", "score": null}, '
        b'{"chunk": "e", "score": 0.0}]}]}'
    )
    (record,) = parse_request(body, JSON, "")
    assert isinstance(record, NativeRecord)
    assert [c.get("score", "absent") for c in record.fields["candidates"]] == [
        None, None, None, "absent", 0.0,
    ]  # fmt: skip
    assert [(w.code, w.pointer) for w in record.warnings] == [
        ("score_not_finite", "/candidates/0/score"),
        ("score_not_finite", "/candidates/1/score"),
        ("score_not_finite", "/candidates/2/score"),
    ]


def test_a_score_of_more_than_64_bits_is_the_number_that_its_digits_say() -> None:
    """1e29 was taken, and with all its digits it cost the retrieval."""
    body = (
        '{"records": [{"kind": "retrieval", "key": "r", "candidates": ['
        f'{{"chunk": "a", "score": 1{"0" * 29}, "rerank_score": -1{"0" * 19}}},'
        f'{{"chunk": "b", "score": {"9" * 400}}}, {{"chunk": "c", "score": {"9" * 5_000}}},'
        f'{{"chunk": "d", "score": {2**63 - 1}}}, {{"chunk": "e", "score": {2**63}}}]}}]}}'
    )
    (record,) = parse_request(body.encode(), JSON, "")
    assert isinstance(record, NativeRecord)
    assert [c["score"] for c in record.fields["candidates"]] == [
        1e29, None, None, 9_223_372_036_854_775_807, 9_223_372_036_854_775_808.0,
    ]  # fmt: skip
    assert record.fields["candidates"][0]["rerank_score"] == -1e19
    for candidate in (record.fields["candidates"][0], record.fields["candidates"][4]):
        assert isinstance(candidate["score"], float)
    assert [(w.code, w.pointer) for w in record.warnings] == [
        ("score_not_finite", "/candidates/1/score"),
        ("score_not_finite", "/candidates/2/score"),
    ]


@pytest.mark.parametrize(
    ("value", "slug"),
    [
        ("9" * 19, "number-out-of-range"),
        ("9" * 5_000, "number-out-of-range"),
        ("-" + "9" * 400, "number-out-of-range"),
        ("NaN", "wrong-type"),
        ("1.5", "wrong-type"),
        ('"1"', "wrong-type"),
        ("true", "wrong-type"),
    ],
    ids=lambda value: value[:8],
)
def test_what_is_no_integer_of_64_bits_refuses_one_record(value: str, slug: str) -> None:
    body = (
        f'{{"records": [{{"kind": "retrieval", "key": "r", "candidates": [], "top_k": {value}}}]}}'
    )
    (record,) = parse_request(body.encode(), JSON, "")
    assert isinstance(record, Refused)
    assert (record.problem.slug, record.problem.pointer) == (slug, "/top_k")


def test_a_number_of_thousands_of_digits_in_attributes_becomes_null() -> None:
    body = '{"kind": "agent", "key": "a", "name": "A", "attributes": {"n": %s, "m": 12}}' % (
        "9" * 5_000
    )
    (record,) = parse_request(body.encode(), LINES, "")
    assert isinstance(record, NativeRecord)
    assert record.attributes == {"n": None, "m": 12}
    assert [(w.code, w.pointer) for w in record.warnings] == [
        ("number_not_finite", "/attributes/n")
    ]


@pytest.mark.parametrize(
    "record",
    [
        '{"kind": "agent", "key": "a", "key": "b", "name": "A"}',
        '{"kind": "agent", "key": "b", "name": "A", "attributes": {"x": [{"y": 1, "y": 2}]}}',
    ],
)
def test_a_name_that_stands_twice_refuses_one_record(record: str) -> None:
    read = parse_request(f"{record}\n{json.dumps(AGENT)}".encode(), LINES, "")
    assert isinstance(read[0], Refused)
    assert read[0].problem.slug == "name-repeated"
    assert isinstance(read[1], NativeRecord)
