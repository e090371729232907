"""Whether creators are credited: what the citations of their works show, and what was used without one.

A work is a creator's by the roles that its version states, and by those that only the work
states. The answers are those of the impact report, by its grades, so that every number here
is the length of a list there.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final, Literal

from django.db.models import Q, QuerySet

from citations.rights import Licence, licence_of
from citations.stated import stated
from lineage.models import Node, Reference, RestsOn
from lineage.nodes.visible import visible
from lineage.types import Viewer
from lineage.vocabulary import Edge, Grade

# What the card of a citation tells of a creator: among those who made the work; as its
# publisher only, beside others who made it; not at all, because no creator is stated.
Shown = Literal["named", "published", "unstated"]
SHOWN: Final[tuple[Shown, ...]] = ("named", "published", "unstated")
# Cited by works that the reader may not see; in the context of an answer that cites none of theirs.
BEYOND: Final = "beyond"
UNCREDITED: Final = "uncredited"
CREDITS: Final = (*SHOWN, BEYOND, UNCREDITED)

# Versions that are looked at, the newest first.
MOST_VERSIONS: Final = 5_000
# Answers that are told apart by their citations, the newest; all are counted by grade.
MOST_ANSWERS: Final = 50_000
_PUBLISHER: Final = "publisher"
CREDITED: Final = (Grade.CITED, Grade.IN_CONTEXT)


@dataclass(frozen=True, slots=True)
class CreditedVersion:
    """A version of a work of the creator, visible to the reader, and what its citations show."""

    version_id: int
    source_id: int | None
    shown: Shown
    licence: Licence | None


@dataclass(frozen=True, slots=True)
class Credited:
    """The versions of a creator's works that the reader may see; `truncated`: there are more.

    `since`: answers before this instant (RestsOn.at) are not told apart; None: all are.
    """

    agent_id: int
    versions: tuple[CreditedVersion, ...]
    truncated: bool
    since: int | None

    def ids(self, shown: Shown | None = None, source_id: int | None = None) -> list[int]:
        """Versions whose citations show this, of all works or of one."""
        return [
            each.version_id
            for each in self.versions
            if shown in (None, each.shown) and source_id in (None, each.source_id)
        ]


@dataclass(slots=True)
class _Stated:
    """The roles that works and versions state: of anybody, and of the agent."""

    roles: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    mine: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))


def credited(viewer: Viewer, agent: Node) -> Credited:
    """The versions of the agent's works; nine queries at most."""
    credits_ = _credits(viewer).filter(to_node_id=agent.pk)
    direct = credits_.filter(from_node__kind="source_version").values("from_node_id")
    works = credits_.filter(from_node__kind="source").values("from_node_id")
    versions: dict[int, Node] = {}
    for condition in ({"pk__in": direct}, {"parent_id__in": works}):
        rows = Node.objects.filter(
            workspace_id=viewer.workspace_id, kind="source_version", **condition
        )
        newest = rows.only("kind", "parent_id", "fields").order_by("-pk")[: MOST_VERSIONS + 1]
        versions |= {node.pk: node for node in newest}
    kept = sorted(versions, reverse=True)[:MOST_VERSIONS]
    seen = visible(viewer, [versions[pk] for pk in kept])
    sources = {versions[pk].parent_id for pk in kept}
    told = _stated(viewer, agent, kept, [pk for pk in sources if pk is not None])
    found = [
        CreditedVersion(pk, versions[pk].parent_id, shown, _licence(versions[pk]))
        for pk in kept
        if seen[pk] and (shown := _shown(pk, versions[pk].parent_id or 0, told)) is not None
    ]
    return Credited(
        agent.pk, tuple(found), truncated=len(versions) > MOST_VERSIONS, since=_since(agent.pk)
    )


def answers_of(
    credited_: Credited, code: str = "", source_id: int | None = None
) -> QuerySet[RestsOn]:
    """The answers that cite the creator's works or had them in context; those of one credit code.

    Of one work, if it is given: then what counts is how that work is credited. Each answer
    once: of several citations the best one counts.
    """
    rows = RestsOn.objects.filter(target_id=credited_.agent_id, grade__in=CREDITED)
    if credited_.since is not None:
        rows = rows.filter(at__gte=credited_.since)
    cited, given = Q(grade=Grade.CITED), Q(grade=Grade.IN_CONTEXT)
    if source_id is not None:
        of_work = RestsOn.objects.filter(target_id__in=credited_.ids(source_id=source_id))
        cited = Q(answer_id__in=of_work.filter(grade=Grade.CITED).values("answer_id"))
        given = Q(answer_id__in=of_work.filter(grade=Grade.IN_CONTEXT).values("answer_id")) & ~cited
    if not code:
        return rows.filter(cited | given)
    if code == UNCREDITED:
        return rows.filter(given)
    rows = rows.filter(cited)
    for shown in SHOWN:
        citing = RestsOn.objects.filter(
            target_id__in=credited_.ids(shown, source_id), grade=Grade.CITED
        ).values("answer_id")
        if shown == code:
            return rows.filter(answer_id__in=citing)
        rows = rows.exclude(answer_id__in=citing)
    return rows if code == BEYOND else rows.none()


def _since(agent_id: int) -> int | None:
    """The instant of the oldest answer that is told apart; None where there are no more than that."""
    answers = RestsOn.objects.filter(target_id=agent_id, grade__in=CREDITED).order_by("-at")
    last = list(answers.values_list("at", flat=True)[MOST_ANSWERS - 1 : MOST_ANSWERS + 1])
    return last[0] if len(last) > 1 else None


def _credits(viewer: Viewer) -> QuerySet[Reference]:
    return Reference.objects.filter(
        workspace_id=viewer.workspace_id, edge=Edge.WAS_ATTRIBUTED_TO, from_node__isnull=False
    )


def _stated(
    viewer: Viewer, agent: Node, version_ids: Collection[int], source_ids: Collection[int]
) -> _Stated:
    found = _Stated()
    rows = (
        _credits(viewer)
        .filter(from_node_id__in=[*version_ids, *source_ids])
        .values_list("from_node_id", "properties__role")
        .order_by("from_node_id", "properties__role")
        .distinct()
    )
    for target, some in ((found.roles, rows), (found.mine, rows.filter(to_node_id=agent.pk))):
        for node_id, role in some:
            if node_id is not None:
                target[node_id].add(str(role or "creator"))
    return found


def _shown(version: int, source: int, told: _Stated) -> Shown | None:
    """What a citation of the version shows of the agent; None where it is none of their works."""
    roles = told.mine[version] | (told.mine[source] - told.roles[version])
    if not roles:
        return None
    if roles - {_PUBLISHER}:
        return "named"
    makers = (told.roles[version] | told.roles[source]) - {_PUBLISHER}
    return "published" if makers else "unstated"


def _licence(version: Node) -> Licence | None:
    said = version.fields
    return licence_of(
        stated(said.get("license")), stated(said.get("license_uri")), stated(said.get("rights"))
    )
