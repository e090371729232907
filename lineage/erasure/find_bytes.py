"""Searches the bytes of files for words: what is left of a text, whatever holds it.

In UTF-8, in UTF-16 as JVM stores may have it, in JSON's escapes, and in base64 at each of its
three alignments; in gzip and zip members as well. What is encrypted or otherwise packed is
not looked into: there, words that are found nowhere prove nothing.
"""

import base64
import gzip
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# Bytes read at once; a word is found across two readings, too.
_AT_ONCE: Final = 4 << 20
# The shortest word for whose base64 there is a stretch that depends on it alone.
_SHORTEST: Final = 4


@dataclass(frozen=True, slots=True)
class Place:
    """Where a word stands: `word` by its number, `encoding` in which it was found."""

    path: Path
    word: int
    encoding: str


@dataclass(frozen=True, slots=True)
class Found:
    """What was looked at, and where any word stood."""

    files: int
    size: int
    places: tuple[Place, ...]


def find_bytes(words: Sequence[str], paths: Iterable[Path]) -> Found:
    """Search these files, and all files below these folders. Links are not followed.

    A file that vanishes meanwhile counts as not there. Raises OSError for a path that is
    neither, ValueError for words of less than four characters.
    """
    if any(len(word) < _SHORTEST for word in words):
        message = "words of at least four characters"
        raise ValueError(message)
    wanted = [
        (number, encoding, data)
        for number, word in enumerate(words)
        for encoding, data in _written(word)
    ]
    files = size = 0
    places: list[Place] = []
    for path in _files(paths):
        try:
            found, read = _search(path, wanted)
        except FileNotFoundError:
            continue
        files, size = files + 1, size + read
        places += [Place(path, number, encoding) for number, encoding in sorted(found)]
    return Found(files, size, tuple(places))


def _written(word: str) -> Iterator[tuple[str, bytes]]:
    data = word.encode("utf-8", "surrogatepass")
    yield "utf-8", data
    yield "utf-16-le", word.encode("utf-16-le", "surrogatepass")
    yield "utf-16-be", word.encode("utf-16-be", "surrogatepass")
    escaped = json.dumps(word)[1:-1].encode("ascii")
    if escaped != data:
        yield "json", escaped
    for shift in range(3):
        # The characters at either end depend on what stands before and after.
        encoded = base64.b64encode(bytes(shift) + data)
        first = -(-shift * 4 // 3)
        yield "base64", encoded[first : (shift + len(data)) // 3 * 4]


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(
                one for one in path.rglob("*") if one.is_file() and not one.is_symlink()
            )
        else:
            path.stat()
            yield path


def _search(
    path: Path, wanted: Sequence[tuple[int, str, bytes]]
) -> tuple[set[tuple[int, str]], int]:
    found: set[tuple[int, str]] = set()
    read = 0
    for part in _parts(path):
        longest = max(len(data) for _, _, data in wanted)
        tail = b""
        for chunk in part:
            read += len(chunk)
            window = tail + chunk
            found |= {(number, name) for number, name, data in wanted if data in window}
            tail = window[-longest:]
    return found, read


def _parts(path: Path) -> Iterator[Iterator[bytes]]:
    """The file's bytes, and those of what is packed in it."""
    with path.open("rb") as file:
        head = file.read(4)
        file.seek(0)
        yield iter(lambda: file.read(_AT_ONCE), b"")
    if head[:2] == b"\x1f\x8b":
        yield _unpacked(path)
    elif head == b"PK\x03\x04" and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                with archive.open(name) as member:
                    yield iter(lambda: member.read(_AT_ONCE), b"")


def _unpacked(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path, "rb") as file:
            while chunk := file.read(_AT_ONCE):
                yield chunk
    except (OSError, EOFError, zlib.error):
        return  # begins like gzip and is none, or was being written
