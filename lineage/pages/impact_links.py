"""The addresses of a report: each filter, order and export is a link that says the whole question.

Pages list the strongest answers first where the address names no order.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from lineage.impact.facets import Facet, bounds_of
from lineage.impact.question import SORTS, Question, RunTimes, Sort, read_question, write_question
from lineage.types import Viewer

DEFAULT_SORT: Final[Sort] = "strongest"
EXPORTS: Final[tuple[tuple[str, str, dict[str, str]], ...]] = (
    ("CSV", "get_impact_csv", {}),
    ("JSON Lines", "get_impact_json_lines", {}),
    ("PROV-JSON", "get_impact_prov", {"format": "json"}),
    ("Turtle", "get_impact_prov", {"format": "turtle"}),
)
_EXPORT_PATHS: Final = {
    "get_impact_csv": "/api/v1/impact.csv",
    "get_impact_json_lines": "/api/v1/impact.jsonl",
    "get_impact_prov": "/api/v1/impact.prov",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a facet as a link; without one where nothing can be chosen by it."""

    value: str
    count: int
    chosen: bool
    href: str


@dataclass(frozen=True, slots=True)
class FacetLinks:
    """A facet of the page; `all_href` drops its filter, and is empty where there is none."""

    name: str
    choices: tuple[Choice, ...]
    more: bool
    all_href: str

    @property
    def telling(self) -> bool:
        """Whether there is anything to choose: where no answer states it, there is not."""
        return bool(self.all_href) or any(choice.href for choice in self.choices)


@dataclass(frozen=True, slots=True)
class Links:
    """Where a report and its variants are.

    `node`: the node whose own page it is, "" for a report of several. `workspace` is named
    where an address alone does not decide it.
    """

    question: Question
    node: str
    workspace: str

    @property
    def path(self) -> str:
        return reverse("impact", args=[self.node]) if self.node else reverse("impact_report")

    def of(self, question: Question, **more: str) -> str:
        """The address of another question about the same."""
        asked = replace(question, nodes=()) if self.node else question
        query = write_question(replace(asked, sort="newest"))
        if question.sort != DEFAULT_SORT:
            more = {"sort": question.sort, **more}
        if not self.node:
            more = {**more, "ws": self.workspace}
        parts = [part for part in (query, urlencode(more)) if part]
        return f"{self.path}?{'&'.join(parts)}" if parts else self.path

    @property
    def here(self) -> str:
        """The address of this very report, from its first page on."""
        return self.of(self.question)

    @property
    def everything(self) -> str:
        """The same without any filter."""
        return self.of(unfiltered(self.question))

    @property
    def undated(self) -> str:
        """The same with what runs without a time made, or without it, where it is in."""
        made = self.question.made or RunTimes()
        return self.of(replace(self.question, made=replace(made, undated=not made.undated)))

    @property
    def undated_alone(self) -> str:
        """Only what runs without a time made."""
        return self.of(replace(self.question, made=RunTimes(undated=True)))

    @property
    def form(self) -> str:
        """The form that asks this question."""
        return self._query(reverse("impact_report"), {"edit": "1"})

    @property
    def incident(self) -> str:
        """The form that saves this question as an incident."""
        return self._query(reverse("incident_new"), {})

    @property
    def case(self) -> str:
        """The form that files a case about what is asked about."""
        return self._query(reverse("case_new"), {})

    def claims(self, *, kept: bool = False, cursor: str = "") -> str:
        """The claims that cite what is asked about, or those of them that keep an independent source."""
        more = {"kept": "1" if kept else "", "cursor": cursor}
        chosen = {name: value for name, value in more.items() if value}
        return self._query(reverse("impact_claims"), chosen)

    @property
    def every_claim(self) -> str:
        return self.claims()

    @property
    def kept_claims(self) -> str:
        return self.claims(kept=True)

    def page(self, cursor: str) -> str:
        """The page of the list that follows."""
        return self.of(self.question, cursor=cursor)

    def grade(self, grade: str) -> str:
        """All answers of a grade; other filters are dropped, so that it is the number of its tile."""
        return self.of(replace(unfiltered(self.question), grades=(grade,)))

    def sorts(self) -> list[tuple[Sort, str]]:
        """Every order, the page's own first."""
        ordered = sorted(SORTS, key=lambda sort: sort != DEFAULT_SORT)
        return [(sort, self.of(replace(self.question, sort=sort))) for sort in ordered]

    def exports(self) -> list[tuple[str, str]]:
        """Every format of the whole list, with its address."""
        return [
            (label, self._query(_EXPORT_PATHS[operation], dict(more)))
            for label, operation, more in EXPORTS
        ]

    def facet(self, facet: Facet) -> FacetLinks:
        """A facet with the address that each value opens: that of the same, with this value alone."""
        choices = tuple(
            Choice(
                each.value,
                each.count,
                each.chosen,
                self.of(with_value(self.question, facet.name, "" if each.chosen else each.value))
                if each.value
                else "",
            )
            for each in facet.values
        )
        dropped = with_value(self.question, facet.name, "")
        return FacetLinks(
            facet.name, choices, facet.more, self.of(dropped) if dropped != self.question else ""
        )

    def _query(self, path: str, more: Mapping[str, str]) -> str:
        query = write_question(self.question)
        return f"{path}?{query}&{urlencode({**more, 'ws': self.workspace})}"


def with_value(question: Question, facet: str, value: str) -> Question:
    """The question with this one value of a filter; an empty one drops the filter."""
    if facet == "month":
        since, until = bounds_of(value) if value else (None, None)
        return replace(question, since=since, until=until)
    chosen: dict[str, Any] = {f"{facet}s": (value,) if value else ()}
    return replace(question, **chosen)


def unfiltered(question: Question) -> Question:
    """The same question without filters, in the same order."""
    return Question(
        nodes=question.nodes,
        component=question.component,
        made_by=question.made_by,
        made=question.made,
        sort=question.sort,
    )


def asked_on_page(request: HttpRequest, node: str = "") -> Question:
    """The question of a page's address; on a node's own page it is about that node alone.

    Raises QuestionInvalid.
    """
    question = read_question(request.GET)
    if not request.GET.get("sort"):
        question = replace(question, sort=DEFAULT_SORT)
    if node:
        question = replace(question, nodes=(node,), component=None, made_by="", made=None)
    return question


def links_of(viewer: Viewer, question: Question, node: str = "") -> Links:
    """The addresses of a report and of all that it leads to."""
    return Links(question, node, viewer.slug)
