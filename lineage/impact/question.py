"""What an impact report is asked: one value, written as an address, as JSON, and read again.

Every number, list, facet, picture, export and watch of a report takes the same Question, so
that they agree. Equal questions have equal addresses (`write_question`).
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, get_args
from urllib.parse import urlencode

from lineage.impact.question_values import (
    ON,
    MakerMissing,
    QuestionInvalid,
    RangeReversed,
    is_on,
    known,
    read_time,
    single,
    values_of,
    write_time,
)
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
# Instead of a uid, what made something: the components that the question names. No uid reads so.
THE_COMPONENT: Final = "component"


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
class RunTimes:
    """When runs were, by their `occurred_at`: from `since` on, before `until`.

    Runs without a time are in none; `undated` adds them, and without bounds it is they alone.
    """

    since: datetime | None = None
    until: datetime | None = None
    undated: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """Which answers rest on any of these, and which of those to show.

    `nodes`: uids, of nodes or of kept sets of nodes (lineage.impact.sets); `component` adds every
    component that it names. `made_by`: the uid of a component or run, or THE_COMPONENT, which
    means those that `component` names, and then does not add them; of `nodes`, and of what
    stands on the sources and versions among them, only what it made counts. Without any
    nodes it is itself asked about: all that it made or had a part in. `made`: of components, and of
    `made_by`, only what their runs of this time made.

    The rest are filters; several values of one are alternatives, empty keeps all. `since` and
    `until` bound the answer's `occurred_at`, half-open; answers without a time are then out.
    """

    nodes: tuple[str, ...] = ()
    component: ComponentRange | None = None
    made_by: str = ""
    made: RunTimes | None = None
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
# Those of them that hold strings of clients: what an answer or a document says.
_CLIENTS: Final = frozenset({"model", "unit", "language"})
_COMPONENT: Final = {
    "component": "name", "component_kind": "component_kind", "version_from": "version_from",
    "version_to": "version_to", "config_digest": "config_digest",
}  # fmt: skip
_MADE: Final = ("made_since", "made_until", "made_undated")
# Every parameter that a question is written with, in their order.
PARAMETERS: Final = (
    "node", *_COMPONENT, "made_by", *_MADE, "grade", "state", "since", "until", "model", "unit",
    "source", "language", "sort",
)  # fmt: skip


def read_question(parameters: Mapping[str, Any]) -> Question:
    """The question of an address's parameters: a QueryDict, or a mapping to strings or lists of them.

    Blank values are as if absent, parameters of others are passed over. Raises
    QuestionInvalid, UnknownWord among it.
    """
    said = {name: values_of(parameters, name, exact=name in _CLIENTS) for name in PARAMETERS}
    once = {name: single(said[name], name) for name in PARAMETERS if name not in _LISTS}
    return _checked({field: said[name] for name, field in _LISTS.items()}, once)


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
    component, made = question.component, question.made or RunTimes()
    once: dict[str, str] = {
        "made_by": question.made_by,
        "made_since": write_time(made.since),
        "made_until": write_time(made.until),
        "made_undated": ON if made.undated else "",
        "since": write_time(question.since),
        "until": write_time(question.until),
        "sort": "" if question.sort == "newest" else question.sort,
    }
    if component is not None:
        once |= {name: getattr(component, field) for name, field in _COMPONENT.items()}
    lists = {name: getattr(question, field) for name, field in _LISTS.items()}
    written: dict[str, Any] = {}
    for name in PARAMETERS:
        if name in lists:
            if values := _in_order(name, lists[name]):
                written[name] = values
        elif once.get(name):
            written[name] = once[name]
    return written


def _in_order(name: str, values: Iterable[str]) -> list[str]:
    every = set(values)
    order = {"grade": GRADES, "state": STATES}.get(name)
    return [each for each in order if each in every] if order else sorted(every)


def _checked(lists: Mapping[str, Collection[str]], once: Mapping[str, str]) -> Question:
    for name, field in _LISTS.items():
        most = MOST_NODES if name == "node" else MOST_VALUES
        if len(lists[field]) > most:
            raise QuestionInvalid(name, f"At most {most:,} values.")
    known("grade", lists["grades"], GRADE_BY_WORD)
    known("state", lists["states"], STATES)
    known("sort", [once["sort"]] if once["sort"] else [], SORTS)
    ordered = {
        field: tuple(_in_order(name, lists[field])) for name, field in _LISTS.items()
    }  # fmt: skip
    component = _component({field: once[name] for name, field in _COMPONENT.items()})
    if once["made_by"] == THE_COMPONENT and component is None:
        raise MakerMissing("made_by", "`component` is the one that the question names: name it.")
    return Question(
        **ordered,
        component=component,
        made_by=once["made_by"],
        made=_made(once, by_something=component is not None or bool(once["made_by"])),
        since=read_time("since", once["since"]),
        until=read_time("until", once["until"]),
        sort=next((each for each in SORTS if each == once["sort"]), "newest"),
    )


def _component(said: Mapping[str, str]) -> ComponentRange | None:
    if said["name"]:
        kind = said["component_kind"]
        known("component_kind", [kind] if kind else [], COMPONENT_KINDS)
        if reversed_bounds(said["version_from"], said["version_to"]):
            raise RangeReversed("version_from", "Comes after `version_to`.")
        return ComponentRange(**said)
    if any(said[field] for field in ("version_from", "version_to", "config_digest")):
        raise QuestionInvalid(
            "component", "Versions and configurations are those of a component: name it."
        )
    return None


def _made(once: Mapping[str, str], *, by_something: bool) -> RunTimes | None:
    given = [name for name in _MADE if once[name]]
    if not given:
        return None
    since, until = (read_time(name, once[name]) for name in ("made_since", "made_until"))
    undated = is_on("made_undated", once["made_undated"])
    if not by_something:
        raise MakerMissing(given[0], "Made by what? Name a component, or give `made_by`.")
    if since is not None and until is not None and since >= until:
        raise RangeReversed("made_since", "Not before `made_until`.")
    return RunTimes(since, until, undated)
