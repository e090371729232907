"""Values as a record states them: what is absent, empty or of another type is not stated."""

from datetime import UTC, datetime

from lineage.types import JsonValue


def stated(value: JsonValue) -> str | None:
    """A stated string."""
    return value if isinstance(value, str) and value.strip() else None


def instant(value: JsonValue) -> datetime | None:
    """A stated instant; None for a date alone."""
    if not isinstance(value, str) or "T" not in value:
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
