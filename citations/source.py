"""The source page: the work, its versions in time, what was said about it, what it grounds."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Q

from citations.acquisitions import AcquisitionRow, acquisitions_of
from citations.bibliography import Bibliography, bibliography_of
from citations.creator import CreatorPage, WorkOfCreator, creator_page
from citations.rights import Licence, licence_of
from citations.stated import stated
from citations.status import HIDDEN, Notice, Status, notices_of, status_of
from citations.upstream import upstream_of
from lineage.cases.register import Active, active, has_active, withdrawals_of
from lineage.models import Node, RestsOn, Withdrawal
from lineage.nodes.credits import credits_of
from lineage.nodes.find import find
from lineage.nodes.states import node_states
from lineage.nodes.visible import visible
from lineage.types import Erased, JsonValue, NotFound, Viewer, Warned
from lineage.vocabulary import Grade
from provexplorer import clock

__all__ = [
    "AcquisitionRow",
    "CreatorPage",
    "SourcePage",
    "VersionRow",
    "WorkOfCreator",
    "creator_page",
    "source_page",
]

MOST_VERSIONS: Final = 200
_MOST_NOTICES: Final = 200
_NO_CREATOR: Final = "creator_missing"


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version of the work; `answers` counts the answers that rest on it by grade word.

    A version that this reader may not see has only its uid and `hidden`; its counts are empty.
    """

    uid: str
    hidden: bool
    resolved: bool
    version: str | None
    published_at: str | None
    modified_at: str | None
    valid_from: str | None
    valid_until: str | None
    occurred_at: datetime | None
    digest: str | None
    media_type: str | None
    license: Licence | None
    creators: tuple[str, ...]  # as this version states them, in its order
    status: Status
    answers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A source as this reader may see it; hidden: without title, identifiers and creators."""

    uid: str
    hidden: bool
    resolved: bool
    bibliography: Bibliography | None
    status: Status
    notices: tuple[Notice, ...]
    versions: tuple[VersionRow, ...]  # newest first
    versions_total: int
    acquisitions: tuple[AcquisitionRow, ...]  # newest first
    acquisitions_total: int
    answers: Mapping[str, int]  # of the work as a whole, each answer once by its strongest grade
    recorded_at: datetime
    flags: tuple[Warned, ...]
    attributes: Mapping[str, JsonValue]


def source_page(viewer: Viewer, uid: str) -> SourcePage:
    """The page of one source.

    Raises lineage.types.NotFound for an unknown or foreign uid, Moved for an alias, and
    Erased, with the tombstone.
    """
    source = find(viewer, uid)
    if source.kind != "source":
        raise NotFound(uid)
    state = node_states(viewer.workspace_id, [source])[source.pk]
    if state.erasure is not None:
        raise Erased(source.uid, state.erasure.case_kind, state.erasure.at, state.erasure.case_uid)
    of_source = Node.objects.filter(
        workspace_id=viewer.workspace_id, parent_id=source.pk, kind="source_version"
    )
    versions = _newest_first(list(of_source.order_by("-pk")[:MOST_VERSIONS]))
    seen = visible(viewer, [source, *versions])
    shown = [version for version in versions if seen[version.pk]]
    if not seen[source.pk]:
        return _hidden(source, versions)
    cases = withdrawals_of(viewer.workspace_id, [source.pk, *(each.pk for each in shown)])
    grounded = _grounded([source.pk, *(each.pk for each in shown)])
    newest = shown[0] if shown else None
    named = [source] if newest is None else [source, newest]
    book = bibliography_of(newest, source, upstream_of(viewer.workspace_id, named))
    rows, total = acquisitions_of(viewer.workspace_id, shown)
    creators = _creators(viewer, shown)
    on_newest = cases.get(newest.pk, ()) if newest is not None else ()
    return SourcePage(
        uid=source.uid,
        hidden=False,
        resolved=source.resolved,
        bibliography=book,
        status=status_of([*cases.get(source.pk, ()), *on_newest]),
        notices=_notices(viewer.workspace_id, source, shown, cases),
        versions=tuple(
            _version(
                each, cases.get(each.pk, ()), grounded.get(each.pk, {}), creators.get(each.pk, ())
            )
            if seen[each.pk]
            else _hidden_version(each)
            for each in versions
        ),
        versions_total=of_source.count(),
        acquisitions=rows,
        acquisitions_total=total,
        answers=grounded.get(source.pk, {}),
        recorded_at=source.recorded_at,
        flags=tuple(
            # What its newest version states is stated.
            Warned(**flag)
            for flag in source.flags
            if flag["code"] != _NO_CREATOR or book is None or not book.creators
        ),
        attributes=source.attributes,
    )


def _newest_first(versions: list[Node]) -> list[Node]:
    """By the date that the version states, else by when it was recorded to be so."""

    def date(version: Node) -> tuple[str, str]:
        stated = version.fields.get("modified_at") or version.fields.get("published_at")
        sighted = version.occurred_at.isoformat() if version.occurred_at else ""
        return str(stated or sighted), sighted

    return sorted(versions, key=date, reverse=True)


def _hidden(source: Node, versions: Sequence[Node]) -> SourcePage:
    return SourcePage(
        uid=source.uid,
        hidden=True,
        resolved=source.resolved,
        bibliography=None,
        status=HIDDEN,
        notices=(),
        versions=tuple(_hidden_version(version) for version in versions),
        versions_total=len(versions),
        acquisitions=(),
        acquisitions_total=0,
        answers={},
        recorded_at=source.recorded_at,
        flags=(),
        attributes={},
    )


def _version(
    version: Node,
    cases: Sequence[Active],
    answers: Mapping[str, int],
    creators: tuple[str, ...],
) -> VersionRow:
    said = version.fields
    return VersionRow(
        uid=version.uid,
        hidden=False,
        resolved=version.resolved,
        version=stated(said.get("version")),
        published_at=stated(said.get("published_at")),
        modified_at=stated(said.get("modified_at")),
        valid_from=stated(said.get("valid_from")),
        valid_until=stated(said.get("valid_until")),
        occurred_at=version.occurred_at,
        digest=version.digest or None,
        media_type=stated(said.get("media_type")),
        license=licence_of(
            stated(said.get("license")), stated(said.get("license_uri")), stated(said.get("rights"))
        ),
        creators=creators,
        status=status_of(cases),
        answers=answers,
    )


def _hidden_version(version: Node) -> VersionRow:
    return VersionRow(
        uid=version.uid,
        hidden=True,
        resolved=version.resolved,
        version=None,
        published_at=None,
        modified_at=None,
        valid_from=None,
        valid_until=None,
        occurred_at=None,
        digest=None,
        media_type=None,
        license=None,
        creators=(),
        status=HIDDEN,
        answers={},
    )


def _creators(viewer: Viewer, versions: Sequence[Node]) -> dict[int, tuple[str, ...]]:
    """The names that versions state, by node id; those that state none are left out."""
    stating = [version for version in versions if version.fields.get("creators")]
    if not stating:
        return {}
    credited = credits_of(viewer, stating)
    return {pk: tuple(each.name for each in creators) for pk, (creators, _) in credited.items()}


def _grounded(node_ids: Collection[int]) -> dict[int, dict[str, int]]:
    """How many answers rest on each node, by grade word, the strongest grade first."""
    rows = (
        RestsOn.objects.filter(target_id__in=node_ids)
        .values("target_id", "grade")
        .annotate(answers=Count("pk"))
        .order_by("target_id", "-grade")
        .values_list("target_id", "grade", "answers")
    )
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    for target_id, grade, answers in rows:
        counts[target_id][Grade(grade).word] = answers
    return dict(counts)


def _notices(
    workspace_id: int,
    source: Node,
    versions: Sequence[Node],
    cases: Mapping[int, Sequence[Active]],
) -> tuple[Notice, ...]:
    """Cases in effect on the work, its versions, and what was made of them, the latest first."""
    found = {row for node in (source, *versions) for row in cases.get(node.pk, ())}
    if has_active(workspace_id):
        ids = [version.pk for version in versions]
        rows = (
            Withdrawal.objects.filter(
                active(clock.now()),
                Q(node_id__in=[source.pk, *ids]) | Q(node__version_id__in=ids),
                workspace_id=workspace_id,
            )
            .order_by("-at", "case__uid")
            .values_list("case__uid", "case__kind", "at", "node__uid")[:_MOST_NOTICES]
        )
        found |= {Active(*row) for row in rows}
    ordered = sorted(found, key=lambda row: (-row.at.timestamp(), row.case_uid, row.node_uid))
    return notices_of(ordered[:_MOST_NOTICES])
