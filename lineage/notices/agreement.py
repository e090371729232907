"""What speaks for a notice being about a source, and what against; pure.

A DOI or a PMID that is the same decides, unless the other one contradicts it. A title that is
the same decides only with the year and the first creator; without them a person decides.
"""

from collections.abc import Collection
from typing import Final, Literal, NamedTuple

from lineage.ingest.search_words import folded_words

By = Literal["doi", "pmid", "title"]
Verdict = Literal["matched", "suggested"]

# What is the same, what is not; pages say them in words.
SIGNS: Final = (
    "doi_same", "doi_differs", "pmid_same", "pmid_differs", "title_same", "year_same",
    "year_differs", "creator_same", "creator_differs",
)  # fmt: skip


class Known(NamedTuple):
    """What is known of a work: identifiers in their normal form, the keyed word of its title.

    `years`: those in which it, or a version of it, was published; `creator`: the first one's name.
    """

    doi: str = ""
    pmid: str = ""
    title_word: str = ""
    years: tuple[int, ...] = ()
    creator: str = ""


class Judged(NamedTuple):
    """That two works are the same, or may be: by what, and all that speaks for and against it."""

    by: By
    verdict: Verdict
    signs: tuple[str, ...]


def judge(subject: Known, source: Known) -> Judged | None:
    """Whether a source is the work that a notice is about; None where nothing says so."""
    signs: list[str] = []
    same: set[str] = set()
    differs: set[str] = set()
    _compare("doi", subject.doi, source.doi, same, differs)
    _compare("pmid", subject.pmid, source.pmid, same, differs)
    if subject.title_word and subject.title_word == source.title_word:
        same.add("title")
    if same & {"doi", "pmid"}:
        by: By = "doi" if "doi" in same else "pmid"
        signs = _signs(same, differs)
        return Judged(by, "suggested" if differs else "matched", tuple(signs))
    if "title" not in same:
        return None
    if subject.years and source.years:
        (same if set(subject.years) & set(source.years) else differs).add("year")
    if subject.creator and source.creator:
        (same if same_person(subject.creator, source.creator) else differs).add("creator")
    signs = _signs(same, differs)
    if {"year", "creator"} <= same and not differs:
        return Judged("title", "matched", tuple(signs))
    # Another edition of the work has another DOI; another work of that title has another author.
    if "creator" in differs or (differs & {"doi", "pmid"} and "creator" not in same):
        return None
    return Judged("title", "suggested", tuple(signs))


def same_person(one: str, other: str) -> bool:
    """Whether two spellings of a name can be the same person's: one family name, initials that fit."""
    first, second = folded_words(one), folded_words(other)
    if not first or not second:
        return False
    if set(first) == set(second):
        return True
    shared = {word for word in set(first) & set(second) if len(word) > 1}
    if not shared:
        return False
    left, right = _rest(first, shared), _rest(second, shared)
    if not left or not right:
        return True
    short, long = sorted((left, right), key=len)
    return all(any(_fits(word, each) for each in long) for word in short)


def _rest(words: Collection[str], shared: Collection[str]) -> list[str]:
    return [word for word in words if word not in shared]


def _fits(one: str, other: str) -> bool:
    """Whether one is the other, or its initial."""
    return one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])


def _compare(name: str, one: str, other: str, same: set[str], differs: set[str]) -> None:
    if one and other:
        (same if one == other else differs).add(name)


def _signs(same: set[str], differs: set[str]) -> list[str]:
    told = {f"{name}_same" for name in same} | {f"{name}_differs" for name in differs}
    return [sign for sign in SIGNS if sign in told]
