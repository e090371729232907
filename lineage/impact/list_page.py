"""A page of the list of affected answers, read in the order of the index wherever there is one.

The index of RestsOn has each grade of each node in order of time: a page of few nodes is the
merge of those streams, and takes as long for a million answers as for a hundred.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import starmap
from typing import Any, Final

from django.db import connections, router
from django.db.models import Exists, OuterRef, Q

from lineage.compiled import Compiled, Given
from lineage.impact.affected import SHOWN, UNKNOWN, Affected, Listed, Rows, order_of, shown
from lineage.models import RestsOn
from lineage.nodes.paging import DEFAULT_LIMIT, CursorInvalid, bounded, read_cursor, write_cursor
from lineage.vocabulary import GRADE_BY_WORD, Grade

# Nodes whose streams are merged; of more, the database sorts the rows.
_MOST_MERGED: Final = 10


def _first_of(grade: Grade, given: Given) -> Any:
    rows = RestsOn.objects.filter(target_id=given.id("target"), grade=grade)
    return rows.order_by("-at", "answer__uid").values_list(*SHOWN)[: DEFAULT_LIMIT + 1]


@cache
def _first(grades: tuple[Grade, ...]) -> Compiled[RestsOn]:
    """The first rows of each of these grades of one node, by one statement."""

    def streams(given: Given) -> Any:
        first, *others = (_first_of(grade, given) for grade in grades)
        return first.union(*others, all=True) if others else first

    return Compiled(streams)


def _first_rows(target_id: int, grades: tuple[Grade, ...]) -> Iterator[Iterator[Listed]]:
    """The page that nearly everybody asks for: of one node, unfiltered, the newest or the strongest first."""
    # SQLite has no such statement, and no round trip to save.
    together = connections[router.db_for_read(RestsOn)].features
    parts = (
        [grades] if together.supports_slicing_ordering_in_compound else [(one,) for one in grades]
    )
    return (starmap(Listed, _first(part).rows(target=target_id)) for part in parts if part)


def page_of(
    found: Affected,
    *,
    limit: int,
    cursor: str | None,
    counts: Mapping[str, int] | None = None,
) -> tuple[list[Listed], str | None]:
    """A page of what the question keeps, each answer by its strongest row, and the next cursor.

    `counts`: the question's, where they are known; grades that nobody has are not asked for.
    Raises CursorInvalid, also for the cursor of a list in another order.
    """
    size = bounded(limit)
    after = _read(found.question.sort, cursor)
    ids = found.targets.ids
    if ids is None or len(ids) > _MOST_MERGED:
        rows = found.rows().filter(_after(found.question.sort, after))
        page = list(shown(rows.order_by(*order_of(found.question.sort))[: size + 1]))
    elif (
        ids and found.single and found.question.sort != "oldest" and not found.conditions
        and after is None and size <= DEFAULT_LIMIT
    ):  # fmt: skip
        grades = tuple(grade for grade in Grade if counts is None or counts[grade.word])
        first = _first_rows(ids[0], grades)
        page = _merged(found, first, size + 1)
    elif found.question.sort == "strongest":
        page = _strongest(found, ids, after, size + 1)
    else:
        page = _in_time(found, ids, after, size + 1)
    following = None
    if len(page) > size:
        following = write_cursor(*_position(found.question.sort, page[size - 1]))
    return page[:size], following


def _in_time(
    found: Affected, ids: tuple[int, ...], after: tuple[Any, ...] | None, most: int
) -> list[Listed]:
    """The first rows of every stream, merged: each answer's strongest is among them.

    An answer is in its streams at least as far ahead as in the merged list.
    """
    wanted = _wanted(found)
    outside = [grade for grade in Grade if grade not in wanted]
    streams: list[Rows] = []
    for target_id in ids:
        rows = found.narrowed(RestsOn.objects.filter(target_id=target_id), without="grade")
        if outside and not found.single:
            # Stronger by another way, the answer is not one of these.
            others = found.joining().filter(
                answer_id=OuterRef("answer_id"), grade__in=outside, grade__gt=OuterRef("grade")
            )
            rows = rows.filter(~Exists(others))
        for grade in wanted:
            streams += _streams(found.question.sort, rows.filter(grade=grade), after)
    return _merged(found, (shown(stream[:most]) for stream in streams), most)


def _strongest(
    found: Affected, ids: tuple[int, ...], after: tuple[Any, ...] | None, most: int
) -> list[Listed]:
    """Grade by grade, the strongest first."""
    page: list[Listed] = []
    for grade in _wanted(found):
        if after is not None and grade > after[0]:
            continue
        rest = after[1:] if after is not None and grade == after[0] else None
        streams: list[Rows] = []
        for target_id in ids:
            rows = RestsOn.objects.filter(target_id=target_id, grade=grade)
            rows = found.narrowed(rows, without="grade")
            if not found.single:
                others = found.joining().filter(answer_id=OuterRef("answer_id"), grade__gt=grade)
                rows = rows.filter(~Exists(others))
            streams += _streams("newest", rows, rest)
        room = most - len(page)
        page += _merged(found, (shown(stream[:room]) for stream in streams), room)
        if len(page) == most:
            break
    return page


def _wanted(found: Affected) -> list[Grade]:
    """The grades that the question keeps, the strongest first."""
    words = found.question.grades or GRADE_BY_WORD
    return sorted({GRADE_BY_WORD[word] for word in words}, reverse=True)


def _streams(sort: str, rows: Rows, after: tuple[Any, ...] | None) -> Iterator[Rows]:
    """The rows of one grade of one node as the index has them: those without a time come last."""
    if sort != "oldest":
        yield rows.filter(_after(sort, after)).order_by("-at", "answer__uid")
        return
    if after is None or after[0] != UNKNOWN:
        timed = Q() if after is None else _beyond("at__gt", after)
        yield rows.filter(~Q(at=UNKNOWN), timed).order_by("at", "answer__uid")
    timeless = Q(at=UNKNOWN)
    if after is not None and after[0] == UNKNOWN:
        timeless &= Q(answer__uid__gt=after[1])
    yield rows.filter(timeless).order_by("answer__uid")


def _merged(found: Affected, streams: Iterable[Iterable[Listed]], most: int) -> list[Listed]:
    """The first answers of all streams together, each by the strongest of its rows."""
    best: dict[int, Listed] = {}
    for stream in streams:
        for row in stream:
            other = best.get(row.answer_id)
            if other is None or _strength(row) > _strength(other):
                best[row.answer_id] = row
    sort = found.question.sort
    return sorted(best.values(), key=lambda row: _key(sort, row))[:most]


def _strength(row: Listed) -> tuple[int, int, int]:
    return row.grade, row.origin_grade, -row.target_id


def _key(sort: str, row: Listed) -> tuple[Any, ...]:
    if sort == "oldest":
        return row.at == UNKNOWN, row.at, row.uid
    return (-row.grade if sort == "strongest" else 0, -row.at, row.uid)


def _position(sort: str, row: Listed) -> tuple[int | str, ...]:
    """Where the list goes on, as its cursor says it."""
    place = (row.at, row.uid)
    return (row.grade, *place) if sort == "strongest" else place


def _read(sort: str, cursor: str | None) -> tuple[Any, ...] | None:
    if cursor is None:
        return None
    types = (int, int, str) if sort == "strongest" else (int, str)
    position = read_cursor(cursor, *types)
    if None in position:
        raise CursorInvalid
    return position


def _after(sort: str, after: tuple[Any, ...] | None) -> Q:
    """Rows that come after a position in the order of the list."""
    if after is None:
        return Q()
    if sort == "strongest":
        grade, *rest = after
        return Q(grade__lt=grade) | Q(_beyond("at__lt", rest), grade=grade)
    if sort == "newest":
        return _beyond("at__lt", after)
    if after[0] == UNKNOWN:
        return Q(at=UNKNOWN, answer__uid__gt=after[1])
    return Q(at=UNKNOWN) | (~Q(at=UNKNOWN) & _beyond("at__gt", after))


def _beyond(comparison: str, after: Any) -> Q:
    """Later in time's order, or at the same instant and later by uid.

    The bound that both have in common comes first: an index can start there.
    """
    at, uid = after
    return Q(**{f"{comparison}e": at}) & (Q(**{comparison: at}) | Q(answer__uid__gt=uid))
