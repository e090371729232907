"""The body of a request to JSON values, within bounds: 16 MiB sent, 64 MiB unpacked.

What cannot be used as a whole raises BodyRefused; a line of NDJSON that cannot be read
is an `Unreadable` among the others.
"""

import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lineage.formats.charsets import is_utf_8
from lineage.formats.refusals import BodyRefused, record_problem
from lineage.types import JsonValue, Problem

SENT_BYTES: Final = 16 << 20
UNPACKED_BYTES: Final = 64 << 20
RECORD_BYTES: Final = 8 << 20
RECORDS: Final = 50_000
# Python refuses to turn more than 4,300 digits into a number; no client means such a number.
_DIGITS: Final = 1_000
_MEMBERS: Final = 64
# What gzip makes of a byte at most (deflate's own bound), and how much is unpacked at a time.
_MOST_PACKED: Final = 1_032
_PIECE: Final = 1 << 20

_JSON_TYPES: Final = frozenset({"", "application/json", "text/json"})
_LINES_TYPES: Final = frozenset(
    {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"}
)


class Repeated(dict[str, JsonValue]):
    """A JSON object in which a name stood twice; the last value is kept."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that is no record, and why."""

    problem: Problem


def read_body(
    body: bytes, content_type: str, content_encoding: str
) -> Iterator[JsonValue | Unreadable]:
    """Each record of the body as parsed JSON; raises BodyRefused before the first."""
    require_json(content_type)
    return read_unpacked(unpack(body, content_encoding), content_type)


def read_unpacked(data: bytes, content_type: str) -> Iterator[JsonValue | Unreadable]:
    """Each record of a body that is unpacked already; raises BodyRefused before the first."""
    if require_json(content_type) in _LINES_TYPES:
        return _lines(data)
    return iter(_records(data))


def require_json(content_type: str) -> str:
    """The media type of JSON or of lines of JSON; raises BodyRefused for any other."""
    media_type, _, parameters = content_type.partition(";")
    media_type = media_type.strip().lower()
    if media_type not in _JSON_TYPES | _LINES_TYPES:
        raise BodyRefused(
            "media-type-unsupported",
            "Send application/json or application/x-ndjson.",
        )
    if not is_utf_8(parameters):
        raise BodyRefused("media-type-unsupported", "JSON is sent as UTF-8.")
    return media_type


def unpack(body: bytes, content_encoding: str) -> bytes:
    """The body without its gzip encoding, never more than 64 MiB of it."""
    if len(body) > SENT_BYTES:
        raise BodyRefused("body-too-large", "At most 16 MiB can be sent at once.")
    encoding = content_encoding.strip().lower()
    if encoding in ("", "identity"):
        return body
    if encoding not in ("gzip", "x-gzip"):
        raise BodyRefused("media-type-unsupported", "Of the content encodings only gzip is known.")
    if len(body) * _MOST_PACKED > UNPACKED_BYTES:
        for _ in _inflated(body):  # counted before any of it is kept
            pass
    whole = io.BytesIO()  # gives away what it holds without copying it
    for piece in _inflated(body):
        whole.write(piece)
    return whole.getvalue()


def _inflated(body: bytes) -> Iterator[bytes]:
    """What gzip holds, in small pieces; raises BodyRefused where that is too much or no gzip."""
    room, rest, members = UNPACKED_BYTES, body, 0
    try:
        while rest:  # gzip files may follow one another (RFC 1952); thousands of empty ones not
            if members == _MEMBERS:
                raise BodyRefused("body-unreadable", "The body has too many gzip members.")
            members += 1
            stream = zlib.decompressobj(wbits=31)
            while not stream.eof:
                piece = stream.decompress(rest, _PIECE)
                rest = stream.unconsumed_tail
                room -= len(piece)
                if room < 0:
                    raise BodyRefused("body-too-large", "At most 64 MiB after unpacking.")
                if not piece and not rest and not stream.eof:
                    raise BodyRefused("body-unreadable", "The gzip stream ends too early.")
                yield piece
            rest = stream.unused_data
    except zlib.error as error:
        raise BodyRefused("body-unreadable", "The body is not gzip, as its header says.") from error


def _records(data: bytes) -> list[JsonValue]:
    envelope = as_json(data)
    if not isinstance(envelope, dict) or "records" not in envelope:
        raise BodyRefused("body-unreadable", 'The body is to be {"records": […]}.')
    if isinstance(envelope, Repeated):
        raise BodyRefused("body-unreadable", "The body has the same name twice.")
    records = envelope["records"]
    if not isinstance(records, list):
        raise BodyRefused("body-unreadable", "This is to be a list of records.", "/records")
    if len(records) > RECORDS:
        raise BodyRefused("body-too-large", f"At most {RECORDS:,} records at once.", "/records")
    return records


def as_json(data: bytes) -> JsonValue:
    """A body that is one JSON document; raises BodyRefused. Names that stand twice: `Repeated`."""
    try:
        return _parse(data)
    except RecursionError as error:
        raise BodyRefused("body-unreadable", "The JSON is nested too deeply to be read.") from error
    except ValueError as error:
        raise BodyRefused("body-unreadable", f"Not JSON: {_reason(error)}.") from error


def _lines(data: bytes) -> Iterator[JsonValue | Unreadable]:
    lines = [line for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()]
    if len(lines) > RECORDS:
        raise BodyRefused("body-too-large", f"At most {RECORDS:,} records at once.")
    return map(read_line, lines)


def read_line(line: bytes) -> JsonValue | Unreadable:
    """One record of NDJSON, or why it is none."""
    if len(line) > RECORD_BYTES:
        return Unreadable(record_problem("record-too-large", "A record has at most 8 MiB."))
    try:
        return _parse(line)
    except RecursionError:
        return Unreadable(record_problem("too-deep", "The record is nested too deeply."))
    except ValueError as error:
        return Unreadable(record_problem("record-unreadable", f"Not JSON: {_reason(error)}."))


def _parse(data: bytes) -> JsonValue:
    """JSON with NaN and Infinity read as floats; ValueError (also for bytes that are no UTF-8)."""
    return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_object, parse_int=integer_of)


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    repeated, seen = Repeated(plain), set[str]()
    for name, _ in pairs:
        if name in seen:
            repeated.name = name
            break
        seen.add(name)
    return repeated


def integer_of(digits: str) -> int | float:
    """The integer of a JSON document; infinite where it has more digits than Python reads."""
    return int(digits) if len(digits) <= _DIGITS else float("inf")


def _reason(error: ValueError) -> str:
    """Where reading stopped, without what stood there."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8"
    return "unreadable"
