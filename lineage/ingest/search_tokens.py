"""Words as numbers: keyed hashes of their beginnings, and of what they are like; pure.

A number tells nothing without the workspace's key, and one kind's numbers nothing of
another's, so that each kind is looked up by itself.
"""

import hashlib
from collections.abc import Iterable
from typing import Final

# Beginnings are kept from three letters on; of words longer than ten, the first ten count.
SHORTEST: Final = 3
LONGEST: Final = 10
# From here on: the scripts of China, Japan and Korea, one character of which says much.
_WITHOUT_ALPHABET: Final = "\u2e80"
# Words in which a typing error may be told from another word.
SHORTEST_TERM: Final = 4
_LONGEST_TERM: Final = 24
# From this length on two errors are allowed for, below it one.
TWO_ERRORS: Final = 8
_BYTES: Final = 8  # a BigIntegerField


def token_of(key: bytes, domain: str, text: str) -> int:
    """The number of a text within a domain (a kind, or one of this module's)."""
    digest = hashlib.blake2b(
        text.encode("utf-8", "surrogatepass"), digest_size=_BYTES, key=key, person=domain.encode()
    ).digest()
    return int.from_bytes(digest, "big", signed=True)


def shortest(word: str) -> int:
    """How many letters of a word are enough to look it up: three, of scripts without an alphabet one."""
    return 1 if word[0] >= _WITHOUT_ALPHABET else SHORTEST


def beginnings(word: str) -> list[str]:
    """What of a word is kept: each beginning up to ten letters that is long enough; a shorter word whole."""
    return [word[:n] for n in range(shortest(word), min(len(word), LONGEST) + 1)] or [word]


def beginning_token(key: bytes, kind: str, word: str) -> int:
    """The number by which nodes of a kind are found that have a word which begins so."""
    return token_of(key, kind, word[:LONGEST])


class Tokens:
    """The numbers of one request's words, each reckoned once."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._known: dict[tuple[str, str], list[int]] = {}

    def of(self, kind: str, words: Iterable[str]) -> set[int]:
        """The numbers of all beginnings of these words, for a node of this kind."""
        found: set[int] = set()
        for word in words:
            numbers = self._known.get((kind, word))
            if numbers is None:
                numbers = [token_of(self._key, kind, some) for some in beginnings(word)]
                self._known[kind, word] = numbers
            found.update(numbers)
        return found


def is_term(word: str) -> bool:
    """Whether a typing error in this word may be seen through: letters only, at least four."""
    return SHORTEST_TERM <= len(word) <= _LONGEST_TERM and word.isalpha()


def term_token(key: bytes, word: str) -> int:
    """The number of a whole word of metadata."""
    return token_of(key, "term", word)


def near_tokens(key: bytes, word: str) -> set[int]:
    """Numbers that two words share if one letter put in, left out, changed or swapped makes one the other."""
    like = {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}
    return {token_of(key, "near", each) for each in like}


def start_token(key: bytes, letter: str, length: int) -> int:
    """The number that words of two errors' length share: their first letter and how long they are."""
    return token_of(key, "start", f"{letter}{length}")
