"""Sources at a glance: how many there are of each family of licences, how fresh, how soon to end."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Case, CharField, Count, F, QuerySet, Value, When

from lineage.models import SourceRights
from lineage.rights.asked import ENDING, FRESHNESS, LATER, MISSING, SOON, lacks, seen_by
from lineage.rights.asks import FAMILIES
from lineage.types import Viewer
from provexplorer import clock

# Kinds and languages that filters offer, the commonest ones.
_MOST_OFFERED: Final = 20


@dataclass(frozen=True, slots=True)
class Glance:
    """Sources that the viewer may see, counted: by family, freshness, end, and by what is missing."""

    total: int
    families: Mapping[str, int]
    freshness: Mapping[str, int]
    ending: Mapping[str, int]
    missing: Mapping[str, int]
    kinds: tuple[str, ...]
    languages: tuple[str, ...]


def glance(viewer: Viewer) -> Glance:
    """The numbers above the list."""
    rows = seen_by(viewer)
    now = clock.now()
    when = Case(
        When(ends_at__isnull=True, then=Value("never")),
        When(ends_at__lte=now + SOON, then=Value("30")),
        When(ends_at__lte=now + LATER, then=Value("90")),
        default=Value("later"),
        output_field=CharField(),
    )
    looked = Case(
        *(
            When(source__watch__outcome__in=list(some), then=Value(name))
            for name, some in FRESHNESS.items()
        ),
        default=Value("never"),
        output_field=CharField(),
    )
    families = _counts(rows, F("family"))
    missing = rows.aggregate(**{name: Count("pk", filter=lacks(name)) for name in MISSING})
    return Glance(
        total=sum(families.values()),
        families={name: families[name] for name in FAMILIES if name in families},
        freshness=_in_order(_counts(rows, looked), FRESHNESS),
        ending=_in_order(_counts(rows, when), ENDING),
        missing=missing,
        kinds=_offered(rows, "kind"),
        languages=_offered(rows, "language"),
    )


def _counts(rows: "QuerySet[SourceRights]", by: Any) -> dict[str, int]:
    counted = rows.annotate(by=by).order_by().values("by").annotate(number=Count("pk"))
    return dict(counted.values_list("by", "number"))


def _in_order(counts: Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    return {name: counts.get(name, 0) for name in names}


def _offered(rows: "QuerySet[SourceRights]", name: str) -> tuple[str, ...]:
    """The commonest values, by their names."""
    found = (
        rows.exclude(**{name: ""})
        .order_by()
        .values(name)
        .annotate(number=Count("pk"))
        .order_by("-number", name)
    )
    return tuple(sorted(found.values_list(name, flat=True)[:_MOST_OFFERED]))
