"""Which sources are asked for: the filters of their list, as conditions on what is prepared.

A source that the viewer may not see meets none of them, for meeting one would tell of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from lineage.cases.register import active
from lineage.models import Node, SourceOpen, SourceRights, Withdrawal
from lineage.models.freshness import Outcome
from lineage.nodes.search import having_words
from lineage.rights.summarise import group_key
from lineage.types import Viewer
from provexplorer import clock

STATES: Final = ("active", "withdrawn")
# What a look at a source came to, gravest last; "never": nobody has looked.
FRESHNESS: Final[Mapping[str, tuple[str, ...]]] = {
    "current": (Outcome.UNCHANGED, Outcome.SAME, Outcome.FIRST),
    "changed": (Outcome.CHANGED,),
    "gone": (Outcome.GONE,),
    "unreachable": (
        Outcome.PAYWALL, Outcome.UNREACHABLE, Outcome.UNREADABLE, Outcome.ROBOTS, Outcome.REFUSED,
        Outcome.NO_ADDRESS,
    ),
    "never": ("",),
}  # fmt: skip
MISSING: Final = ("creator", "licence", "any", "description")
ENDING: Final = ("30", "90", "later", "never")
SOON: Final = timedelta(days=30)
LATER: Final = timedelta(days=90)
_NONE: Final = Q(pk__in=())


@dataclass(frozen=True, slots=True)
class SourceFilter:
    """What is asked for; empty fields ask for nothing. Unknown words find nothing."""

    q: str = ""
    state: str = ""
    family: str = ""
    kind: str = ""
    language: str = ""
    freshness: str = ""
    missing: str = ""
    ending: str = ""

    def __bool__(self) -> bool:
        return any(getattr(self, each.name) for each in fields(self))

    @property
    def narrows(self) -> bool:
        """Whether more than words is asked for."""
        return bool(replace(self, q=""))


def seen_by(viewer: Viewer) -> "QuerySet[SourceRights]":
    """The prepared rows of what the viewer may see, without what was erased."""
    rows = SourceRights.objects.filter(workspace_id=viewer.workspace_id)
    erased = Withdrawal.objects.filter(
        active(clock.now()), case__kind="erasure", workspace_id=viewer.workspace_id
    )
    rows = rows.exclude(source_id__in=erased.values("node_id"))
    if viewer.sees_all:
        return rows
    groups = ["", *(group_key(name) for name in viewer.groups)]
    return rows.filter(
        Exists(SourceOpen.objects.filter(source_id=OuterRef("source_id"), group__in=groups))
    )


def asked_for(viewer: Viewer, asked: SourceFilter) -> "QuerySet[SourceRights]":
    rows = seen_by(viewer)
    if asked.q.strip():
        found = Node.objects.filter(having_words(viewer, asked.q, "source"))
        rows = rows.filter(source_id__in=found.values("pk"))
    if asked.state:
        rows = rows.filter(_in_state(viewer, asked.state))
    for name in ("family", "kind", "language"):
        if value := getattr(asked, name):
            rows = rows.filter(**{name: value})
    if asked.freshness:
        rows = rows.filter(_freshness(asked.freshness))
    if asked.missing:
        rows = rows.filter(lacks(asked.missing))
    if asked.ending:
        rows = rows.filter(_ending(asked.ending))
    return rows


def _in_state(viewer: Viewer, state: str) -> Q:
    if state not in STATES:
        return _NONE
    named = Withdrawal.objects.filter(active(clock.now()), workspace_id=viewer.workspace_id)
    on_source = Q(source_id__in=named.filter(node__kind="source").values("node_id"))
    on_version = Q(
        source_id__in=named.filter(node__kind="source_version").values("node__parent_id")
    )
    return on_source | on_version if state == "withdrawn" else ~(on_source | on_version)


def _freshness(name: str) -> Q:
    outcomes = FRESHNESS.get(name)
    if outcomes is None:
        return _NONE
    found = Q(source__watch__outcome__in=list(outcomes))
    return found | Q(source__watch__isnull=True) if name == "never" else found


def lacks(name: str) -> Q:
    described = Q(described=True)
    creator, licence = Q(has_creator=False) & described, Q(unlicensed__gt=0)
    return {
        "creator": creator,
        "licence": licence,
        "any": creator | licence,
        "description": ~described,
    }.get(name, _NONE)


def _ending(name: str) -> Q:
    now = clock.now()
    return {
        "30": Q(ends_at__lte=now + SOON),
        "90": Q(ends_at__gt=now + SOON, ends_at__lte=now + LATER),
        "later": Q(ends_at__gt=now + LATER),
        "never": Q(ends_at__isnull=True),
    }.get(name, _NONE)
