"""Applies a payload of OTLP traces (POST /v1/traces): an outcome per span."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from lineage.formats.openinference import told_by
from lineage.formats.otlp import Decoded, RejectedSpan, Span
from lineage.formats.otlp_request import read_request
from lineage.formats.records import parse_record
from lineage.formats.refusals import record_problem
from lineage.inbox.keeping import bodies_of
from lineage.inbox.result import Payload, Result
from lineage.traces.assembly import apply_traces
from lineage.types import Outcome, Problem, Refused, Warned
from provexplorer.workspaces.models import Workspace

# Of what a span makes, whose uid stands for it: what a reader looks for first.
_FOREMOST: Final = ("answer", "retrieval", "run")


def apply(workspace: Workspace, payload: Payload) -> Result:
    """An outcome per span in the order sent; raises BodyRefused where the body is unusable as a whole.

    A span from which no record follows is stored all the same: the trace may need it later.
    """
    decoded = read_request(payload.body, payload.media_type)
    applied = apply_traces(
        workspace, payload.pk, decoded.spans, lambda pks: _spans_of(workspace, pks)
    )
    return Result(tuple(_outcomes(decoded, applied.outcomes)), applied.projected)


def kept_only(body: bytes, media_type: str) -> list[Outcome]:
    """Outcomes of spans that are kept and not applied yet: what is refused already, else accepted.

    `body` unpacked; raises BodyRefused.
    """
    decoded = read_request(body, media_type)
    made: dict[str, list[Outcome]] = {key: [] for key in decoded.received if isinstance(key, str)}
    for index, told in enumerate(told_by(decoded.spans)):
        read = parse_record(index, told.record)
        outcome = (
            Outcome(index, "rejected", read.kind, read.key, None, (), read.problem)
            if isinstance(read, Refused)
            else Outcome(index, "accepted", read.kind, read.key, None, read.warnings)
        )
        for span in told.spans:
            made[span].append(outcome)
    return list(_outcomes(decoded, made))


def _outcomes(decoded: Decoded, made: Mapping[str, Sequence[Outcome]]) -> Iterator[Outcome]:
    """An outcome per span in the order sent; `made`: of the records that each tells."""
    for index, each in enumerate(decoded.received):
        if isinstance(each, RejectedSpan):
            yield _rejected(index, each)
        else:
            yield _outcome(index, each, made.get(each, ()))


def _spans_of(
    workspace: Workspace, payload_ids: Collection[int]
) -> Iterator[tuple[int, Sequence[Span]]]:
    """The spans of other payloads; those whose bodies were destroyed are absent."""
    for row, body in bodies_of(workspace, payload_ids):
        yield row.pk, read_request(body, row.media_type).spans


def _rejected(index: int, span: RejectedSpan) -> Outcome:
    problem = record_problem("value-not-allowed", span.detail, span.pointer)
    return Outcome(index, "rejected", "span", "", None, problem=problem)


def _outcome(index: int, key: str, made: Sequence[Outcome]) -> Outcome:
    """What became of a span: of the records that follow from it."""
    refused = [each for each in made if each.problem is not None]
    statuses = {each.status for each in made}
    problem = refused[0].problem if refused else None
    return Outcome(
        index=index,
        status="rejected"
        if refused
        else "accepted"
        if "accepted" in statuses
        else "unchanged"
        if statuses == {"unchanged"}
        else "stored",
        kind="span",
        key=key,
        uid=_uid(key, made),
        warnings=tuple(_warnings(made)),
        problem=problem and _within(refused[0].kind, problem),
    )


def _uid(key: str, made: Iterable[Outcome]) -> str | None:
    by_kind = {each.kind: each.uid for each in made if each.key == key}
    return next((by_kind[kind] for kind in _FOREMOST if kind in by_kind), None)


def _warnings(made: Iterable[Outcome]) -> Iterable[Warned]:
    """Each warning once, its pointer leading into the record of that kind."""
    found = (
        Warned(each.code, f"/{outcome.kind}{each.pointer}", each.detail)
        for outcome in made
        for each in outcome.warnings
    )
    return dict.fromkeys(found)


def _within(kind: str, problem: Problem) -> Problem:
    pointer = f"/{kind}{problem.pointer}"
    return Problem(problem.slug, problem.title, problem.status, problem.detail, pointer)
