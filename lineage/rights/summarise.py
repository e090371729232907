"""Prepares the row of each source that is due, from its versions, and has cases drafted that follow.

A few seconds behind ingestion, in short transactions; done twice, the second changes nothing.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count

from lineage.formats.licenses import read_license
from lineage.models import Node, RestsOn, SourceDue, SourceOpen, SourceRights
from lineage.models.turns import turn
from lineage.rights.asks import family_of
from lineage.rights.drafting import draft_what_follows
from lineage.rights.due import find_due
from lineage.rights.known import licence_known, names_creator
from lineage.rights.terms import endings_of
from lineage.vocabulary import OBSERVED
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

# Sources in one transaction, and transactions of a workspace in one run of the task.
_BATCH: Final = 100
_BATCHES: Final = 20
_WORKSPACES: Final = 200
# Versions of the sources of one batch that are read, the latest recorded first.
_MOST_VERSIONS: Final = 20_000
_ROW: Final = (
    "workspace_id", "licence", "family", "kind", "language", "described", "has_creator", "versions",
    "unlicensed", "chunks", "answers", "ends_at", "summarised_at",
)  # fmt: skip
_LONGEST: Final[Mapping[str, int]] = {"licence": 200, "kind": 40, "language": 16}
# Names of groups up to this length stand as they are.
_LONGEST_GROUP: Final = 150


def keep_up() -> int:
    """Prepare the sources of every workspace that are due; returns how many were."""
    done = 0
    for workspace in Workspace.objects.order_by("pk")[:_WORKSPACES]:
        find_due(workspace.pk)
        for _ in range(_BATCHES):
            some = _summarise_some(workspace)
            done += some
            if some < _BATCH:
                break
    return done


def group_key(name: str) -> str:
    """How SourceOpen writes a group: its name, of a long one a digest that no name is."""
    if len(name) <= _LONGEST_GROUP:
        return name
    return f"\uffff{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _summarise_some(workspace: Workspace) -> int:
    with turn(workspace.pk):
        due = SourceDue.objects.filter(workspace=workspace).order_by("source_id")
        ids = list(due.values_list("source_id", flat=True)[:_BATCH])
        if not ids:
            return 0
        read = _read(workspace, ids)
        _write(workspace, read)
        SourceDue.objects.filter(source_id__in=ids).delete()
    draft_what_follows(workspace, [each.versions for each in read])
    return len(ids)


@dataclass(frozen=True, slots=True)
class _Read:
    """A source with its versions, the latest first, and what was counted of it."""

    source: Node
    versions: Sequence[Node]
    chunks: int
    answers: int


def _read(workspace: Workspace, ids: Collection[int]) -> list[_Read]:
    """Those that are sources: what owns a text may be a placeholder of another kind."""
    sources = Node.objects.filter(workspace=workspace, pk__in=ids, kind="source").order_by("pk")
    rows = Node.objects.filter(
        workspace=workspace, parent_id__in=ids, kind="source_version"
    ).order_by("-pk")[:_MOST_VERSIONS]
    versions: dict[int | None, list[Node]] = defaultdict(list)
    for version in rows:
        versions[version.parent_id].append(version)
    chunks = _counted(
        Node.objects.filter(workspace=workspace, kind="chunk", version__parent_id__in=ids),
        "version__parent_id",
    )
    answers = _counted(RestsOn.objects.filter(target_id__in=ids), "target_id")
    return [
        _Read(
            source,
            sorted(versions[source.pk], key=_date, reverse=True),
            chunks.get(source.pk, 0),
            answers.get(source.pk, 0),
        )
        for source in sources
    ]


def _counted(rows: Any, by: str) -> dict[int, int]:
    return dict(rows.order_by().values(by).annotate(number=Count("pk")).values_list(by, "number"))


def _date(version: Node) -> tuple[str, str, int]:
    """The order of a work's versions: by the date stated, else by when it was recorded to be so."""
    sighted = version.occurred_at.isoformat() if version.occurred_at else ""
    stated = version.fields.get("modified_at") or version.fields.get("published_at")
    return str(stated or sighted), sighted, version.pk


def _write(workspace: Workspace, read: Sequence[_Read]) -> None:
    now = clock.now()
    SourceRights.objects.bulk_create(
        [_row(workspace, each, now) for each in read],
        update_conflicts=True,
        unique_fields=["source"],
        update_fields=_ROW,
    )
    SourceOpen.objects.filter(source_id__in=[each.source.pk for each in read]).delete()
    SourceOpen.objects.bulk_create(
        [
            SourceOpen(source=each.source, group=group)
            for each in read
            for group in sorted(_groups(each.versions))
        ]
    )


def _row(workspace: Workspace, read: _Read, now: datetime) -> SourceRights:
    described = [v for v in read.versions if v.resolved and v.namespace != OBSERVED]
    latest: Mapping[str, Any] = described[0].fields if described else {}
    said, address = _word(latest, "license"), _word(latest, "license_uri")
    stated = read_license(said or None, address or None)
    words = said or _word(latest, "rights") or address
    ends = (end.at for version in described for end in endings_of(version.fields))
    fields = read.source.fields
    return SourceRights(
        source=read.source,
        workspace=workspace,
        licence=_cut("licence", stated.normal or words),
        family=family_of(stated, words=bool(words)),
        kind=_cut("kind", _word(fields, "source_kind")),
        language=_cut("language", _word(fields, "language").lower()),
        described=read.source.resolved,
        has_creator=names_creator(fields)
        or (bool(described) and all(names_creator(each.fields) for each in described)),
        versions=len(read.versions),
        unlicensed=sum(not licence_known(version.fields) for version in described),
        chunks=read.chunks,
        answers=read.answers,
        ends_at=min((at for at in ends if at > now), default=None),
        summarised_at=now,
    )


def _groups(versions: Iterable[Node]) -> set[str]:
    """The groups that may see one of the versions; the empty one where everybody may."""
    described = [version for version in versions if version.resolved]
    if not described:
        return {""}
    groups: set[str] = set()
    for version in described:
        acl = version.fields.get("acl")
        if acl is None:
            return {""}
        groups |= {group_key(name) for name in acl if isinstance(name, str)}
    return groups


def _word(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value.strip() if isinstance(value, str) else ""


def _cut(name: str, text: str) -> str:
    return text[: _LONGEST[name]]
