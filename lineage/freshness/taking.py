"""Sources taken up into the watch, and those whose time has come, taken by one worker at a time."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet

from lineage import bulk_rows
from lineage.cases.register import passage_hidden, withdrawals_of
from lineage.compiled import Compiled, by_their_ids
from lineage.freshness.probe import Target
from lineage.freshness.versions import Versions, versions_of
from lineage.models import FreshnessRules, Node, SourceWatch
from lineage.models.turns import turn
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

# Longer than a look at all that is taken at once may take.
LEASE: Final = timedelta(minutes=5)
# Taken up in one pass, of each workspace.
_TAKEN_UP: Final = 2_000
_MOST_WORKSPACES: Final = 500
# What a case hides is not looked at; whether it still does is asked again after this.
_HIDDEN_WAIT: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Due:
    """A source that this worker has taken, with what a look at it needs."""

    watch: SourceWatch
    source: Node
    workspace: Workspace
    versions: Versions
    version: Node | None  # that it was, when it was last read
    read: Node | None  # the record of the response then
    target: Target


# Of a row that is taken up, its key first.
_COLUMNS: Final = (
    "source_id", "workspace_id", "paused", "next_at", "taken_by", "lease_until", "first_at",
    "checked_at", "confirmed_at", "changed_at", "outcome", "failing_since", "failures", "looks",
    "changes", "digest", "comparable", "read_id", "version_id", "observed", "cited", "drifted",
    "answers",
)  # fmt: skip

_TAKEN: Final = Compiled(
    lambda given: SourceWatch.objects.filter(
        taken_by=given.text("token"), pk__in=given.ids("ids")
    ).order_by("next_at", "pk")
)
_NODES: Final = Compiled(
    lambda given: by_their_ids(Node.objects.filter(pk__in=given.ids("ids")), given.id("workspace"))
)


def take_up() -> int:
    """Begin to watch the sources that have come since the last time; returns how many."""
    rules = FreshnessRules.objects.filter(watching=True).order_by("pk")
    return sum(_take_up(each) for each in rules[:_MOST_WORKSPACES])


def _take_up(rules: FreshnessRules) -> int:
    sources = Node.objects.filter(workspace_id=rules.pk, kind="source", pk__gt=rules.taken_up_to)
    if not sources.exists():
        return 0
    now = clock.now()
    # In the workspace's turn no row with a lesser id is yet to be committed.
    with turn(rules.pk):
        ids = list(sources.order_by("pk").values_list("pk", flat=True)[:_TAKEN_UP])
        new = bulk_rows.instance(SourceWatch, workspace_id=rules.pk, next_at=now).__dict__
        bulk_rows.insert(
            SourceWatch,
            _COLUMNS,
            [(pk, *(new[name] for name in _COLUMNS[1:])) for pk in ids],
            unless_there=True,
        )
        FreshnessRules.objects.filter(pk=rules.pk).update(taken_up_to=ids[-1])
    return len(ids)


def take_due(most: int) -> list[Due]:
    """Take sources whose time has come, the longest due first, from each workspace alike."""
    now = clock.now()
    watching = FreshnessRules.objects.filter(watching=True).order_by("pk")
    workspaces = list(watching.values_list("pk", flat=True)[:_MOST_WORKSPACES])
    due: list[int] = []
    for at, pk in enumerate(workspaces):
        share = -(-(most - len(due)) // (len(workspaces) - at))
        rows = SourceWatch.objects.filter(_free(), workspace_id=pk, paused=False, next_at__lte=now)
        due += rows.order_by("next_at", "pk").values_list("pk", flat=True)[:share]
    return _take(due)


def take_one(source_id: int) -> list[Due]:
    """Take one source before its time; empty where another worker has it or nothing may be fetched."""
    allowed = SourceWatch.objects.filter(
        pk=source_id, paused=False, workspace__freshnessrules__watching=True
    )
    return _take(list(allowed.values_list("pk", flat=True)))


def _free() -> Q:
    return Q(lease_until__isnull=True) | Q(lease_until__lte=clock.now())


def _take(source_ids: Sequence[int]) -> list[Due]:
    if not source_ids:
        return []
    token = secrets.token_urlsafe(16)
    with transaction.atomic():
        free = SourceWatch.objects.filter(_free(), pk__in=source_ids)
        free.update(taken_by=token, lease_until=clock.now() + LEASE)
    rows = _TAKEN.instances(token=token, ids=source_ids)
    workspaces = Workspace.objects.filter(pk__in={row.workspace_id for row in rows}).order_by("pk")
    found: list[Due] = []
    for workspace in workspaces:
        found += _complete(workspace, [r for r in rows if r.workspace_id == workspace.pk])
    return found


def _complete(workspace: Workspace, rows: Sequence[SourceWatch]) -> list[Due]:
    """What a look needs of each, in as many statements as of one; without what a case hides."""
    ids = [row.pk for row in rows]
    versions = versions_of(workspace.pk, ids)
    cases = withdrawals_of(workspace.pk, ids)
    hidden = {pk for pk in ids if passage_hidden(cases.get(pk, ())) is not None}
    if hidden:
        held(rows).filter(pk__in=hidden).update(
            taken_by="", lease_until=None, next_at=clock.now() + _HIDDEN_WAIT
        )
    wanted = [*ids, *(row.read_id for row in rows if row.read_id is not None)]
    nodes = {node.pk: node for node in _NODES.instances(workspace=workspace.pk, ids=wanted)}
    return [
        _due(row, workspace, versions.get(row.pk, Versions()), nodes)
        for row in rows
        if row.pk not in hidden and row.pk in nodes
    ]


def _due(
    row: SourceWatch, workspace: Workspace, versions: Versions, nodes: Mapping[int, Node]
) -> Due:
    source, read = nodes[row.pk], nodes.get(row.read_id or 0)
    version = next((each for each in versions.every if each.pk == row.version_id), None)
    said = read.fields if read is not None else {}
    # Whoever has forgotten what was read must read it again, not be told that it is unchanged.
    told = row.version_id is not None or not row.comparable
    target = Target(
        uri=address_of_source(source),
        workspace=workspace.slug,
        etag=str(said.get("etag") or "") if told else "",
        last_modified=str(said.get("last_modified") or "") if told else "",
        digest=row.digest,
        known=frozenset(versions.by_digest),
    )
    return Due(row, source, workspace, versions, version, read, target)


def address_of_source(source: Node) -> str:
    """Where a source says that it is; its DOI leads there too. "" where it says nothing."""
    uri, doi = source.fields.get("uri"), source.fields.get("doi")
    if isinstance(uri, str) and ":" in uri:
        return uri.strip()
    return f"https://doi.org/{doi.strip()}" if isinstance(doi, str) and doi.strip() else ""


def held(rows: Sequence[SourceWatch]) -> "QuerySet[SourceWatch]":
    """The rows, as long as this worker has them."""
    tokens = {row.taken_by for row in rows}
    return SourceWatch.objects.filter(pk__in=[row.pk for row in rows], taken_by__in=tokens).exclude(
        taken_by=""
    )


def let_go(rows: Sequence[SourceWatch], wait: timedelta = timedelta()) -> None:
    """Give back what was not looked at; it is due again after `wait`."""
    held(rows).update(taken_by="", lease_until=None, next_at=clock.now() + wait)
