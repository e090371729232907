"""How the affected answers part by state, time, model, unit, source and language.

Each number is that of the list which the value opens: all other filters of the question
hold, its own does not.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db.models import Count, F, Q, TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import NullIf

from lineage.cases.register import in_state
from lineage.impact.affected import Affected, Rows, by_grade
from lineage.impact.given import GIVEN, stating_language
from lineage.models import RestsOn
from lineage.types import JsonValue
from lineage.vocabulary import AnswerState

# Values of one facet that are shown; those chosen are shown whatever their number.
MOST_VALUES: Final = 12
MOST_MONTHS: Final = 36
_DAY: Final = 86_400_000_000  # microseconds
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MONTH: Final = "9999-12"


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value and the number of answers that it would keep.

    `value` is what the filter takes: a word, a uid of a source, a month as YYYY-MM; empty
    for answers that say nothing of it, which no filter takes.
    """

    value: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """The values of one filter, the most frequent first (months: the latest first); `more` where some are left out."""

    name: str
    values: tuple[FacetValue, ...]
    more: bool


def facet(found: Affected, name: str) -> Facet:
    """One facet by its name (FACETS)."""
    return _BY_NAME[name](found)


def facets(found: Affected) -> tuple[Facet, ...]:
    """Every facet, in the order of FACETS."""
    return tuple(facet(found, name) for name in FACETS)


def facet_to_json(one: Facet) -> JsonValue:
    """A facet as JSON; what is chosen is the question's, and not kept."""
    return {"values": [[each.value, each.count] for each in one.values], "more": one.more}


def facet_from_json(found: Affected, name: str, value: JsonValue) -> Facet:
    """The facet that facet_to_json wrote, for the question it was counted for."""
    pairs = [(str(word), int(count)) for word, count in value["values"]]
    return Facet(name, _values(pairs, _chosen(found, name)), bool(value["more"]))


def _grades(found: Affected) -> Facet:
    counts = by_grade(found.rows(without="grade"))
    pairs = [(word, count) for word, count in counts.items() if count]
    return _whole(found, "grade", pairs)


def _states(found: Affected) -> Facet:
    rows = found.rows(without="state")
    every = rows.count()
    if not found.any_active:
        pairs = [(AnswerState.CURRENT.word, every)]
    else:
        stale, review = (
            rows.filter(in_state(state, answer="answer_id")).count()
            for state in (AnswerState.STALE, AnswerState.REVIEW)
        )
        pairs = [
            (AnswerState.STALE.word, stale),
            (AnswerState.REVIEW.word, review),
            (AnswerState.CURRENT.word, every - stale - review),
        ]
    return _whole(found, "state", [pair for pair in pairs if pair[1]])


def _months(found: Affected) -> Facet:
    rows = found.rows(without="time").order_by()
    days = rows.filter(at__gte=0).annotate(day=F("at") / _DAY).values("day")
    months: Counter[str] = Counter()
    for day, count in days.annotate(number=Count("*")).values_list("day", "number"):
        months[(_EPOCH + timedelta(days=day)).strftime("%Y-%m")] += count
    pairs = sorted(months.items(), reverse=True)
    shown = [pair for place, pair in enumerate(pairs) if place < MOST_MONTHS]
    if timeless := rows.filter(at__lt=0).count():
        shown.append(("", timeless))
    return Facet("month", _values(shown, _chosen(found, "month")), len(pairs) > MOST_MONTHS)


def _models(found: Affected) -> Facet:
    return _stated(found, "model")


def _units(found: Affected) -> Facet:
    return _stated(found, "unit")


def _stated(found: Affected, name: str) -> Facet:
    """By what the answers themselves state; an empty string states nothing."""
    said = NullIf(KeyTextTransform(name, "answer__fields"), Value("", output_field=TextField()))
    rows = found.rows(without=name).annotate(word=said)
    numbers = rows.order_by().values("word").annotate(number=Count("*"))
    return _frequent(
        found,
        name,
        numbers,
        "word",
        Q(**{f"answer__fields__{name}__in": sorted(_chosen(found, name))}),
    )


def _sources(found: Affected) -> Facet:
    """By the sources that they cite or were given."""
    rows = _given(found, "source").filter(target__kind="source")
    numbers = rows.order_by().values("target__uid").annotate(number=Count("*"))
    chosen = Q(target__uid__in=sorted(_chosen(found, "source")))
    return _frequent(found, "source", numbers, "target__uid", chosen)


def _languages(found: Affected) -> Facet:
    """By the languages of the documents that they cite or were given."""
    rows = _given(found, "language").filter(stating_language(found.viewer))
    rows = rows.annotate(word=KeyTextTransform("language", "target__fields"))
    numbers = rows.order_by().values("word").annotate(number=Count("answer_id", distinct=True))
    chosen = Q(target__fields__language__in=sorted(_chosen(found, "language")))
    return _frequent(found, "language", numbers, "word", chosen)


def _given(found: Affected, without: str) -> Rows:
    """What the answers cite or were given that the question keeps, one filter left out."""
    return RestsOn.objects.filter(GIVEN, answer_id__in=found.answer_ids(without=without))


def _frequent(found: Affected, name: str, numbers: Any, word: str, chosen: Q) -> Facet:
    """The most frequent words, and those chosen."""
    ordered = numbers.order_by("-number", word).values_list(word, "number")
    pairs = list(ordered[: MOST_VALUES + 1])
    shown = pairs[:MOST_VALUES]
    missing = _chosen(found, name) - {value for value, _ in shown}
    if missing:
        known = dict(numbers.filter(chosen).order_by(word).values_list(word, "number"))
        shown += [(value, known.get(value, 0)) for value in sorted(missing)]
    return Facet(
        name,
        _values([(value or "", count) for value, count in shown], _chosen(found, name)),
        len(pairs) > MOST_VALUES,
    )


def _whole(found: Affected, name: str, pairs: list[tuple[str, int]]) -> Facet:
    chosen = _chosen(found, name)
    there = {value for value, _ in pairs}
    return Facet(
        name, _values([*pairs, *((word, 0) for word in sorted(chosen - there))], chosen), more=False
    )


def _values(pairs: list[tuple[str, int]], chosen: set[str]) -> tuple[FacetValue, ...]:
    return tuple(FacetValue(value, count, value in chosen) for value, count in pairs)


def _chosen(found: Affected, name: str) -> set[str]:
    asked = found.question
    if name == "month":
        month = month_of(asked.since, asked.until)
        return {month} if month else set()
    return set(getattr(asked, f"{name}s"))


def month_of(since: datetime | None, until: datetime | None) -> str:
    """The month (YYYY-MM) of which these are the bounds; empty where they are of none."""
    if since is None:
        return ""
    month = since.date().isoformat()[:7]  # strftime writes early years with fewer digits
    return month if (since, until) == bounds_of(month) else ""


def bounds_of(month: str) -> tuple[datetime, datetime | None]:
    """The first instant of a month (YYYY-MM) and of the next one, UTC; None where the calendar ends."""
    begins = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
    if month == _LAST_MONTH:
        return begins, None
    return begins, (begins + timedelta(days=31)).replace(day=1)


_BY_NAME: Final[Mapping[str, Callable[[Affected], Facet]]] = {
    "grade": _grades,
    "state": _states,
    "month": _months,
    "model": _models,
    "unit": _units,
    "source": _sources,
    "language": _languages,
}
FACETS: Final = tuple(_BY_NAME)
