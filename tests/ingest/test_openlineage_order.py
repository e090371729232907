"""The state that events leave does not depend on their order, split or repetition."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lineage.inbox.apply_openlineage import apply
from lineage.inbox.result import Payload
from lineage.models import Node
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.formats.openlineage_events import OTHER_RUN, RUN, dataset, dataset_event, run_event
from tests.ingest.sending import standing_graph

pytestmark = pytest.mark.django_db(databases=["default", "keys"])

TIMES = ["2026-03-01T10:00:00Z", "2026-03-01T10:05:00Z", "2026-03-02T00:00:00"]
FACETS: list[dict[str, Any]] = [
    {},
    {},
    {"version": {"datasetVersion": "1"}},
    {"version": {"datasetVersion": "2"}},
    {"ownership": {"owners": [{"name": "team:x"}]}},
    {"ownership": {"owners": [{"name": "team:y"}, {"name": "user:z"}]}},
    {"custom": {"x": 1}},
    {"custom": {"_deleted": True}},
    {"columnLineage": {"fields": {"t": {"inputFields": [
        {"namespace": "s3://corpus", "name": "a", "field": "f"}]}}}},
    {"symlinks": {"identifiers": [{"namespace": "hive", "name": "c", "type": "TABLE"}]}},
    {"lifecycleStateChange": {
        "lifecycleStateChange": "RENAME",
        "previousIdentifier": {"namespace": "s3://corpus", "name": "a"}}},
    {"rag_document": {"text": "Alpha is one. Beta is two."}},
    {"rag_chunks": {"document": {"namespace": "s3://corpus", "name": "b"},
                    "chunks": [{"id": "k1", "start": 0, "end": 13}]}},
]  # fmt: skip


@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Runs of two jobs over few datasets, with late, missing and contradicting events."""

    def pick(*values: Any) -> Any:
        return draw(st.sampled_from(values))

    def some() -> list[dict[str, Any]]:
        names = draw(st.lists(st.sampled_from(["a", "b", "c"]), max_size=2, unique=True))
        return [dataset(name, **pick(*FACETS)) for name in names]

    events = [
        run_event(
            pick("START", "RUNNING", "COMPLETE", "FAIL", "OTHER"),
            at=pick(*TIMES),
            run=pick(RUN, OTHER_RUN),
            job=pick("parse", "merge"),
            inputs=some(),
            outputs=some(),
            run_facets=pick(None, {"processing_engine": {"name": "e", "version": "1"}}),
            job_facets=pick(
                None,
                {"sourceCodeLocation": {"type": "git", "url": "https://g.example", "version": "1"}},
                {"sourceCodeLocation": {"type": "git", "url": "https://g.example", "version": "2"}},
            ),
        )
        for _ in range(draw(st.integers(2, 5)))
    ]
    events += [
        dataset_event(pick(*TIMES), **dataset(pick("a", "b", "c"), **pick(*FACETS)))
        for _ in range(draw(st.integers(0, 2)))
    ]
    return events


def send(workspace: Workspace, events: list[dict[str, Any]]) -> None:
    body = json.dumps(events).encode()
    apply(workspace, Payload(1, "inb_x", "openlineage", "application/json", body, clock.now()))


@given(history=histories(), data=st.data())
@settings(
    # A history costs as much as several small worlds of records.
    max_examples=max(5, settings().max_examples // 3),
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
def test_shuffled_split_and_repeated_events_leave_the_same_state(
    db: None, history: list[dict[str, Any]], data: st.DataObject
) -> None:
    key = "5e" * 32
    _forget()
    plain = Workspace.objects.create(slug="plain", name="plain", uid_key=key)
    send(plain, history)
    expected = standing_graph(plain)
    plain.delete()
    _forget()
    shuffled = Workspace.objects.create(slug="shuffled", name="shuffled", uid_key=key)
    order = data.draw(st.permutations(history))
    cut = data.draw(st.integers(0, len(order)))
    for part in (order[:cut], order[cut:], order[: cut // 2]):
        send(shuffled, part)
    assert standing_graph(shuffled) == expected
    shuffled.delete()


def _forget() -> None:
    """Both workspaces have the same key on purpose, so that one must be gone before the other."""
    Node.objects.all().delete()
    Workspace.objects.all().delete()
