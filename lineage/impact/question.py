"""What an impact report is asked: one value, written as an address, as JSON, and read again.

Every number, list, facet, picture, export and watch of a report takes the same Question, so
that they agree. Equal questions have equal addresses (`write_question`).
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal, get_args
from urllib.parse import urlencode

from lineage.formats.storable import is_storable
from lineage.impact.versions import reversed_bounds
from lineage.types import JsonValue
from lineage.vocabulary import COMPONENT_KINDS, GRADE_BY_WORD, AnswerState, Grade

Sort = Literal["newest", "oldest", "strongest"]
SORTS: Final[tuple[Sort, ...]] = get_args(Sort)
STATES: Final = tuple(state.word for state in AnswerState)
# The strongest first.
GRADES: Final = tuple(grade.word for grade in sorted(Grade, reverse=True))

# Nodes that one question may name; more are asked about through what they have in common.
MOST_NODES: Final = 5_000
# Values of one filter.
MOST_VALUES: Final = 200
_LONGEST: Final = 2_000


class QuestionInvalid(ValueError):
    """A question that cannot be read; `parameter` names what of it, the message says why."""

    def __init__(self, parameter: str, detail: str) -> None:
        super().__init__(detail)
        self.parameter, self.detail = parameter, detail


class UnknownWord(QuestionInvalid):
    """A filter names a grade, state or order that does not exist; the message is those words."""


class RangeReversed(QuestionInvalid):
    """A range of versions begins after its end, so that nothing can lie within it."""


@dataclass(frozen=True, slots=True)
class ComponentRange:
    """Components by name, from a version to a version, both included (lineage.impact.versions).

    Names and digests are compared exactly; what is empty narrows nothing.
    """

    name: str
    component_kind: str = ""
    version_from: str = ""
    version_to: str = ""
    config_digest: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """Which answers rest on any of these, and which of those to show.

    `nodes`: uids, of nodes or of kept sets of nodes (lineage.impact.sets); `component` adds every
    component that it names. `made_by`: the uid of a component or run; of `nodes`, and of what
    stands on the sources and versions among them, only what it made counts. Without any
    nodes it is itself asked about: all that it made or had a part in.

    The rest are filters; several values of one are alternatives, empty keeps all. `since` and
    `until` bound the answer's `occurred_at`, half-open; answers without a time are then out.
    """

    nodes: tuple[str, ...] = ()
    component: ComponentRange | None = None
    made_by: str = ""
    grades: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    models: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    sort: Sort = "newest"

    @property
    def names_something(self) -> bool:
        """Whether it asks about anything at all."""
        return bool(self.nodes or self.component or self.made_by)


# Parameter of an address → field of the question, for those that are plain lists.
_LISTS: Final = {
    "node": "nodes", "grade": "grades", "state": "states", "model": "models", "unit": "units",
    "source": "sources", "language": "languages",
}  # fmt: skip
_COMPONENT: Final = {
    "component": "name", "component_kind": "component_kind", "version_from": "version_from",
    "version_to": "version_to", "config_digest": "config_digest",
}  # fmt: skip
# Every parameter that a question is written with, in their order.
PARAMETERS: Final = (
    "node", *_COMPONENT, "made_by", "grade", "state", "since", "until", "model", "unit", "source",
    "language", "sort",
)  # fmt: skip


def read_question(parameters: Mapping[str, Any]) -> Question:
    """The question of an address's parameters: a QueryDict, or a mapping to strings or lists of them.

    Blank values are as if absent, parameters of others are passed over. Raises
    QuestionInvalid, UnknownWord among it.
    """
    said = {name: _values(parameters, name) for name in PARAMETERS}
    component = {field: _single(said[name], name) for name, field in _COMPONENT.items()}
    return _checked(
        lists={field: said[name] for name, field in _LISTS.items()},
        component=component,
        made_by=_single(said["made_by"], "made_by"),
        since=_single(said["since"], "since"),
        until=_single(said["until"], "until"),
        sort=_single(said["sort"], "sort"),
    )


def write_question(question: Question) -> str:
    """The canonical query string: equal questions, equal string; read_question reads it back."""
    pairs: list[tuple[str, str]] = []
    for name, value in _written(question).items():
        values = value if isinstance(value, list) else [value]
        pairs += [(name, each) for each in values]
    return urlencode(pairs)


def question_to_json(question: Question) -> JsonValue:
    """The question as JSON, by the names of the parameters; lists where several may stand."""
    return _written(question)


def question_from_json(value: JsonValue) -> Question:
    """The question that question_to_json wrote. Raises QuestionInvalid."""
    if not isinstance(value, Mapping):
        raise QuestionInvalid("", "To be an object.")
    if unknown := sorted(set(map(str, value)) - set(PARAMETERS)):
        raise QuestionInvalid(unknown[0], "Unknown member.")
    return read_question(value)


def canonical(question: Question) -> Question:
    """The same question with every list sorted and no value twice."""
    return read_question(_written(question))


def _written(question: Question) -> dict[str, Any]:
    component = question.component
    single: dict[str, str] = {
        "made_by": question.made_by,
        "since": _instant(question.since),
        "until": _instant(question.until),
        "sort": "" if question.sort == "newest" else question.sort,
    }
    if component is not None:
        single |= {name: getattr(component, field) for name, field in _COMPONENT.items()}
    lists = {name: getattr(question, field) for name, field in _LISTS.items()}
    written: dict[str, Any] = {}
    for name in PARAMETERS:
        if name in lists:
            if values := _in_order(name, lists[name]):
                written[name] = values
        elif single.get(name):
            written[name] = single[name]
    return written


def _in_order(name: str, values: Iterable[str]) -> list[str]:
    every = set(values)
    order = {"grade": GRADES, "state": STATES}.get(name)
    return [each for each in order if each in every] if order else sorted(every)


def _checked(
    *,
    lists: Mapping[str, Collection[str]],
    component: Mapping[str, str],
    made_by: str,
    since: str,
    until: str,
    sort: str,
) -> Question:
    for name, field in _LISTS.items():
        most = MOST_NODES if name == "node" else MOST_VALUES
        if len(lists[field]) > most:
            raise QuestionInvalid(name, f"At most {most:,} values.")
    _known("grade", lists["grades"], GRADE_BY_WORD)
    _known("state", lists["states"], STATES)
    _known("sort", [sort] if sort else [], SORTS)
    ordered = {
        field: tuple(_in_order(name, lists[field])) for name, field in _LISTS.items()
    }  # fmt: skip
    return Question(
        **ordered,
        component=_component(component),
        made_by=made_by,
        since=_time("since", since),
        until=_time("until", until),
        sort=next((each for each in SORTS if each == sort), "newest"),
    )


def _component(said: Mapping[str, str]) -> ComponentRange | None:
    if said["name"]:
        kind = said["component_kind"]
        _known("component_kind", [kind] if kind else [], COMPONENT_KINDS)
        if reversed_bounds(said["version_from"], said["version_to"]):
            raise RangeReversed("version_from", "Comes after `version_to`.")
        return ComponentRange(**said)
    if any(said[field] for field in ("version_from", "version_to", "config_digest")):
        raise QuestionInvalid(
            "component", "Versions and configurations are those of a component: name it."
        )
    return None


def _known(parameter: str, words: Iterable[str], known: Collection[str]) -> None:
    if unknown := set(words) - set(known):
        raise UnknownWord(parameter, ", ".join(sorted(unknown)))


def _values(parameters: Mapping[str, Any], name: str) -> list[str]:
    if hasattr(parameters, "getlist"):
        found: Any = parameters.getlist(name)
    else:
        found = parameters.get(name, ())
        found = [found] if isinstance(found, str) else found
    if not isinstance(found, list | tuple) or not all(isinstance(each, str) for each in found):
        raise QuestionInvalid(name, "To be a string or a list of strings.")
    values = [each.strip() for each in found]
    for value in values:
        if len(value) > _LONGEST or not is_storable(value):
            raise QuestionInvalid(name, f"At most {_LONGEST:,} characters, all of them storable.")
    # The same value twice is once.
    return list(dict.fromkeys(value for value in values if value))


def _single(values: list[str], name: str) -> str:
    if len(values) > 1:
        raise QuestionInvalid(name, "At most one value.")
    return values[0] if values else ""


def _time(parameter: str, value: str) -> datetime | None:
    """An instant of RFC 3339, or a date: its first instant. Without a zone: UTC."""
    if not value:
        return None
    try:
        at = datetime.fromisoformat(value)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise QuestionInvalid(parameter, "To be a date or an instant of RFC 3339.") from error


def _instant(at: datetime | None) -> str:
    return "" if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")
