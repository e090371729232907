"""A trace in any pieces, order and form ends as the same nodes, edges and closure."""

import itertools
import random
from collections.abc import Collection, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demo.files import DATA, read_json
from lineage.formats.openinference import records_of, to_records
from lineage.formats.otlp import Span
from lineage.formats.otlp_request import read_request
from lineage.inbox.keeping import destroy_bodies, keep
from lineage.models import InboxPayload, Node, Reference, Sighting, TraceHome, TracePayload
from lineage.traces.assembly import StillArriving, apply_traces
from lineage.traces.index import hash_of, register
from provexplorer.workspaces.models import Workspace
from tests.formats.openinference_traces import TRACE_ID, documents, request, span, span_id
from tests.formats.otlp_bodies import protobuf
from tests.ingest.sending import send as send_records
from tests.ingest.sending import standing_graph
from tests.traces.world import (
    JSON,
    PROTOBUF,
    end_state,
    fresh,
    piece,
    rag_trace,
    send,
    send_request,
    spans_of,
    whole,
)

OTHER = "c" * 32
relational = pytest.mark.django_db(databases=["default", "keys"])


def key(number: int) -> str:
    return f"{TRACE_ID}:{span_id(number)}"


def answers(workspace: Workspace) -> set[str]:
    rows = Node.objects.filter(workspace=workspace, kind="answer", resolved=True)
    return set(rows.values_list("key", flat=True))


@pytest.mark.engine_free
@given(order=st.permutations(range(6)), cut=st.lists(st.integers(0, 6), max_size=3))
def test_records_do_not_depend_on_order_and_split(order: list[int], cut: list[int]) -> None:
    raw = rag_trace()
    bounds = [0, *sorted(cut), 6]
    pieces = [[raw[i] for i in order[a:b]] for a, b in itertools.pairwise(bounds)]
    found: list[Span] = []
    for some in pieces:
        found += read_request(protobuf(request(*some)), PROTOBUF).spans
    assert records_of(found) == to_records(request(*raw))


@relational
def test_by_json_protobuf_native_records_and_pieces_the_uids_are_the_same() -> None:
    body: dict[str, Any] = read_json(DATA / "traces" / "llamaindex_01.json")
    workspace = fresh()
    send_request(workspace, body, by=JSON)
    expected = end_state(workspace)
    assert len(expected[0]) > 10
    workspace = fresh()
    send_request(workspace, body, by=PROTOBUF)
    assert end_state(workspace) == expected
    workspace = fresh()
    send_records(workspace, to_records(body))
    assert end_state(workspace) == expected
    workspace = fresh()
    held = spans_of(body)
    random.Random(1).shuffle(held)
    for one in held:
        send_request(workspace, piece([one]))
    assert end_state(workspace) == expected


