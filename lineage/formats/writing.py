"""Native records as JSON values, written by the adapters of other formats."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from lineage.formats.claims import claims_of
from lineage.types import JsonValue

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Told(NamedTuple):
    """A native record and the keys of the spans that tell it, at least one."""

    record: JsonValue
    spans: tuple[str, ...]


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


@dataclass(frozen=True, slots=True)
class CitedAs:
    """What a citation names: a position in the context or a chunk (a reference), and its details."""

    marker: str
    position: int | None = None
    chunk: JsonValue = None
    quote: str | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class WrittenClaim:
    """A claim by its words or its interval (code points, end exclusive) in the answer."""

    text: str | None
    interval: tuple[int, int] | None
    citations: tuple[CitedAs, ...]


def claim_records(
    answer_key: str,
    text: str,
    occurred_at: str | None,
    *,
    claims: Sequence[WrittenClaim] | None = None,
    meanings: Mapping[str, CitedAs] | None = None,
    counted: bool = False,
) -> Iterator[JsonValue]:
    """The claims of an answer that came as plain text, then their citations.

    A citation names the position in the answer's context that its marker prints, whether the
    context has it or not; `meanings` tells of printed markers what they mean instead. Positions
    that are `counted` begin at 1, so that a number that begins at 0 is one less. `claims`
    that are stated stand in the place of those that the text makes. Keys are the answer's with
    `#claim-N` and `#citation-N`, from 1.
    """
    citations: list[JsonValue] = []
    written = _split(text, meanings or {}, counted=counted) if claims is None else claims
    for number, claim in enumerate(written, start=1):
        key = f"{answer_key}#claim-{number}"
        start, end = claim.interval or (0, 0)
        yield record(
            "claim",
            key,
            occurred_at=occurred_at,
            answer=answer_key,
            interval=None if claim.interval is None else {"start": start, "end": end},
            text=claim.text if claim.interval is None else None,
        )
        for cited in claim.citations:
            citation = record(
                "citation",
                f"{answer_key}#citation-{len(citations) + 1}",
                occurred_at=occurred_at,
                claim=key,
                marker=cited.marker,
                chunk=cited.chunk,
                position=cited.position,
                quote=cited.quote,
                confidence=cited.confidence,
            )
            citations.append(citation)
    yield from citations


def _split(text: str, meanings: Mapping[str, CitedAs], *, counted: bool) -> Iterator[WrittenClaim]:
    claims = claims_of(text, markers=tuple(meanings))
    messages = {m.message for claim in claims for m in claim.markers if m.message is not None}
    for claim in claims:
        cited: dict[tuple[str, int], CitedAs] = {}
        for marker in claim.markers:
            meant = meanings.get(marker.text)
            if meant is not None:
                cited.setdefault((marker.text, 0), meant)
                continue
            if marker.message is not None and len(messages) > 1:
                continue  # Each of the messages has a result of that number.
            later = int(counted and marker.message is not None)
            for number in marker.positions:
                meant = meanings.get(f"[{number}]")
                cited.setdefault(
                    (marker.text, number),
                    replace(meant, marker=marker.text)
                    if meant
                    else CitedAs(marker.text, number + later),
                )
        yield WrittenClaim(None, (claim.start, claim.end), tuple(cited.values()))
