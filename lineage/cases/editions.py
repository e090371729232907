"""The versions of the works that claims cite, their documents, and which of them is the newest."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.utils.dateparse import parse_date, parse_datetime

from lineage.cases.ancestry import Ancestry, ancestry, sliced
from lineage.cases.citing import Cited, Ruling, rulings
from lineage.cases.effects import LEAVES_WORDS
from lineage.models import Reference
from lineage.types import JsonValue
from lineage.vocabulary import Edge
from provexplorer.clock import BEFORE_ALL


@dataclass(frozen=True, slots=True)
class Edition:
    """A version of a work, or a document of one; `dated` is None where its records give no time."""

    id: int
    uid: str
    dated: datetime | None
    recorded_at: datetime
    has_text: bool

    def order(self) -> tuple[datetime, datetime, str]:
        return (self.dated or BEFORE_ALL, self.recorded_at, self.uid)


@dataclass(slots=True)
class Works:
    """What is known of the works: versions by source, documents by version, revisions, cases above them."""

    source_of: dict[int, int] = field(default_factory=dict)
    versions: dict[int, dict[int, Edition]] = field(default_factory=lambda: defaultdict(dict))
    documents: dict[int, list[Edition]] = field(default_factory=lambda: defaultdict(list))
    revises: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    tree: Ancestry = field(default_factory=lambda: Ancestry(frozenset(), {}))
    rulings: dict[int, tuple[Ruling, ...]] = field(default_factory=dict)

    def is_doubted(self, node_id: int, case_id: int, beside: Collection[int]) -> bool:
        """Whether the text of this version or document corrects nothing under the case.

        That or any other case in effect is on it, or on what made it. Not counted: a case on the
        whole work, and another one on a node in `beside`, what stands above the citation: that
        reaches the citation itself.
        """
        above = self.tree.upstream_of(node_id) - self.versions.keys()
        return any(
            row.case_id == case_id or (cause not in beside and row.case_kind not in LEAVES_WORDS)
            for cause in above & self.rulings.keys()
            for row in self.rulings[cause]
        )

    def newest(self, cited: int) -> Edition:
        """The newest version of the cited version's work: by revision, and else by date."""
        editions = self.versions[self.source_of[cited]]
        mine, before = editions[cited], self._revised_by(cited)
        newer = {
            one.id: one
            for one in editions.values()
            if cited in self._revised_by(one.id)
            or (one.id not in before and _is_later(one.dated, mine.dated))
        }
        revised = {old for one in newer for old in self._revised_by(one)}
        heads = [one for one in newer.values() if one.id not in revised]
        return max(heads, key=Edition.order, default=mine)

    def _revised_by(self, version_id: int) -> set[int]:
        """What the version revises, directly or not."""
        seen: set[int] = set()
        waiting = [version_id]
        while waiting:
            for earlier in self.revises.get(waiting.pop(), ()):
                if earlier not in seen:
                    seen.add(earlier)
                    waiting.append(earlier)
        return seen


def works_of(workspace_id: int, cited: Cited, citations: Collection[int]) -> Works:
    """Everything known of the works above these citations."""
    works = Works()
    sources = {node.id for one in citations for node in cited.of_kind(one, "source")}
    for row in _edges(workspace_id, Edge.SPECIALIZATION_OF, sources, "source_version"):
        works.source_of[row.id] = row.cause
        works.versions[row.cause][row.id] = row.edition()
    for row in _edges(workspace_id, Edge.WAS_REVISION_OF, works.source_of, "source_version"):
        works.revises[row.id].add(row.cause)
    for row in _edges(workspace_id, Edge.WAS_DERIVED_FROM, works.source_of, "document"):
        works.documents[row.cause].append(row.edition())
    documents = {one.id for found in works.documents.values() for one in found}
    works.tree = ancestry(workspace_id, documents | works.source_of.keys())
    # Of every case, also where one alone is judged: what it is compared with has to hold under all.
    works.rulings = rulings(workspace_id, works.tree.reached, None, cited.assumed)
    return works


@dataclass(frozen=True, slots=True)
class _Row:
    id: int
    cause: int
    uid: str
    fields: dict[str, JsonValue]
    occurred_at: datetime | None
    recorded_at: datetime
    has_text: bool

    def edition(self) -> Edition:
        """Dated as its fields say (modified, else published), else by the time of its record."""
        dated = (
            instant(self.fields.get("modified_at"))
            or instant(self.fields.get("published_at"))
            or self.occurred_at
        )
        return Edition(self.id, self.uid, dated, self.recorded_at, self.has_text)


def _edges(workspace_id: int, edge: Edge, to_ids: Collection[int], kind: str) -> list[_Row]:
    """Nodes of this kind that an edge leads from to one of these nodes, each end by id."""
    end = "from_node__"
    found = []
    for ids in sliced(to_ids):
        rows = Reference.objects.filter(
            workspace_id=workspace_id, edge=edge, to_node_id__in=ids, from_node__kind=kind
        ).values_list(
            "from_node_id", "to_node_id", f"{end}uid", f"{end}fields",
            f"{end}occurred_at", f"{end}recorded_at", f"{end}has_text",
        )  # fmt: skip
        found += [_Row(*row) for row in rows]
    return found


def instant(stated: JsonValue) -> datetime | None:
    """An instant as a record states it; a date alone is its first moment, in UTC."""
    if not isinstance(stated, str):
        return None
    try:
        moment = parse_datetime(stated)
        if moment is None and (day := parse_date(stated)):
            moment = datetime(day.year, day.month, day.day, tzinfo=UTC)
    except ValueError:
        return None
    if moment is None:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _is_later(one: datetime | None, other: datetime | None) -> bool:
    return one is not None and other is not None and one > other
