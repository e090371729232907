"""Which version of a work is the newest: by the date that it states, else by when it was seen."""

from collections.abc import Sequence

from lineage.models import Node


def stated_date(version: Node) -> str | None:
    """The date that a version states for itself: of its modification, else of its publication."""
    for name in ("modified_at", "published_at"):
        said = version.fields.get(name)
        if isinstance(said, str) and said.strip():
            return said
    return None


def newest_first(versions: Sequence[Node]) -> list[Node]:
    """By the date that the version states, else by when it was recorded to be so."""

    def date(version: Node) -> tuple[str, str]:
        sighted = version.occurred_at.isoformat() if version.occurred_at else ""
        return stated_date(version) or sighted, sighted

    return sorted(versions, key=date, reverse=True)
