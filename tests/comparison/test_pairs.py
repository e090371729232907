"""What belongs together in two versions, and what became of it: by hand, and by what must hold of any pairing."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.comparison import pairs
from lineage.comparison.pairs import (
    Change,
    Given,
    Made,
    Pair,
    pair_answers,
    pair_chunks,
    pair_documents,
    pair_facts,
    pair_retrieved,
)

pytestmark = pytest.mark.engine_free

Told = set[tuple[str, int | None, int | None]]


def told(pairs: list[Pair]) -> Told:
    found = {(pair.change.value, pair.old, pair.new) for pair in pairs}
    assert len(found) == len(pairs)
    assert len({pair.order for pair in pairs}) == len(pairs), "a cursor must tell every two apart"
    return found


def test_documents_of_one_source_version_are_a_pair_and_others_are_not() -> None:
    old = [Made(1, 100, digest="a"), Made(2, 200, digest="b"), Made(3, 300, digest="c")]
    new = [Made(11, 100, digest="a"), Made(12, 200, digest="B"), Made(14, 400, digest="c")]
    assert told(pair_documents(old, new)) == {
        ("unchanged", 1, 11), ("changed", 2, 12), ("lost", 3, None), ("gained", None, 14),
    }  # fmt: skip


def test_the_very_same_document_is_unchanged_whatever_is_known_of_its_text() -> None:
    assert told(pair_documents([Made(1, 100)], [Made(1, 100)])) == {("unchanged", 1, 1)}


def test_what_has_no_digest_is_never_said_to_be_unchanged() -> None:
    assert told(pair_documents([Made(1, 100)], [Made(2, 100)])) == {("changed", 1, 2)}


def test_of_several_documents_of_a_place_equal_texts_are_paired_first_then_the_latest() -> None:
    old = [Made(1, 100, digest="x"), Made(2, 100, digest="y"), Made(3, 100, digest="z")]
    new = [Made(11, 100, digest="x"), Made(12, 100, digest="q")]
    assert told(pair_documents(old, new)) == {
        ("unchanged", 1, 11), ("changed", 3, 12), ("lost", 2, None),
    }  # fmt: skip


def chunks(parent: int, texts: str, first: int, *, step: int = 10) -> list[Made]:
    """One chunk a letter, in their order."""
    return [
        Made(first + at, 100, parent, text, at * step) for at, text in enumerate(texts)
    ]  # fmt: skip


def document(old: int | None = 1, new: int | None = 2) -> list[Pair]:
    return [Pair(Change.CHANGED, old, new, (100, 0, 2))]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("abc", "abc", {("unchanged", 10, 20), ("unchanged", 11, 21), ("unchanged", 12, 22)}),
        ("abc", "aXc", {("unchanged", 10, 20), ("changed", 11, 21), ("unchanged", 12, 22)}),
        ("abc", "ac", {("unchanged", 10, 20), ("lost", 11, None), ("unchanged", 12, 21)}),
        ("ac", "abc", {("unchanged", 10, 20), ("gained", None, 21), ("unchanged", 11, 22)}),
        # One chunk became two: the first stands for it, the second is new.
        ("abc", "aXYc", {("unchanged", 10, 20), ("changed", 11, 21), ("gained", None, 22),
                         ("unchanged", 12, 23)}),
        ("", "a", {("gained", None, 20)}),
    ],
)  # fmt: skip
def test_chunks_are_paired_in_their_order_between_equal_ones(
    before: str, after: str, found: Told
) -> None:
    assert told(pair_chunks(document(), chunks(1, before, 10), chunks(2, after, 20))) == found


def test_chunks_of_a_document_that_only_one_side_has_are_lost_or_gained() -> None:
    pairs = [*document(1, None), Pair(Change.GAINED, None, 2, (200, 0, 3))]
    assert told(pair_chunks(pairs, chunks(1, "ab", 10), chunks(2, "ab", 20))) == {
        ("lost", 10, None), ("lost", 11, None), ("gained", None, 20), ("gained", None, 21),
    }  # fmt: skip


def test_chunks_of_very_long_documents_are_paired_without_regard_to_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pairs, "MOST_IN_ORDER", 2)
    assert told(pair_chunks(document(), chunks(1, "abcd", 10), chunks(2, "dxa", 20))) == {
        ("unchanged", 10, 22), ("unchanged", 13, 20), ("changed", 11, 21), ("lost", 12, None),
    }  # fmt: skip


@given(before=st.text("abc", max_size=12), after=st.text("abc", max_size=12))
def test_every_chunk_is_in_one_pair_and_unchanged_ones_are_equal(before: str, after: str) -> None:
    old, new = chunks(1, before, 100), chunks(2, after, 200)
    pairs = pair_chunks(document(), old, new)
    assert Counter(p.old for p in pairs if p.old) == Counter(each.pk for each in old)
    assert Counter(p.new for p in pairs if p.new) == Counter(each.pk for each in new)
    text = {each.pk: each.digest for each in [*old, *new]}
    for pair in pairs:
        if pair.old and pair.new:
            alike = text[pair.old] == text[pair.new]
            assert (pair.change is Change.UNCHANGED) == alike
        else:
            assert pair.change is (Change.LOST if pair.old else Change.GAINED)


def test_facts_are_paired_by_source_subject_and_predicate() -> None:
    def fact(pk: int, place: int, about: str, says: str) -> Made:
        return Made(pk, place, digest=says, about=about)

    old = [
        fact(1, 100, "result", "-5"), fact(2, 100, "revenue", "7"), fact(3, 100, "staff", "9"),
        fact(4, 200, "result", "3"),
        # Said twice, in two chunks: one statement.
        fact(5, 100, "revenue", "7"),
    ]  # fmt: skip
    new = [
        fact(11, 100, "result", "5"), fact(12, 100, "revenue", "7"), fact(14, 300, "result", "3"),
    ]  # fmt: skip
    assert told(pair_facts(old, new)) == {
        ("changed", 1, 11), ("unchanged", 2, 12), ("lost", 3, None), ("lost", 4, None),
        ("gained", None, 14),
    }  # fmt: skip


def test_a_changed_fact_names_what_the_other_side_does_not_say() -> None:
    def fact(pk: int, says: str) -> Made:
        return Made(pk, 100, digest=says, about="result")

    (pair,) = pair_facts([fact(1, "5"), fact(2, "-5")], [fact(11, "5"), fact(12, "6")])
    assert (pair.change, pair.old, pair.new) == (Change.CHANGED, 2, 12)
    # What the new side says besides is a change, too, though the old one is among it.
    (pair,) = pair_facts([fact(1, "5")], [fact(11, "5"), fact(12, "6")])
    assert (pair.change, pair.old, pair.new) == (Change.CHANGED, 1, 12)


def test_answers_are_paired_by_question_the_latest_of_each_side() -> None:
    old = [Given(1, "q", "no", 10), Given(2, "q", "yes", 20), Given(3, "only", "a", 5)]
    new = [Given(11, "q", "yes", 40), Given(12, "", "b", 30)]
    assert told(pair_answers(old, new, {})) == {
        ("unchanged", 2, 11), ("lost", 3, None), ("gained", None, 12),
    }  # fmt: skip


def test_an_answer_that_revises_another_is_its_pair_though_the_question_reads_otherwise() -> None:
    old, new = [Given(1, "q", "no", 10)], [Given(11, "q?", "yes", 20), Given(12, "r", "x", 30)]
    assert told(pair_answers(old, new, {11: {1, 99}})) == {
        ("changed", 1, 11), ("gained", None, 12),
    }  # fmt: skip


def test_an_answer_that_rests_on_both_is_unchanged() -> None:
    both = Given(1, "q", "", 10)
    assert told(pair_answers([both], [both], {})) == {("unchanged", 1, 1)}


def test_answers_come_newest_first() -> None:
    new = [Given(1, "a", "x", 10), Given(2, "b", "y", 30), Given(3, "c", "z", -1)]
    pairs = sorted(pair_answers([], new, {}), key=lambda pair: pair.order)
    assert [pair.new for pair in pairs] == [2, 1, 3]


def test_retrieved_sets_are_compared_whatever_their_order_and_left_out_where_there_are_none() -> (
    None
):
    def answers(old: int | None, new: int | None, at: int) -> Pair:
        return Pair(Change.UNCHANGED, old, new, (at, 0, 0))

    pairs = [answers(1, 11, 0), answers(2, 12, 1), answers(3, 13, 2), answers(4, 14, 3),
             answers(None, 15, 4), answers(6, None, 5)]  # fmt: skip
    sets = {
        1: frozenset({"a", "b"}), 11: frozenset({"b", "a"}), 2: frozenset({"a"}),
        12: frozenset({"a", "c"}), 13: frozenset({"a"}), 15: frozenset({"a"}), 6: frozenset(()),
    }  # fmt: skip
    assert told(pair_retrieved(pairs, sets)) == {
        ("unchanged", 1, 11), ("changed", 2, 12), ("gained", None, 13), ("gained", None, 15),
        ("lost", 6, None),
    }  # fmt: skip
