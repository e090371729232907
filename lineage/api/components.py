"""GET /components/UID and /compare: a component with its versions and runs; what changed from one to another."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.impact import Counts
from lineage.api.paging import LIMIT, Cursor, Limit
from lineage.api.schemas import Instant, Node, NodeOutline, Number, Page, number_out, outline
from lineage.comparison.compare import Compared, ComparisonView, FactQuality, Stage, comparison
from lineage.comparison.pairs import Change
from lineage.nodes.component import component_view
from lineage.nodes.component_runs import RunRow
from lineage.nodes.component_versions import ComponentVersion
from lineage.nodes.find import settled
from lineage.types import NodeView

router = Router(tags=["reading"], auth=Needs("read"))

StageName = Literal["documents", "chunks", "facts", "retrieved", "answers"]
ChangeName = Literal["gained", "lost", "changed", "unchanged"]
Outcome = Literal["completed", "failed", "running", "other", "unstated"]
Uid = Annotated[str, Query(max_length=100)]


class VersionOut(Schema):
    """A version with one configuration; of the `recent` runs recorded last `stated` have a status."""

    uid: str
    component_kind: str | None
    name: str
    version: str | None
    config_digest: str | None
    resolved: bool
    state: str
    answers: Number
    runs: Number
    recent: int
    stated: int
    failed: int
    used_at: Instant | None


class RunOut(Schema):
    """A run; `outcome` is what its `status` says of its end."""

    uid: str
    run_kind: str | None
    status: str | None
    outcome: Outcome
    state: str
    occurred_at: Instant | None
    started_at: Instant | None
    seconds: float | None
    used: Number
    generated: Number


class WorkOut(Schema):
    """What the `runs` recorded last, of `total`, did: how they ended, what they made, its flags."""

    runs: int
    total: int
    outcomes: dict[str, int]
    outputs: dict[str, int]
    flags: dict[str, int]
    quality: dict[str, int]
    at_least: bool


class ComponentOut(Schema):
    """A component; `answers` by grade. `runs`: a page, newest first."""

    component: Node
    answers: Counts
    versions: Page[VersionOut]
    work: WorkOut
    runs: Page[RunOut]


class ChangeCounts(Schema):
    """Pairs by what has become of them, from the old one to the new one."""

    gained: int
    lost: int
    changed: int
    unchanged: int


class StageOut(Schema):
    """The numbers of one stage; with `at_least`, there is more than was looked at."""

    stage: StageName
    counts: ChangeCounts
    at_least: bool


class PairOut(Schema):
    """One pair; of retrieved sets, `kept`, `lost` and `gained` count passages."""

    change: ChangeName
    old: NodeOutline | None
    new: NodeOutline | None
    source: str | None
    kept: int
    lost: int
    gained: int


class FactsOut(Schema):
    """Of the facts of one side: `statements` are different subjects and predicates."""

    facts: int
    statements: int
    contradicted: int
    under_case: int
    confidence: float | None


class ComparisonOut(Schema):
    """Numbers of every stage; `pairs` only where a `stage` is asked for.

    `hidden`: source versions left out because the caller may not see them.
    """

    old: NodeOutline
    new: NodeOutline
    stages: list[StageOut]
    old_facts: FactsOut | None
    new_facts: FactsOut | None
    hidden: int
    pairs: Page[PairOut] | None


@router.get(
    "/components/{uid}",
    response=ComponentOut,
    operation_id="get_component",
    summary="A component: its versions, its runs, what these made, the answers that rest on it",
    openapi_extra=problems(400, 404, 422),
)
def get_component(
    request: HttpRequest,
    uid: str,
    limit: Limit = LIMIT,
    cursor: Cursor = None,
    versions_cursor: Cursor = None,
) -> dict[str, Any]:
    """`cursor` pages the runs, `versions_cursor` the versions of the same kind and name."""
    found = component_view(
        viewer_of(request), uid, limit=limit, runs=cursor, versions=versions_cursor
    )
    work = found.work
    return {
        "component": outline(found.node) | {"attributes": dict(found.node.attributes)},
        "answers": dict(found.counts),
        "versions": {
            "items": [_version(each) for each in found.versions.items],
            "next": found.versions.next,
            "total": found.versions.total,
        },
        "work": {
            "runs": work.runs,
            "total": work.total,
            "outcomes": {outcome.value: count for outcome, count in work.outcomes.items()},
            "outputs": dict(work.outputs),
            "flags": dict(work.flags),
            "quality": dict(work.quality),
            "at_least": work.more_outputs,
        },
        "runs": {
            "items": [_run(each) for each in found.runs.items],
            "next": found.runs.next,
            "total": found.runs.total,
        },
    }


@router.get(
    "/compare",
    response=ComparisonOut,
    operation_id="compare",
    summary="What changed from one component version or index snapshot to another",
    openapi_extra=problems(400, 404, 422),
)
def get_comparison(
    request: HttpRequest,
    old: Uid,
    new: Uid,
    stage: StageName | None = None,
    change: ChangeName | None = None,
    limit: Limit = LIMIT,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """Documents are paired by source version, chunks by document and place, facts by source, subject and predicate,
    answers and what was retrieved for them by question.
    """
    viewer = viewer_of(request)
    found = comparison(
        viewer,
        settled(viewer, old),
        settled(viewer, new),
        stage=stage or "",
        change=change or "",
        limit=limit,
        cursor=cursor,
    )
    facts = found.facts or (None, None)
    return {
        "old": outline(found.old),
        "new": outline(found.new),
        "stages": [_stage(each) for each in found.stages],
        "old_facts": _facts(facts[0]),
        "new_facts": _facts(facts[1]),
        "hidden": found.hidden,
        "pairs": _pairs(found),
    }


def _version(version: ComponentVersion) -> dict[str, Any]:
    figures = version.figures
    return {
        "uid": version.uid,
        "component_kind": version.component_kind or None,
        "name": version.name,
        "version": version.version,
        "config_digest": version.config_digest,
        "resolved": version.resolved,
        "state": version.state,
        "answers": number_out(figures.answers),
        "runs": number_out(figures.runs),
        "recent": figures.recent,
        "stated": figures.stated,
        "failed": figures.failed,
        "used_at": figures.used_at,
    }


def _run(run: RunRow) -> dict[str, Any]:
    return {
        "uid": run.uid,
        "run_kind": run.run_kind,
        "status": run.status,
        "outcome": run.outcome.value,
        "state": run.state,
        "occurred_at": run.occurred_at,
        "started_at": run.started_at,
        "seconds": run.seconds,
        "used": number_out(run.used),
        "generated": number_out(run.generated),
    }


def _stage(stage: Stage) -> dict[str, Any]:
    counts = {change.value: stage.counts[change] for change in Change}
    return {"stage": stage.name, "counts": counts, "at_least": stage.cut}


def _facts(quality: FactQuality | None) -> dict[str, Any] | None:
    if quality is None:
        return None
    return {
        "facts": quality.facts,
        "statements": quality.statements,
        "contradicted": quality.contradicted,
        "under_case": quality.under_case,
        "confidence": quality.confidence,
    }


def _pairs(found: ComparisonView) -> dict[str, Any] | None:
    if found.page is None:
        return None
    return {
        "items": [_pair(each) for each in found.page.items],
        "next": found.page.next,
        "total": found.page.total,
    }


def _pair(pair: Compared) -> dict[str, Any]:
    def one(view: NodeView | None) -> dict[str, Any] | None:
        return outline(view) if view is not None else None

    return {
        "change": pair.change.value,
        "old": one(pair.old),
        "new": one(pair.new),
        "source": pair.source.uid if pair.source is not None else None,
        "kept": pair.kept,
        "lost": pair.lost,
        "gained": pair.gained,
    }
