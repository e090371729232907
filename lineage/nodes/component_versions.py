"""Components by name: each family with its versions and configurations, and what rests on each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, F, Q, TextField, Value, Window
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, Lower, RowNumber

from lineage.models import Node
from lineage.nodes.component_figures import Figures, figures_of
from lineage.nodes.paging import (
    DEFAULT_LIMIT,
    CursorInvalid,
    after_newest,
    bounded,
    cursor_of,
    newest_first,
    read_cursor,
    write_cursor,
)
from lineage.nodes.search import having_words
from lineage.nodes.states import node_states
from lineage.types import Viewer
from lineage.vocabulary import COMPONENT_KINDS, stated_version

# Versions that a list shows of each family; the page of each shows all.
MOST_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class ComponentVersion:
    """One version with one configuration. `name` is the key where no record has described it yet."""

    uid: str
    component_kind: str
    name: str
    version: str | None
    config_digest: str | None
    resolved: bool
    state: str
    figures: Figures

    @property
    def stated_version(self) -> str | None:
        return stated_version(self.version)


@dataclass(frozen=True, slots=True)
class ComponentFamily:
    """Components of one kind and name: `total` versions, of which the newest are shown."""

    component_kind: str
    name: str
    versions: tuple[ComponentVersion, ...]
    total: int


@dataclass(frozen=True, slots=True)
class FamilyPage:
    """`kinds`: how many families of each kind have the words, whatever kind is asked for."""

    items: tuple[ComponentFamily, ...]
    next: str | None
    total: int
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class VersionPage:
    items: tuple[ComponentVersion, ...]
    next: str | None
    total: int


def component_families(
    viewer: Viewer,
    *,
    component_kind: str | None = None,
    q: str = "",
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> FamilyPage:
    """Families by name, whatever its capitals, then by kind; an unknown kind has none.

    `q`: words of name, version and kind, which narrow the versions, too. Raises CursorInvalid.
    """
    rows = _described(viewer)
    if q.strip():
        rows = rows.filter(having_words(viewer, q))
    by_kind = rows.values("family_kind").annotate(families=Count("name", distinct=True))
    kinds = dict(by_kind.order_by("family_kind").values_list("family_kind", "families"))
    if component_kind:
        known = component_kind in COMPONENT_KINDS
        rows = rows.filter(family_kind=component_kind) if known else rows.none()
    families = rows.values("folded", "name", "family_kind").annotate(versions=Count("pk"))
    size = bounded(limit)
    found = list(
        families.filter(_after(viewer, cursor)).order_by("folded", "name", "family_kind")[
            : size + 1
        ]
    )
    page = found[:size]
    versions = _newest_of(viewer, rows, page)
    more = len(found) > size
    return FamilyPage(
        items=tuple(
            ComponentFamily(
                component_kind=each["family_kind"],
                name=each["name"],
                versions=tuple(versions.get(_family(each), ())),
                total=each["versions"],
            )
            for each in page
        ),
        next=write_cursor(versions[_family(page[-1])][0].uid) if more else None,
        total=families.count(),
        kinds=kinds,
    )


def versions_beside(
    viewer: Viewer, component: Node, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None
) -> VersionPage:
    """All versions and configurations of a component's family, itself among them, newest first.

    Raises CursorInvalid.
    """
    own = _described(viewer).filter(pk=component.pk).values("family_kind", "name").first() or {}
    rows = _described(viewer).filter(**own)
    size = bounded(limit)
    found = list(rows.filter(after_newest(cursor)).order_by(*newest_first())[: size + 1])
    page = found[:size]
    more = len(found) > size
    return VersionPage(
        tuple(_versions(viewer, page)),
        cursor_of(page[-1].occurred_at, page[-1].uid) if more else None,
        rows.count(),
    )


def _described(viewer: Viewer) -> Any:
    """The components of the workspace (a queryset) with the names that tell their families."""
    key = F("key")
    kind = KeyTextTransform("component_kind", "fields")
    named = Coalesce(KeyTextTransform("name", "fields"), key, output_field=TextField())
    return Node.objects.filter(workspace_id=viewer.workspace_id, kind="component").annotate(
        name=named,
        folded=Lower(named),
        family_kind=Coalesce(kind, Value(""), output_field=TextField()),
    )


def _after(viewer: Viewer, cursor: str | None) -> Q:
    """Families after that of the component which the cursor names: a name may be longer than a cursor."""
    if cursor is None:
        return Q()
    (uid,) = read_cursor(cursor, str)
    last = _described(viewer).filter(uid=uid).values("folded", "name", "family_kind").first()
    if last is None:
        raise CursorInvalid
    folded, name, kind = last["folded"], last["name"], last["family_kind"]
    return (
        Q(folded__gt=folded)
        | Q(folded=folded, name__gt=name)
        | Q(folded=folded, name=name, family_kind__gt=kind)
    )


def _family(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["family_kind"], row["name"]


def _newest_of(
    viewer: Viewer, rows: Any, families: Sequence[Mapping[str, Any]]
) -> dict[tuple[str, str], list[ComponentVersion]]:
    """The newest versions of each family."""
    if not families:
        return {}
    wanted = Q()
    for each in families:
        wanted |= Q(family_kind=each["family_kind"], name=each["name"])
    place = Window(
        RowNumber(), partition_by=[F("family_kind"), F("name")], order_by=newest_first()
    )  # fmt: skip
    newest = rows.filter(wanted).annotate(place=place).filter(place__lte=MOST_SHOWN)
    found: dict[tuple[str, str], list[ComponentVersion]] = {}
    for version in _versions(viewer, list(newest.order_by("name", "family_kind", "place"))):
        found.setdefault((version.component_kind, version.name), []).append(version)
    return found


def _versions(viewer: Viewer, nodes: Sequence[Any]) -> list[ComponentVersion]:
    """`nodes`: as `_described` annotates them."""
    states = node_states(viewer.workspace_id, nodes)
    figures = figures_of(viewer, [node.pk for node in nodes])
    return [
        ComponentVersion(
            uid=node.uid,
            component_kind=node.family_kind,
            name=node.name,
            version=_word(node.fields, "version"),
            config_digest=node.digest or _word(node.fields, "config_digest"),
            resolved=node.resolved,
            state=states[node.pk].word,
            figures=figures[node.pk],
        )
        for node in nodes
    ]


def _word(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) and value else None
