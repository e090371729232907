"""What looks at a source came to, for people: the looks, the newest first, and what became of what is cited."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Q

from lineage.cases.register import passage_hidden, withdrawals_of
from lineage.freshness.state import Freshness, freshness_of, is_watching
from lineage.freshness.taking import address_of_source
from lineage.models import Node, PassageVerdict, Reference, SourceCheck, SourceWatch
from lineage.models.freshness import Verdict
from lineage.nodes.find import find
from lineage.nodes.paging import DEFAULT_LIMIT, bounded, read_cursor, write_cursor
from lineage.nodes.visible import visible
from lineage.types import JsonValue, NotFound, Viewer
from lineage.vocabulary import Edge
from provexplorer import clock

# Passages that are told of, the worst first.
MOST_PASSAGES: Final = 50
_MOST_CITATIONS: Final = 500
_MOST_COPIES: Final = 5


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One look; `final_uri` where a redirect led elsewhere for good, `signals` what the site said of rights."""

    at: datetime
    outcome: str
    status: int | None
    failure: str
    moved: bool
    asked_for: bool
    acquisition_uid: str | None
    version_uid: str | None
    final_uri: str | None
    signals: JsonValue


@dataclass(frozen=True, slots=True)
class ArchivedCopy:
    """A copy that an archive has; `at` as the archive states it."""

    uri: str
    at: str


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A cited passage that is not what it was, and one of the citations that quote it."""

    uid: str
    verdict: str
    citation_uid: str | None


@dataclass(frozen=True, slots=True)
class Checks:
    """The watch of one source, and a page of the looks at it.

    `address` is where it is looked at, None where the source states none. `watching`: whether
    the workspace is watched at all.
    """

    uid: str
    title: str | None
    address: str | None
    watching: bool
    fresh: Freshness | None
    rows: tuple[CheckRow, ...]
    next: str | None
    total: int
    copies: tuple[ArchivedCopy, ...]
    passages: tuple[PassageRow, ...]


def checks_of(
    viewer: Viewer, uid: str, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None
) -> Checks:
    """The looks at a source.

    Raises NotFound for what is no source, foreign or not visible, Moved for an alias,
    CursorInvalid.
    """
    source = find(viewer, uid)
    if source.kind != "source" or not visible(viewer, [source])[source.pk]:
        raise NotFound(uid)
    size = bounded(limit)
    looks = SourceCheck.objects.filter(source=source)
    after = read_cursor(cursor, int)[0] if cursor else None
    page = looks.filter(pk__lt=after) if after is not None else looks
    found = list(page.select_related("acquisition", "version").order_by("-pk")[: size + 1])
    seen = _seen(viewer, found)
    title = source.fields.get("title")
    return Checks(
        uid=source.uid,
        title=title if isinstance(title, str) else None,
        address=address_of_source(source) or None,
        watching=is_watching(viewer.workspace_id),
        fresh=freshness_of(viewer, [source.pk]).get(source.pk),
        rows=tuple(_row(check, seen) for check in found[:size]),
        next=write_cursor(found[size - 1].pk) if len(found) > size else None,
        total=looks.count(),
        copies=_copies(found, seen) if cursor is None else (),
        passages=_passages(viewer, source) if cursor is None else (),
    )


def _seen(viewer: Viewer, checks: Sequence[SourceCheck]) -> set[int]:
    """The records of these looks that the viewer may see."""
    nodes = [n for check in checks for n in (check.acquisition, check.version) if n is not None]
    return {pk for pk, may in visible(viewer, nodes).items() if may} if nodes else set()


def _row(check: SourceCheck, seen: set[int]) -> CheckRow:
    acquisition = check.acquisition if check.acquisition_id in seen else None
    version = check.version if check.version_id in seen else None
    said = acquisition.fields if acquisition is not None else {}
    final = said.get("final_uri")
    return CheckRow(
        at=check.at,
        outcome=check.outcome,
        status=check.status,
        failure=check.failure,
        moved=check.moved,
        asked_for=check.asked_for,
        acquisition_uid=acquisition.uid if acquisition is not None else None,
        version_uid=version.uid if version is not None else None,
        final_uri=final if check.moved and isinstance(final, str) else None,
        signals=said.get("rights_signals"),
    )


def _copies(checks: Sequence[SourceCheck], seen: set[int]) -> tuple[ArchivedCopy, ...]:
    """What archives had when the source was last found to be gone; none where it is there."""
    if not checks or checks[0].outcome != "gone" or checks[0].acquisition_id not in seen:
        return ()
    acquisition = checks[0].acquisition
    listed = acquisition.attributes.get("archived") if acquisition is not None else None
    rows = listed if isinstance(listed, list) else []
    return tuple(
        ArchivedCopy(row["uri"], row["at"])
        for row in rows[:_MOST_COPIES]
        if isinstance(row, dict) and isinstance(row.get("uri"), str) and isinstance(row.get("at"), str)
    )  # fmt: skip


def _passages(viewer: Viewer, source: Node) -> tuple[PassageRow, ...]:
    """Cited passages that are not what they were, as far as the viewer may see them."""
    wrong = (Verdict.GONE, Verdict.CHANGED, Verdict.AMBIGUOUS)
    rows = PassageVerdict.objects.filter(source=source, verdict__in=wrong).select_related("passage")
    found = sorted(
        rows.order_by("pk")[:MOST_PASSAGES], key=lambda row: (wrong.index(Verdict(row.verdict)), row.pk)
    )  # fmt: skip
    nodes = [row.passage for row in found]
    may = visible(viewer, nodes)
    cases = withdrawals_of(viewer.workspace_id, [node.pk for node in nodes])
    shown = [
        row
        for row in found
        if may[row.passage_id] and passage_hidden(cases.get(row.passage_id, ())) is None
    ]
    quoting = Reference.objects.filter(
        workspace_id=viewer.workspace_id,
        edge=Edge.WAS_QUOTED_FROM,
        to_node_id__in=[row.passage_id for row in shown],
    ).order_by("-pk")
    citations = dict(quoting.values_list("to_node_id", "from_node__uid")[:_MOST_CITATIONS])
    return tuple(
        PassageRow(row.passage.uid, row.verdict, citations.get(row.passage_id)) for row in shown
    )


@dataclass(frozen=True, slots=True)
class WatchNumbers:
    """The watch of a workspace in numbers: sources by their last outcome, "" for those not looked at yet."""

    watching: bool
    sources: int
    by_outcome: dict[str, int]
    due: int
    paused: int
    drifting: int  # sources of which cited passages were changed or gone


def watch_numbers(viewer: Viewer) -> WatchNumbers:
    """How the watch of the workspace stands."""
    rows = SourceWatch.objects.filter(workspace_id=viewer.workspace_id)
    told = rows.aggregate(
        due=Count("pk", filter=Q(paused=False, next_at__lte=clock.now())),
        paused=Count("pk", filter=Q(paused=True)),
        drifting=Count("pk", filter=Q(drifted__gt=0)),
    )
    counted = rows.values("outcome").annotate(n=Count("pk")).order_by("outcome")
    by_outcome = {each["outcome"]: each["n"] for each in counted}
    return WatchNumbers(
        watching=is_watching(viewer.workspace_id),
        sources=sum(by_outcome.values()),
        by_outcome=by_outcome,
        **told,
    )
