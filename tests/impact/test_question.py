"""A question as an address and as JSON: read, written, read again; what cannot be read says why."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from lineage.impact.question import (
    GRADES,
    SORTS,
    STATES,
    ComponentRange,
    Question,
    RunTimes,
    canonical,
    question_from_json,
    question_to_json,
    read_question,
    write_question,
)
from lineage.impact.question_values import QuestionInvalid, UnknownWord

pytestmark = pytest.mark.engine_free


@pytest.mark.parametrize(
    ("query", "parameter", "says"),
    [
        ("grade=cheese", "grade", "cheese"),
        ("grade=cited&grade=cheese&grade=ham", "grade", "cheese, ham"),
        ("state=old", "state", "old"),
        ("sort=random", "sort", "random"),
        ("component=p&component_kind=cheese", "component_kind", "cheese"),
    ],
)
def test_unknown_words_are_named(query: str, parameter: str, says: str) -> None:
    with pytest.raises(UnknownWord, match=f"^{says}$") as raised:
        read_question(QueryDict(query))
    assert raised.value.parameter == parameter


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("since=yesterday", "since"),
        ("until=2026-02-30", "until"),
        ("since=0001-01-01T00:00:00%2B23:00", "since"),
        ("sort=newest&sort=oldest", "sort"),
        ("made_by=a&made_by=b", "made_by"),
        ("version_from=3", "component"),
        ("component=p&version_from=2&version_to=1", "version_from"),
        ("component=p&version_from=3.10&version_to=v3.9", "version_from"),
        ("config_digest=sha256:ab", "component"),
        ("made_by=component", "made_by"),
        ("node=a&made_since=2026-01-01", "made_since"),
        ("made_until=2026-01-01", "made_until"),
        ("made_undated=1", "made_undated"),
        ("component=p&made_undated=perhaps", "made_undated"),
        ("component=p&made_since=soon", "made_since"),
        ("component=p&made_since=2026-01-02&made_until=2026-01-02", "made_since"),
        ("model=a%00b", "model"),
        ("unit=" + "u" * 2_001, "unit"),
        ("&".join(f"source={n}" for n in range(201)), "source"),
    ],
)
def test_what_cannot_be_read_is_named(query: str, parameter: str) -> None:
    with pytest.raises(QuestionInvalid) as raised:
        read_question(QueryDict(query))
    assert raised.value.parameter == parameter


@pytest.mark.parametrize(
    "value", [None, [], "node=a", {"node": 3}, {"node": [3]}, {"cheese": "a"}, {"node": {"a": 1}}]
)
def test_json_of_another_shape_is_refused(value: Any) -> None:
    with pytest.raises(QuestionInvalid):
        question_from_json(value)


def test_more_nodes_than_one_question_may_name_are_refused() -> None:
    nodes = [str(n) for n in range(5_001)]
    with pytest.raises(QuestionInvalid, match="5,000") as raised:
        question_from_json({"node": nodes})
    assert raised.value.parameter == "node"
    assert len(question_from_json({"node": nodes[:5_000]}).nodes) == 5_000


def test_nothing_asked_is_the_empty_question() -> None:
    for query in ("", "grade=&node=&sort=", "ws=w&cursor=abc&limit=3"):
        assert read_question(QueryDict(query)) == Question()
    assert write_question(Question()) == ""
    assert question_to_json(Question()) == {}
    assert not Question(states=("stale",)).names_something


def test_each_parameter_has_its_field() -> None:
    query = (
        "node=b&node=a&component=p&component_kind=parser&version_from=3.1&version_to=3.2"
        "&config_digest=sha256:0&made_by=run&made_since=2025-01-01&made_until=2025-02-01T01:00:00%2B01:00"
        "&made_undated=true&grade=retrieved&grade=cited&state=stale&since=2026-01-01"
        "&until=2026-02-01T10:00:00%2B02:00&model=m&unit=u&source=s&language=pt&sort=strongest"
    )
    question = read_question(QueryDict(query))
    assert question == Question(
        nodes=("a", "b"),
        component=ComponentRange("p", "parser", "3.1", "3.2", "sha256:0"),
        made_by="run",
        made=RunTimes(
            datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 2, 1, tzinfo=UTC), undated=True
        ),
        grades=("cited", "retrieved"),
        states=("stale",),
        since=datetime(2026, 1, 1, tzinfo=UTC),
        until=datetime(2026, 2, 1, 8, tzinfo=UTC),
        models=("m",),
        units=("u",),
        sources=("s",),
        languages=("pt",),
        sort="strongest",
    )
    assert write_question(question) == (
        "node=a&node=b&component=p&component_kind=parser&version_from=3.1&version_to=3.2"
        "&config_digest=sha256%3A0&made_by=run&made_since=2025-01-01T00%3A00%3A00Z"
        "&made_until=2025-02-01T00%3A00%3A00Z&made_undated=1&grade=cited&grade=retrieved&state=stale"
        "&since=2026-01-01T00%3A00%3A00Z&until=2026-02-01T08%3A00%3A00Z&model=m&unit=u&source=s"
        "&language=pt&sort=strongest"
    )


def test_equal_questions_have_equal_addresses() -> None:
    one = Question(nodes=("b", "a", "b"), grades=("served", "cited"))
    other = Question(nodes=("a", "b"), grades=("cited", "served", "cited"))
    assert write_question(one) == write_question(other)
    assert canonical(one) == canonical(other)
    east = timezone(timedelta(hours=5, minutes=30))
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert write_question(Question(since=at)) == write_question(Question(since=at.astimezone(east)))


_words = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8
).filter(lambda text: text == text.strip())
_several = st.lists(_words, max_size=3).map(tuple)
_moments = st.datetimes(timezones=st.just(UTC)).filter(lambda at: 1_000 < at.year < 9_000)
_instants = st.none() | _moments


@st.composite
def _times(draw: st.DrawFn) -> RunTimes:
    """Bounded on one side or both, or the runs without a time alone."""
    one, other = (draw(st.none() | _moments) for _ in range(2))
    if one is not None and other is not None:
        one, other = min(one, other), max(one, other) + timedelta(microseconds=1)
    return RunTimes(one, other, undated=(one or other) is None or draw(st.booleans()))


_questions = st.builds(
    Question,
    nodes=_several,
    component=st.none()
    | st.builds(ComponentRange, _words, st.sampled_from(["", "parser"]), _words),
    made_by=st.just("") | _words,
    made=st.none() | _times(),
    grades=st.lists(st.sampled_from(GRADES)).map(tuple),
    states=st.lists(st.sampled_from(STATES)).map(tuple),
    since=_instants,
    until=_instants,
    models=_several,
    units=_several,
    sources=_several,
    languages=_several,
    sort=st.sampled_from(SORTS),
).filter(lambda asked: asked.made is None or bool(asked.component or asked.made_by))


@given(_questions)
def test_what_was_written_is_read_back(question: Question) -> None:
    address = write_question(question)
    back = read_question(QueryDict(address))
    assert back == canonical(question)
    assert write_question(back) == address
    assert question_from_json(question_to_json(question)) == back