@relational
@given(chance=st.randoms(use_true_random=False))
@settings(
    max_examples=max(1, settings().max_examples // 15),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_pieces_in_any_order_and_again_end_in_the_same_graph(
    db: None, chance: random.Random
) -> None:
    raw = rag_trace() + [each | {"traceId": OTHER} for each in rag_trace()]
    expected = whole(*raw)
    workspace = fresh()
    pieces = [[each] for each in raw]
    pieces += [chance.sample(raw, 3) for _ in range(2)]
    chance.shuffle(pieces)
    for some in pieces:
        send(workspace, *some, by=chance.choice([JSON, PROTOBUF]))
    assert end_state(workspace) == expected


@relational
def test_what_an_incomplete_trace_suggested_is_withdrawn() -> None:
    expected = whole(*rag_trace())
    workspace = fresh()
    (inner_retriever, outer_retriever, reranker, inner_model, outer_model, root) = rag_trace()
    send(workspace, inner_retriever, inner_model)
    assert answers(workspace) == {key(7)}
    send(workspace, outer_model)
    assert answers(workspace) == {key(6)}
    send(workspace, root, reranker, outer_retriever)
    retrievals = Node.objects.filter(workspace=workspace, kind="retrieval")
    assert [each.key for each in retrievals] == [key(3)]
    assert end_state(workspace) == expected


@relational
def test_what_was_sent_as_records_too_stays() -> None:
    workspace = fresh()
    inner = rag_trace()[3]
    send_records(workspace, to_records(request(inner)))
    send(workspace, inner)
    send(workspace, *rag_trace()[4:])
    assert answers(workspace) == {key(6), key(7)}


@relational
def test_traces_of_one_payload_go_on_in_another_each_by_itself() -> None:
    mine, other = rag_trace(), [each | {"traceId": OTHER} for each in rag_trace()]
    expected = whole(*mine, *other)
    workspace = fresh()
    send(workspace, *mine[:4], *other[:4])
    send(workspace, *other[4:])
    assert answers(workspace) == {key(7), f"{OTHER}:{span_id(6)}"}
    send(workspace, *mine[4:])
    homes = TraceHome.objects.filter(workspace=workspace).values_list("home", flat=True)
    assert len(set(homes)) == 1
    assert TracePayload.objects.filter(trace__workspace=workspace).count() == 4
    assert end_state(workspace) == expected


@relational
def test_a_passage_that_was_read_twice_is_cited_by_either_place() -> None:
    rows = [
        {"id": "a", "content": "A."},
        {"id": "a", "content": "A."},
        {"id": "b", "content": "B."},
    ]
    found = span(1, "RETRIEVER", **documents("retrieval.documents", *rows))
    workspace = fresh()
    said = "One [1]. Two [2]. Three [3]. Four [4]."
    send(workspace, found, span(2, "LLM", at=1, input__value="__REDACTED__", output__value=said))
    cited = Reference.objects.filter(
        workspace=workspace, holder__kind="citation", relation__in=("position", "chunk")
    )
    told = sorted(cited.values_list("holder__key", "to_node__key"))
    assert told == [
        (f"{key(2)}#citation-{n}", chunk) for n, chunk in ((1, "a"), (2, "a"), (3, "b"), (4, None))
    ]


@relational
def test_the_same_payload_again_changes_nothing() -> None:
    workspace = fresh()
    first = send(workspace, *rag_trace())
    before = standing_graph(workspace), Sighting.objects.count()
    again = send(workspace, *rag_trace())
    assert (standing_graph(workspace), Sighting.objects.count()) == before
    assert first.result is not None
    assert again.result is not None
    assert [each.uid for each in again.result.outcomes] == [
        each.uid for each in first.result.outcomes
    ]
    assert {each.status for each in again.result.outcomes if each.uid} == {"unchanged"}


@relational
def test_a_trace_whose_payload_is_gone_takes_more_and_withdraws_nothing() -> None:
    workspace = fresh()
    raw = rag_trace()
    send(workspace, *raw[:4])
    destroy_bodies([InboxPayload.objects.get(workspace=workspace).pk])
    send(workspace, *raw[4:])
    assert answers(workspace) == {key(6), key(7)}
    retrievals = Node.objects.filter(workspace=workspace, kind="retrieval")
    assert {each.key for each in retrievals} == {key(3)}


@relational
def test_an_outcome_a_span() -> None:
    workspace = fresh()
    zero = span(9, "LLM") | {"traceId": "0" * 32}
    raw = rag_trace()
    receipt = send(workspace, raw[5], zero, raw[4], raw[1], raw[4])
    assert receipt.result is not None
    told = [
        (each.index, each.status, each.key, (each.uid or "")[:3])
        for each in receipt.result.outcomes
    ]
    assert told == [
        (0, "stored", key(1), ""),
        (1, "rejected", "", ""),
        (2, "accepted", key(6), "ans"),
        (3, "accepted", key(3), "ret"),
        (4, "accepted", key(6), "ans"),
    ]
    problem = receipt.result.outcomes[1].problem
    assert problem is not None
    assert problem.pointer == "/resourceSpans/0/scopeSpans/0/spans/1"
    row = InboxPayload.objects.get(workspace=workspace)
    assert (row.state, row.items, row.rejected) == ("partly_applied", 5, 1)


@relational
def test_a_record_that_is_refused_refuses_its_span() -> None:
    workspace = fresh()
    large = span(1, "LLM", output__value="word " * (2 << 20), llm__model_name="m")
    receipt = send(
        workspace, large, span(2, "LLM", at=-1, output__value="Yes.", llm__model_name="m")
    )
    assert receipt.result is not None
    first, second = receipt.result.outcomes
    assert (first.status, second.status) == ("rejected", "stored")
    assert first.problem is not None
    assert (first.problem.slug, first.problem.pointer) == ("record-too-large", "/answer")


@relational
def test_ids_of_traces_do_not_stand_in_the_index() -> None:
    workspace = fresh()
    send(workspace, *rag_trace())
    (home,) = TraceHome.objects.filter(workspace=workspace)
    assert home.trace == hash_of(workspace, TRACE_ID)
    assert TRACE_ID not in home.trace


class Meanwhile:
    """Spans of payloads that others send while one is applied, one at each reading of another."""

    def __init__(self, workspace: Workspace, spans: list[Any], payloads: list[int]) -> None:
        self._workspace, self._spans, self._payloads = workspace, spans, payloads
        self._sent = 0

    def __call__(self, payloads: Collection[int]) -> Iterator[tuple[int, tuple[Span, ...]]]:
        for payload in sorted(payloads):
            yield payload, self.read(payload)

    def read(self, payload: int) -> tuple[Span, ...]:
        if self._sent + 1 < len(self._payloads):
            self._sent += 1
            arriving = self._payloads[self._sent]
            register(self._workspace, arriving, [hash_of(self._workspace, TRACE_ID)])
        place = self._payloads.index(payload)
        return read_request(protobuf(request(self._spans[place])), PROTOBUF).spans


def kept_payloads(workspace: Workspace, count: int) -> list[int]:
    """Payloads that are kept and not applied, the oldest first."""
    rows = [
        keep(
            workspace, format="otlp", media_type=JSON, body=b"{}", packed=None, key_id=None,
            idempotency="", digest="",
        )
        for _ in range(count)
    ]  # fmt: skip
    return sorted(row.pk for row in rows)


@relational
def test_what_arrives_while_a_trace_is_put_together_is_not_missed() -> None:
    raw = rag_trace()
    expected = whole(*raw)
    workspace = fresh()
    mine, *others = kept_payloads(workspace, len(raw))
    own = read_request(protobuf(request(raw[0])), PROTOBUF).spans
    register(workspace, others[0], [hash_of(workspace, TRACE_ID)])
    apply_traces(workspace, mine, own, Meanwhile(workspace, raw[1:], others))
    assert end_state(workspace) == expected


@relational
def test_what_never_ceases_to_arrive_is_left_for_later() -> None:
    workspace = fresh()
    raw = [span(n, "CHAIN") for n in range(1, 40)]
    mine, *others = kept_payloads(workspace, len(raw))
    own = read_request(protobuf(request(raw[0])), PROTOBUF).spans
    register(workspace, others[0], [hash_of(workspace, TRACE_ID)])

    class OnePerRound(Meanwhile):
        """Others send one payload a round."""

        def read(self, payload: int) -> tuple[Span, ...]:
            last = payload == self._payloads[self._sent]
            return super().read(payload) if last else ()

    with pytest.raises(StillArriving):
        apply_traces(workspace, mine, own, OnePerRound(workspace, raw[1:], others))
