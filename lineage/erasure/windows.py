"""What an erased text can be recognised by while it is cleared elsewhere, without the text itself.

Its windows of 40 code points as hashes under a key that lives only as long as the erasure
runs. A text that repeats 40 code points or more is found, whatever stands around them, and
however it breaks its lines, writes its quotation marks or its capitals. Of very long texts not
every window is kept: then a little more is masked at either end.
"""

import hashlib
import re
from array import array
from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from lineage.content.normalise import normalised

# From this many equal code points on (of the normalised text), a text repeats its source.
LEAST: Final = 40
# Windows that are kept of all texts together: about 40 MB in memory.
MOST_WINDOWS: Final = 500_000
# A shorter name is a word like any other; of more names than this those of the first nodes count.
LEAST_NAME: Final = 8
MOST_NAMES: Final = 2_000
KEY_BYTES: Final = 32
HASH_BYTES: Final = 8

Span = tuple[int, int]


class Windows:
    """Hashes of the windows of some texts."""

    def __init__(self, key: bytes, stride: int, hashes: Iterable[int]) -> None:
        self._key, self._stride, self._hashes = key, stride, frozenset(hashes)

    @classmethod
    def of(cls, texts: Sequence[str], key: bytes, *, most: int = MOST_WINDOWS) -> "Windows":
        """The windows of these texts; every `stride`-th where there would be more than `most`."""
        read = [lowered(normalised(text).text) for text in texts]
        total = sum(max(0, len(text) - LEAST + 1) for text in read)
        stride = max(1, -(-total // most))
        hashes = {
            hashed(key, text[at : at + LEAST])
            for text in read
            for at in range(0, len(text) - LEAST + 1, stride)
        }
        return cls(key, stride, hashes)

    def spans(self, text: str) -> list[Span]:
        """The stretches of the text, in order and apart, that repeat one of the texts."""
        if not self._hashes or len(text) < LEAST:
            return []
        key, hashes = self._key, self._hashes
        margin = self._stride - 1
        read = normalised(text)
        words = lowered(read.text)
        found = merged(
            (max(0, at - margin), min(len(words), at + LEAST + margin))
            for at in range(len(words) - LEAST + 1)
            if hashed(key, words[at : at + LEAST]) in hashes
        )
        return merged(read.origin(start, end) for start, end in found)

    def __len__(self) -> int:
        return len(self._hashes)

    def to_bytes(self) -> bytes:
        """As `from_bytes` reads it."""
        head = self._key + self._stride.to_bytes(4, "big")
        return head + array("Q", sorted(self._hashes)).tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Windows":
        """What `to_bytes` wrote, on this machine's byte order."""
        hashes = array("Q")
        hashes.frombytes(data[KEY_BYTES + 4 :])
        return cls(data[:KEY_BYTES], int.from_bytes(data[KEY_BYTES : KEY_BYTES + 4]), hashes)


class WithNames:
    """What a text repeats, and where it names what was erased by a title, a name, an address or a key."""

    def __init__(self, windows: Windows, names: Iterable[str]) -> None:
        self._windows = windows
        # The longest first: one may begin with another.
        told = sorted({one for one in names if len(one) >= LEAST_NAME}, key=len, reverse=True)
        words = "|".join(map(re.escape, told[:MOST_NAMES]))
        self._named = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) if words else None

    def spans(self, text: str) -> list[Span]:
        """The stretches of the text, in order and apart."""
        named = self._named.finditer(text) if self._named else ()
        return merged([*self._windows.spans(text), *(one.span() for one in named)])


class Spans(Protocol):
    """What tells which stretches of a text are to go."""

    def spans(self, text: str) -> list[Span]: ...


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that touch or overlap as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def masked(text: str, spans: Sequence[Span], mask: str) -> str:
    """The text with each code point of the spans replaced; line breaks, length and offsets stay."""
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        pieces.append(text[done:start])
        pieces.append("".join("\n" if one == "\n" else mask for one in text[start:end]))
        done = end
    return "".join([*pieces, text[done:]])


def lowered(text: str) -> str:
    """Small letters, each in the place of its capital: offsets stay."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(one if len(low := one.lower()) != 1 else low for one in text)


def hashed(key: bytes, window: str) -> int:
    """By what a window is known, to whoever has the key."""
    data = window.encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(data, digest_size=HASH_BYTES, key=key).digest()
    return int.from_bytes(digest, "little")
