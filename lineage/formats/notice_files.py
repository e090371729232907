"""Files of notices, whatever their format: told by their first bytes, read as they stream.

Memory does not grow with the file: a table is read row by row, JSON Lines line by line. A JSON
document that is one value is read as a whole, up to a bound.
"""

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, Literal, Protocol, cast

from lineage.formats import crossref_notices, open_retractions, retraction_watch
from lineage.formats.crossref import NotWorks, works_of
from lineage.formats.notices import RECORD_UNREADABLE, NoticeRecord, NotKept, NotNotices
from lineage.types import JsonValue

Format = Literal["retraction-watch", "crossref", "open-retractions"]
FORMATS: Final[tuple[Format, ...]] = ("retraction-watch", "crossref", "open-retractions")

# Of a file as it is, and of what it unpacks to.
MOST_BYTES: Final = 256 * 2**20
MOST_UNPACKED: Final = 1024 * 2**20
_LINE: Final = 8 * 2**20
_DOCUMENT: Final = 64 * 2**20
_BUFFER: Final = 2**18
_GZIP: Final = b"\x1f\x8b"
_BOM: Final = b"\xef\xbb\xbf"


class Readable(Protocol):
    """What gives bytes as they are asked for, fewer at a time if need be."""

    def read(self, size: int = -1, /) -> bytes: ...


class TooLarge(NotNotices):
    """The file, or what it unpacks to, is larger than is read."""


def read(file: Readable) -> tuple[Format, Iterator[NoticeRecord | NotKept]]:
    """The format of the file and its records, read as they are asked for.

    Raises NotNotices for what is none of these formats, at once or, where it ends in something
    else, on the way.
    """
    stream = _unpacked(file)
    start = stream.peek(4_096)[:4_096].removeprefix(_BOM).lstrip()
    if start[:1] not in (b"{", b"["):
        line = start.split(b"\n", 1)[0].decode("utf-8", "replace")
        if not retraction_watch.is_header(line):
            looked_for = (
                "neither the table of Retraction Watch nor JSON of Crossref or open-retractions"
            )
            raise NotNotices(looked_for)
        return "retraction-watch", retraction_watch.read(stream)
    values = json_values(stream)
    first = next(values, None)
    if first is None:
        message = "the file holds no record"
        raise NotNotices(message)
    kept = open_retractions.is_record(first)
    format_: Format = "open-retractions" if kept else "crossref"
    return format_, _records(format_, first, values)


def _records(
    format_: Format, first: JsonValue, values: Iterator[JsonValue]
) -> Iterator[NoticeRecord | NotKept]:
    number = 0
    for value in _all(first, values):
        number += 1
        if value is UNREADABLE:
            yield NotKept(number, RECORD_UNREADABLE)
        elif format_ == "open-retractions":
            yield from open_retractions.read(number, value)
        else:
            try:
                works = works_of(value)
            except NotWorks:
                works = [value]
            for place, work in enumerate(works):
                yield from crossref_notices.read(number + place, work)
            number += max(0, len(works) - 1)


def _all(first: JsonValue, rest: Iterator[JsonValue]) -> Iterator[JsonValue]:
    yield first
    yield from rest


UNREADABLE: Final = object()


def json_values(stream: "io.BufferedReader[Any]") -> Iterator[JsonValue]:
    """The values of JSON Lines, or of one document: the items of a list, else the value itself."""
    line = stream.readline(_LINE + 1)
    first = _parsed(line.removeprefix(_BOM))
    # One line may also be the whole of a list.
    if first is UNREADABLE or isinstance(first, list):
        rest = stream.read(_DOCUMENT - len(line) + 1)
        if len(line) + len(rest) > _DOCUMENT:
            message = "a JSON document of more than 64 MiB; send one record a line instead"
            raise TooLarge(message)
        whole = _parsed((line + rest).removeprefix(_BOM))
        if whole is UNREADABLE:
            message = "neither one JSON document nor one JSON value a line"
            raise NotNotices(message)
        yield from whole if isinstance(whole, list) else [whole]
        return
    yield first
    while line := stream.readline(_LINE + 1):
        if len(line) > _LINE:
            while line and not line.endswith(b"\n"):
                line = stream.readline(_LINE)
            yield UNREADABLE
        elif line.strip():
            yield _parsed(line)


def _parsed(data: bytes) -> JsonValue:
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return UNREADABLE


class _Bounded(io.RawIOBase):
    """A stream that ends with TooLarge where it gives more than it may, and tells what cannot be unpacked."""

    def __init__(self, file: Readable, most: int) -> None:
        super().__init__()
        self._file, self._left = file, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Filled as far as the file goes: a pipe gives little at a time."""
        data = bytearray()
        try:
            while len(data) < len(buffer) and (more := self._file.read(len(buffer) - len(data))):
                data += more
        except (OSError, EOFError, zlib.error) as error:
            message = "the file cannot be unpacked: it is damaged, or cut off"
            raise NotNotices(message) from error
        self._left -= len(data)
        if self._left < 0:
            message = "larger than 256 MiB, or unpacked larger than 1 GiB"
            raise TooLarge(message)
        buffer[: len(data)] = data
        return len(data)


def _unpacked(file: Readable) -> "io.BufferedReader[Any]":
    stream: io.BufferedReader[Any] = io.BufferedReader(_Bounded(file, MOST_BYTES), _BUFFER)
    if stream.peek(2)[:2] != _GZIP:
        return stream
    packed = gzip.GzipFile(fileobj=cast("BinaryIO", stream))
    return io.BufferedReader(_Bounded(packed, MOST_UNPACKED), _BUFFER)
