"""What a case does to an answer that rests on its targets: the table, as data and as SQL conditions.

Source of the table: docs/guide/cases.md. Everything that decides a state, in Python
or in the database, comes from here, so that a list and a page cannot disagree.
"""

from typing import Final

from django.db.models import Q

from lineage.vocabulary import CASE_KINDS, AnswerState, Grade

_CURRENT, _REVIEW, _STALE = AnswerState.CURRENT, AnswerState.REVIEW, AnswerState.STALE

_WITHDRAWN: Final[dict[Grade, AnswerState]] = {
    Grade.CITED: _STALE,
    Grade.IN_CONTEXT: _REVIEW,
    Grade.PRODUCED: _REVIEW,
    Grade.RETRIEVED: _CURRENT,
    Grade.POSSIBLE: _CURRENT,
}

# (case kind, grade) → state. `served` is not here: it has the effect of its origin's grade.
EFFECTS: Final[dict[str, dict[Grade, AnswerState]]] = {
    kind: dict(_WITHDRAWN) for kind in CASE_KINDS
} | {
    "concern": {**_WITHDRAWN, Grade.CITED: _REVIEW, Grade.IN_CONTEXT: _CURRENT},
    "defective_component": {**_WITHDRAWN, Grade.PRODUCED: _STALE},
}

# Kinds under which an answer that cites is stale "unless all its claims stand": then it is in review.
UNLESS_CLAIMS_STAND: Final = frozenset({"correction", "supersession", "defective_component"})
# Kinds that leave the words of a text as good as they were. Under any other it corrects nothing.
LEAVES_WORDS: Final = frozenset({"expiry", "license_change"})
# Kinds that take the cited passage out of sight.
HIDES_PASSAGE: Final = frozenset({"revocation", "erasure"})
# Kinds that say a work no longer holds as a whole; an independent source may carry the claim.
WEAKENS: Final = frozenset({"retraction", "revocation"})
# Kinds that withdraw in PROV's sense: the target is invalidated by the case.
INVALIDATES: Final = frozenset({"retraction", "revocation", "erasure"})


def acting_grade(grade: int, origin_grade: int) -> Grade:
    """The grade that decides: that of the origin where the answer was served from a cache.

    A served answer whose origin's grade is unknown counts as citing: what is not
    known must not look better than it is.
    """
    if grade != Grade.SERVED:
        return Grade(grade)
    return Grade(origin_grade) if origin_grade > Grade.SERVED else Grade.CITED


def effect(kind: str, grade: int, origin_grade: int = 0) -> AnswerState:
    """The state that a case of this kind alone gives, before claims are compared."""
    return EFFECTS[kind][acting_grade(grade, origin_grade)]


def depends_on_claims(kind: str, grade: int, origin_grade: int = 0) -> bool:
    """Whether the standing of the answer's claims can lift it from stale to review."""
    return kind in UNLESS_CLAIMS_STAND and acting_grade(grade, origin_grade) is Grade.CITED


def acting(grade: Grade) -> Q:
    """Rows (grade, origin_grade) whose acting grade is this one."""
    origins = [int(grade)]
    if grade is Grade.CITED:
        origins += [0, int(Grade.SERVED)]
    return Q(grade=grade) | Q(grade=Grade.SERVED, origin_grade__in=origins)


def kinds_with_effect(least: AnswerState, grade: Grade) -> list[str]:
    """Case kinds that give an answer with this acting grade at least this state, before claims are compared."""
    return sorted(kind for kind, row in EFFECTS.items() if row[grade] >= least)


# Grades that act; `served` acts as its origin's.
ACTING_GRADES: Final = tuple(_WITHDRAWN)
