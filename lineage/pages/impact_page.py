"""What an impact report shows: numbers, facets with their links, a page of the list with its reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lineage.impact.affected import Affected as Answers
from lineage.impact.affected import affected
from lineage.impact.numbers import Numbers, numbers_of
from lineage.impact.question import Question
from lineage.impact.report import ImpactItem, listed
from lineage.pages.drop_reasons import drop_reasons
from lineage.pages.impact_links import FacetLinks, Links
from lineage.pages.names import name_of, nodes_of
from lineage.types import NodeView, Viewer

PAGE_SIZE: Final = 30


@dataclass(frozen=True, slots=True)
class Step:
    """A node of an explaining chain; its name says so where the viewer may not see it."""

    uid: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Affected:
    """An answer that rests on what is asked about, with the chain that explains it."""

    uid: str
    name: str
    grade: str
    origin_grade: str | None
    state: str
    occurred_at: datetime | None
    because: tuple[Step, ...]
    drop_reason: str | None  # of what was only retrieved: why the model never got it


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page of the list; `next` is the address of the following one, "" after the last."""

    items: tuple[Affected, ...]
    next: str


@dataclass(frozen=True, slots=True)
class ReportNumbers:
    """The numbers with their links. `every`: answers before filters, None while not counted.

    `names`: of the sources among the facets, by uid.
    """

    numbers: Numbers
    every: int | None
    facets: tuple[FacetLinks, ...]
    names: dict[str, str]


def found_for(viewer: Viewer, question: Question) -> Answers:
    """The answers of the question, so that list and numbers are of one. Raises NotFound, QuestionInvalid."""
    return affected(viewer, question)


def list_page(
    found: Answers, links: Links, cursor: str | None, counts: Mapping[str, int] | None
) -> ListPage:
    """A page of the list; `counts` by grade, where they are known of now. Raises CursorInvalid."""
    items, following = listed(found, limit=PAGE_SIZE, cursor=cursor, counts=counts)
    named = nodes_of(found.viewer, _uids(items))
    dropped = drop_reasons(found.viewer, items)
    return ListPage(
        tuple(
            Affected(
                uid=item.uid,
                name=name_of(named[item.uid]) if item.uid in named else item.key,
                grade=item.grade,
                origin_grade=item.origin_grade,
                state=item.state,
                occurred_at=item.occurred_at,
                because=_because(item, named, links.node),
                drop_reason=dropped.get(item.uid),
            )
            for item in items
        ),
        links.page(following) if following else "",
    )


def report_numbers(found: Answers, links: Links) -> ReportNumbers:
    """The numbers as far as they are counted; those of a large report come by and by."""
    numbers = numbers_of(found)
    facets = tuple(links.facet(facet) for facet in numbers.facets)
    sources = {c.value for facet in facets if facet.name == "source" for c in facet.choices}
    named = nodes_of(found.viewer, sources - {""})
    return ReportNumbers(
        numbers=numbers,
        every=None if numbers.counts is None else sum(numbers.counts.values()),
        facets=facets,
        names={uid: name_of(view) for uid, view in named.items()},
    )


def _because(item: ImpactItem, named: dict[str, NodeView], node: str) -> tuple[Step, ...]:
    # The page of a node is about it: the chain begins after it.
    chain = [uid for uid in item.because if uid in named and uid != node]
    return tuple(Step(uid, named[uid].kind, name_of(named[uid])) for uid in chain)


def _uids(items: Sequence[ImpactItem]) -> set[str]:
    return {item.uid for item in items} | {uid for item in items for uid in item.because}
