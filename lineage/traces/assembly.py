"""Spans become the records of their traces, each trace put together from all payloads that hold it.

Payloads come in any order, at the same time, and again. Whatever applied last reads the index
once more afterwards: so the last to be applied has seen every payload that was registered.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lineage.formats.openinference import told_by
from lineage.formats.otlp import Collected, Span
from lineage.formats.records import parse_record
from lineage.ingest.apply import apply_records
from lineage.traces.index import Together, hash_of, register, together
from lineage.types import Outcome
from provexplorer.workspaces.models import Workspace

# The spans that payloads hold, by payload, one after another; without those whose bodies were destroyed.
ReadSpans = Callable[[Collection[int]], Iterable[tuple[int, Sequence[Span]]]]

# How often others may come in between before the sweeper is left to go on.
_ROUNDS: Final = 20


@dataclass(frozen=True, slots=True)
class Assembled:
    """What became of the records of the payload's traces; `projected`: the graph has them, too.

    `outcomes`: by the key of each span that tells a record, those of all that it tells, in order.
    """

    outcomes: Mapping[str, Sequence[Outcome]]
    projected: bool


class StillArriving(Exception):
    """Other payloads of the same traces came in between, again and again."""


def apply_traces(
    workspace: Workspace, payload_id: int, spans: Sequence[Span], read: ReadSpans
) -> Assembled:
    """Store the records of all traces of which the payload holds spans; idempotent.

    `read` gives the spans of other payloads. What an incomplete trace had suggested and the
    whole does not is withdrawn. A trace of which a payload was destroyed is closed: what
    arrives of it is added, and nothing withdrawn.

    Raises StillArriving, for the payload to be applied again later.
    """
    held = _hashes(workspace, spans)
    mine = frozenset(held.values())
    register(workspace, payload_id, mine)
    outcomes: dict[str, Sequence[Outcome]] = {}
    projected = True

    def spans_of(payloads: Collection[int]) -> Iterator[tuple[int, Sequence[Span]]]:
        others = set(payloads) - {payload_id}
        if len(others) < len(payloads):
            yield payload_id, spans
        if others:
            yield from read(others)

    done: dict[int, Together] = {}
    for _ in range(_ROUNDS):
        ahead = [some for some in together(workspace, mine) if done.get(some.home) != some]
        if not ahead:
            return Assembled(outcomes, projected)
        for some in ahead:
            applied = _apply(workspace, some, mine, spans_of)
            # A span is of one trace, and a trace is derived with one home.
            outcomes |= applied.outcomes
            projected &= applied.projected
            done[some.home] = some
    raise StillArriving


def _apply(
    workspace: Workspace, some: Together, mine: Collection[str], read: ReadSpans
) -> Assembled:
    """Derive the records of these traces anew, from all payloads that hold them."""
    payloads: frozenset[int] = frozenset().union(*some.payloads.values())
    whole, there = Collected(), 0
    for _, spans in read(payloads):
        _add(workspace, whole, spans, some.payloads)
        there += 1
    held = whole.decoded().spans
    closed = there < len(payloads)
    if closed:
        hashes = _hashes(workspace, held)
        held = tuple(span for span in held if hashes[span.trace_id] in mine)
    told = told_by(held)
    records = [parse_record(index, each.record) for index, each in enumerate(told)]
    origin = "" if closed else some.origin(workspace)
    applied = apply_records(workspace, records, origin=origin)
    by_span: dict[str, list[Outcome]] = {}
    for outcome in applied.outcomes:
        for span in told[outcome.index].spans:
            by_span.setdefault(span, []).append(outcome)
    return Assembled(by_span, applied.projected)


def _add(
    workspace: Workspace, whole: Collected, spans: Iterable[Span], wanted: Collection[str]
) -> None:
    hashes: dict[str, str] = {}
    for span in spans:
        trace = hashes.get(span.trace_id)
        if trace is None:
            trace = hashes[span.trace_id] = hash_of(workspace, span.trace_id)
        if trace in wanted:
            whole.add(span)


def _hashes(workspace: Workspace, spans: Iterable[Span]) -> dict[str, str]:
    """The traces of the spans by their ids."""
    return {each: hash_of(workspace, each) for each in {span.trace_id for span in spans}}
