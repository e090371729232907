"""The values of a question as an address or JSON gives them, read and written, and what can be wrong with them."""

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from lineage.formats.storable import is_storable

_LONGEST: Final = 2_000
# What a switch is written as, and what else is read as that.
ON: Final = "1"
_ON: Final = frozenset({ON, "true"})


class QuestionInvalid(ValueError):
    """A question that cannot be read; `parameter` names what of it, the message says why."""

    def __init__(self, parameter: str, detail: str) -> None:
        super().__init__(detail)
        self.parameter, self.detail = parameter, detail


class UnknownWord(QuestionInvalid):
    """A filter names a grade, state or order that does not exist; the message is those words."""


class RangeReversed(QuestionInvalid):
    """A range of versions, or a time, begins after its end, so that nothing can lie within it."""


class MakerMissing(QuestionInvalid):
    """It is asked what was made, and not by what."""


class OnlyOne(QuestionInvalid):
    """Of what can be said once several are said."""


def known(parameter: str, words: Iterable[str], all_words: Collection[str]) -> None:
    """Let through words that exist. Raises UnknownWord."""
    if unknown := set(words) - set(all_words):
        raise UnknownWord(parameter, ", ".join(sorted(unknown)))


def values_of(parameters: Mapping[str, Any], name: str, *, exact: bool = False) -> list[str]:
    """What stands under a name, each value once, blank ones left out. Raises QuestionInvalid.

    `exact`: what clients sent, which is compared as it is; white space is part of it.
    """
    if hasattr(parameters, "getlist"):
        found: Any = parameters.getlist(name)
    else:
        found = parameters.get(name, ())
        found = [found] if isinstance(found, str) else found
    if not isinstance(found, list | tuple) or not all(isinstance(each, str) for each in found):
        raise QuestionInvalid(name, "To be a string or a list of strings.")
    values = list(found) if exact else [each.strip() for each in found]
    for value in values:
        if len(value) > _LONGEST or not is_storable(value):
            raise QuestionInvalid(name, f"At most {_LONGEST:,} characters, all of them storable.")
    # The same value twice is once.
    return list(dict.fromkeys(value for value in values if value))


def single(values: list[str], name: str) -> str:
    """The one value, or none. Raises OnlyOne."""
    if len(values) > 1:
        raise OnlyOne(name, "At most one value.")
    return values[0] if values else ""


def is_on(parameter: str, value: str) -> bool:
    """Whether a switch is on; absent, it is off. Raises UnknownWord."""
    known(parameter, [value] if value else [], _ON)
    return bool(value)


def read_time(parameter: str, value: str) -> datetime | None:
    """An instant of RFC 3339, or a date: its first instant. Without a zone: UTC. Raises QuestionInvalid."""
    if not value:
        return None
    try:
        at = datetime.fromisoformat(value)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise QuestionInvalid(parameter, "To be a date or an instant of RFC 3339.") from error


def write_time(at: datetime | None) -> str:
    """The instant as `read_time` reads it; empty for none."""
    return "" if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")
