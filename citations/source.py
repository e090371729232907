"""The source page: the work, its versions in time, what was said about it, what it grounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final

from django.db.models import Q

from citations.acquisitions import AcquisitionRow, acquisitions_of
from citations.bibliography import Bibliography, bibliography_of
from citations.freshness import looks_at
from citations.status import HIDDEN, Notice, Status, notices_of, status_of
from citations.timeline import VersionRow, creators_of, grounded, hidden_row, version_row
from citations.upstream import upstream_of
from citations.versions import MOST_VERSIONS, Version, comparable, versions_of
from lineage.cases.register import Active, active, has_active, withdrawals_of
from lineage.models import Node, Withdrawal
from lineage.nodes.find import find
from lineage.nodes.states import node_states
from lineage.nodes.visible import visible
from lineage.types import Erased, JsonValue, NotFound, Viewer, Warned
from lineage.vocabulary import OBSERVED
from provexplorer import clock
from provexplorer.workspaces.audit.reads import note_hidden

__all__ = [
    "AcquisitionRow",
    "SourcePage",
    "VersionRow",
    "source_page",
]

# Versions on one page.
PAGE_LENGTH: Final = 50
_MOST_NOTICES: Final = 200
_NO_CREATOR: Final = "creator_missing"


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A source as this reader may see it; hidden: without title, identifiers and creators."""

    uid: str
    hidden: bool
    resolved: bool
    bibliography: Bibliography | None
    status: Status
    notices: tuple[Notice, ...]
    versions: tuple[VersionRow, ...]  # those of this page, newest first
    versions_total: int
    page: int  # from 1
    pages: int
    comparable: tuple[Version, ...]  # all whose texts can be compared, newest first
    acquisitions: tuple[AcquisitionRow, ...]  # newest first
    acquisitions_total: int
    answers: Mapping[str, int]  # of the work as a whole, each answer once by its strongest grade
    recorded_at: datetime
    flags: tuple[Warned, ...]
    attributes: Mapping[str, JsonValue]


def source_page(viewer: Viewer, uid: str, page: int = 1) -> SourcePage:
    """The page of one source, with the nearest page of its versions that there is.

    Raises lineage.types.NotFound for an unknown or foreign uid, Moved for an alias, and
    Erased, with the tombstone.
    """
    source = find(viewer, uid)
    if source.kind != "source":
        raise NotFound(uid)
    state = node_states(viewer.workspace_id, [source])[source.pk]
    if state.erasure is not None:
        raise Erased(source.uid, state.erasure.case_kind, state.erasure.at, state.erasure.case_uid)
    versions = versions_of(viewer, source)
    pages = max(1, -(-len(versions) // PAGE_LENGTH))
    number = max(1, min(page, pages))
    on_page = versions[(number - 1) * PAGE_LENGTH : number * PAGE_LENGTH]
    seen = visible(viewer, [source, *versions])
    shown = [version for version in versions if seen[version.pk]]
    if not seen[source.pk]:
        note_hidden(viewer, source.uid)
        return _hidden(source, on_page, _Place(_count(viewer, source, versions), number, pages))
    cases = withdrawals_of(viewer.workspace_id, [source.pk, *(each.pk for each in shown)])
    counts = grounded([source.pk, *(each.pk for each in on_page if seen[each.pk])])
    # What was made by looking states nothing of the work.
    stating = [version for version in shown if version.namespace != OBSERVED]
    newest = next(iter(stating or shown), None)
    named = [source] if newest is None else [source, newest]
    book = bibliography_of(newest, source, upstream_of(viewer.workspace_id, named))
    rows, total = acquisitions_of(viewer.workspace_id, shown)
    creators = creators_of(viewer, [each for each in on_page if seen[each.pk]])
    held = [each.told for each in comparable(viewer, shown)]
    before = {one.uid: older.uid for one, older in pairwise(held)}
    on_newest = cases.get(newest.pk, ()) if newest is not None else ()
    return SourcePage(
        uid=source.uid,
        hidden=False,
        resolved=source.resolved,
        bibliography=book,
        status=looks_at(viewer.workspace_id, [source.pk]).of_source(
            status_of([*cases.get(source.pk, ()), *on_newest]), source.pk
        ),
        notices=_notices(viewer.workspace_id, source, shown, cases),
        versions=tuple(
            version_row(
                each,
                cases.get(each.pk, ()),
                counts.get(each.pk, {}),
                creators.get(each.pk, ()),
                before.get(each.uid),
            )
            if seen[each.pk]
            else hidden_row(each)
            for each in on_page
        ),
        versions_total=_count(viewer, source, versions),
        page=number,
        pages=pages,
        comparable=tuple(held),
        acquisitions=rows,
        acquisitions_total=total,
        answers=counts.get(source.pk, {}),
        recorded_at=source.recorded_at,
        flags=tuple(
            # What its newest version states is stated.
            Warned(**flag)
            for flag in source.flags
            if flag["code"] != _NO_CREATOR or book is None or not book.creators
        ),
        attributes=source.attributes,
    )


@dataclass(frozen=True, slots=True)
class _Place:
    total: int
    page: int
    pages: int


def _count(viewer: Viewer, source: Node, versions: Sequence[Node]) -> int:
    """How many versions there are; counted only where not all were read."""
    if len(versions) < MOST_VERSIONS:
        return len(versions)
    return Node.objects.filter(
        workspace_id=viewer.workspace_id, parent_id=source.pk, kind="source_version"
    ).count()


def _hidden(source: Node, versions: Sequence[Node], place: _Place) -> SourcePage:
    return SourcePage(
        uid=source.uid,
        hidden=True,
        resolved=source.resolved,
        bibliography=None,
        status=HIDDEN,
        notices=(),
        versions=tuple(hidden_row(version) for version in versions),
        versions_total=place.total,
        page=place.page,
        pages=place.pages,
        comparable=(),
        acquisitions=(),
        acquisitions_total=0,
        answers={},
        recorded_at=source.recorded_at,
        flags=(),
        attributes={},
    )


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
