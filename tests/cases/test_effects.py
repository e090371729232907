"""The table of effects, word for word."""

import pytest
from django.db.models import Q

from lineage.cases import effects
from lineage.vocabulary import CASE_KINDS, AnswerState, Grade

pytestmark = pytest.mark.engine_free

TABLE = """
correction          stale  review  review  current current
supersession        stale  review  review  current current
retraction          stale  review  review  current current
concern             review current review  current current
revocation          stale  review  review  current current
expiry              stale  review  review  current current
license_change      stale  review  review  current current
erasure             stale  review  review  current current
defective_component stale  review  stale   current current
"""
COLUMNS = (Grade.CITED, Grade.IN_CONTEXT, Grade.PRODUCED, Grade.RETRIEVED, Grade.POSSIBLE)
ROWS = [line.split() for line in TABLE.strip().splitlines()]


def test_every_kind_has_its_row() -> None:
    assert [row[0] for row in ROWS] == list(CASE_KINDS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_kind_has_the_effects_of_its_row(row: list[str]) -> None:
    kind, *words = row
    found = [effects.effect(kind, grade).word for grade in COLUMNS]
    assert found == words
    served = [effects.effect(kind, Grade.SERVED, grade).word for grade in COLUMNS]
    assert served == words


@pytest.mark.parametrize("origin", [0, Grade.SERVED])
def test_a_served_answer_of_unknown_origin_counts_as_citing(origin: int) -> None:
    assert effects.effect("retraction", Grade.SERVED, origin) is AnswerState.STALE
    assert effects.depends_on_claims("correction", Grade.SERVED, origin)


@pytest.mark.parametrize(
    ("kind", "grade", "depends"),
    [
        ("correction", Grade.CITED, True),
        ("supersession", Grade.CITED, True),
        ("defective_component", Grade.CITED, True),
        ("defective_component", Grade.PRODUCED, False),
        ("correction", Grade.IN_CONTEXT, False),
        ("retraction", Grade.CITED, False),
        ("expiry", Grade.CITED, False),
    ],
)
def test_claims_can_lift_only_what_cites_a_corrected_work(
    kind: str, grade: Grade, depends: bool
) -> None:
    assert effects.depends_on_claims(kind, grade) is depends


def test_the_condition_for_lists_names_the_same_kinds() -> None:
    assert effects.kinds_with_effect(AnswerState.STALE, Grade.PRODUCED) == ["defective_component"]
    assert "concern" not in effects.kinds_with_effect(AnswerState.STALE, Grade.CITED)
    assert "concern" not in effects.kinds_with_effect(AnswerState.REVIEW, Grade.IN_CONTEXT)
    assert effects.kinds_with_effect(AnswerState.REVIEW, Grade.RETRIEVED) == []
    assert effects.acting(Grade.PRODUCED) == Q(grade=4) | Q(grade=1, origin_grade__in=[4])
