"""Native records as JSON values, written by the adapters of other formats."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from lineage.formats.claims import claims_of
from lineage.types import JsonValue

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def record(kind: str, key: str, **fields: JsonValue) -> JsonValue:
    """A native record; what is None was not stated and is left out."""
    return {"kind": kind, "key": key} | stated(**fields)


def stated(**fields: JsonValue) -> dict[str, JsonValue]:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def instant(nanoseconds: int | None) -> str | None:
    """Nanoseconds since 1970 as RFC 3339 in UTC, to the microsecond; None if out of range."""
    if nanoseconds is None:
        return None
    try:
        at = _EPOCH + timedelta(microseconds=nanoseconds // 1000)
    except OverflowError:
        return None
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def claim_records(answer_key: str, text: str, occurred_at: str | None) -> Iterator[JsonValue]:
    """The claims of an answer that came as plain text, then their citations.

    A citation names the position in the answer's context that its marker prints, whether the
    context has it or not. Keys are the answer's with `#claim-N` and `#citation-N`, from 1.
    """
    citations: list[JsonValue] = []
    for number, claim in enumerate(claims_of(text), start=1):
        key = f"{answer_key}#claim-{number}"
        yield record(
            "claim",
            key,
            occurred_at=occurred_at,
            answer=answer_key,
            interval={"start": claim.start, "end": claim.end},
        )
        named = dict.fromkeys((m.text, position) for m in claim.markers for position in m.positions)
        for marker, position in named:
            citation = record(
                "citation",
                f"{answer_key}#citation-{len(citations) + 1}",
                occurred_at=occurred_at,
                claim=key,
                marker=marker,
                position=position,
            )
            citations.append(citation)
    yield from citations
