"""The credit that creators get: counted in all and by licence, from what citations of their works show."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Count

from citations.credit import CREDITS, SHOWN, Credited, CreditedVersion
from citations.rights import Licence
from citations.tally import Tally, tally
from lineage.models import Reference
from lineage.types import Viewer
from lineage.vocabulary import Edge

# Licences that are told apart, the most cited ones.
MOST_LICENCES: Final = 12


@dataclass(frozen=True, slots=True)
class CreditRow:
    """How often something is so: in how many answers, and by how many citations.

    Of what the reader may not see and of what was used without a citation there are none.
    """

    code: str
    answers: int
    citations: int


@dataclass(frozen=True, slots=True)
class LicenceRow:
    """The works under one licence: citations by what they show, and answers that used them uncited.

    An answer counts at each licence of the works it used. `licence` None: none is stated.
    """

    licence: Licence | None
    versions: int
    citations: Mapping[str, int]
    uncredited: int

    @property
    def asks_credit(self) -> bool:
        """Whether the licence asks that the creators be credited, as far as is known."""
        return self.licence is not None and "attribution" in self.licence.asks

    @property
    def naming(self) -> int:
        """Citations that name the creator, as creator or as publisher."""
        return self.citations["named"] + self.citations["published"]

    @property
    def not_naming(self) -> int:
        return self.citations["unstated"]


@dataclass(frozen=True, slots=True)
class Coverage:
    """The credit that a creator gets; `answers` cite their works or had them in context.

    `recent`: only the newest of those are told apart. `truncated`: only the newest versions are.
    """

    rows: tuple[CreditRow, ...]
    licences: tuple[LicenceRow, ...]
    licences_beyond: int
    answers: int
    recent: bool
    truncated: bool


def coverage(viewer: Viewer, credited_: Credited) -> Coverage:
    """How the creator is credited, in all and by licence."""
    citations = _citations(viewer, credited_.ids())
    shown = {each.version_id: each.shown for each in credited_.versions}
    by_shown: Counter[str] = Counter()
    for version_id, count in citations.items():
        by_shown[shown[version_id]] += count
    told = tally(credited_)
    rows = tuple(CreditRow(code, told.answers[code], by_shown[code]) for code in CREDITS)
    licences = _by_licence(credited_, citations, told)
    return Coverage(
        rows=rows,
        licences=licences[:MOST_LICENCES],
        licences_beyond=max(0, len(licences) - MOST_LICENCES),
        answers=sum(told.answers.values()),
        recent=credited_.since is not None,
        truncated=credited_.truncated,
    )


def _citations(viewer: Viewer, version_ids: Collection[int]) -> dict[int, int]:
    """How many citations quote each version."""
    rows = (
        Reference.objects.filter(
            workspace_id=viewer.workspace_id,
            edge=Edge.WAS_QUOTED_FROM,
            to_node__version_id__in=version_ids,
            from_node__isnull=False,
        )
        .values("to_node__version_id")
        .annotate(citations=Count("from_node_id", distinct=True))
        .order_by("to_node__version_id")
        .values_list("to_node__version_id", "citations")
    )
    return {pk: count for pk, count in rows if pk is not None}


def _by_licence(
    credited_: Credited, citations: Mapping[int, int], told: Tally
) -> tuple[LicenceRow, ...]:
    """The most cited licences first; of equal ones by their names."""
    versions: dict[str, list[CreditedVersion]] = defaultdict(list)
    for each in credited_.versions:
        versions[each.licence.as_stated if each.licence else ""].append(each)
    ordered = sorted(
        versions.items(),
        key=lambda item: (-sum(citations.get(v.version_id, 0) for v in item[1]), item[0]),
    )
    return tuple(
        LicenceRow(
            licence=some[0].licence,
            versions=len(some),
            citations=_shown_counts(some, citations),
            uncredited=len(
                frozenset().union(*(told.uncredited.get(v.version_id, frozenset()) for v in some))
            ),
        )
        for _, some in ordered
    )


def _shown_counts(
    versions: Iterable[CreditedVersion], citations: Mapping[int, int]
) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for each in versions:
        counts[each.shown] += citations.get(each.version_id, 0)
    return {shown: counts[shown] for shown in SHOWN}
