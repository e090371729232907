"""What a notice says of a work, in one word, whatever its provider calls it."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from rapidfuzz.distance import OSA

# What a notice can say. `other`: a comment, a letter, a note of the publisher: nothing is put right.
NOTICE_KINDS: Final = (
    "retraction", "withdrawal", "removal", "concern", "correction", "reinstatement", "other",
)  # fmt: skip

# The kind of case that each asks for. A reinstatement lifts a case that there is; `other` asks for none.
CASE_KIND: Final[Mapping[str, str]] = {
    "retraction": "retraction",
    "withdrawal": "retraction",
    "removal": "retraction",
    "concern": "concern",
    "correction": "correction",
}

_WORDS: Final[Mapping[str, str]] = {
    "retraction": "retraction",
    "retracted": "retraction",
    "full_retraction": "retraction",
    "withdrawal": "withdrawal",
    "withdrawn": "withdrawal",
    "removal": "removal",
    "removed": "removal",
    "expression_of_concern": "concern",
    "concern": "concern",
    "correction": "correction",
    "corrections": "correction",
    "erratum": "correction",
    "errata": "correction",
    "corrigendum": "correction",
    "corrigenda": "correction",
    "addendum": "correction",
    "clarification": "correction",
    "corrected_article": "correction",
    # It puts a part of the work right, not the whole of it out of use.
    "partial_retraction": "correction",
    "err": "correction",
    "reinstatement": "reinstatement",
    "reinstated": "reinstatement",
    "publisher_note": "other",
    "note_discuss": "other",
    "comment": "other",
    "correspondence": "other",
    "letter": "other",
    "print": "other",
    "new_version": "other",
    "new_edition": "other",
}
# Shorter words are too like one another.
_LEAST_LETTERS: Final = 7
_MOST_ERRORS: Final = 2
_MOST_WORDS: Final = 64
_BETWEEN: Final = re.compile(r"[\s_-]+")

MISSPELT: Final = "kind_misspelt"
UNKNOWN: Final = "kind_unknown"


class ReadKind(NamedTuple):
    """A kind and, where the word was not one of those known, why it was taken so."""

    kind: str
    remark: str


@lru_cache(maxsize=1_000)
def read_kind(word: str) -> ReadKind:
    """The kind that a provider's word means: case, blanks and hyphens aside.

    A word that is at most two errors from a single kind means that kind, with a remark;
    anything else is `other`, with a remark: what nobody knows is not guessed.
    """
    bare = _BETWEEN.sub("_", word.strip().lower()[:_MOST_WORDS]).strip("_")
    known = _WORDS.get(bare)
    if known is not None:
        return ReadKind(known, "")
    if len(bare) >= _LEAST_LETTERS:
        near = {
            kind
            for each, kind in _WORDS.items()
            if len(each) >= _LEAST_LETTERS
            and OSA.distance(bare, each, score_cutoff=_MOST_ERRORS) <= _MOST_ERRORS
        }
        if len(near) == 1:
            return ReadKind(near.pop(), MISSPELT)
    return ReadKind("other", UNKNOWN)
