"""References whatever the namespace: the same lineage, in whatever order its records come."""

import random
from typing import Any

import pytest
from pytest_django import Settings

from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record, send, standing_graph

# Committed for real: what an edge leads to must be there at the end of each request.
pytestmark = pytest.mark.django_db(transaction=True)


def whatever(key: str) -> dict[str, Any]:
    return {"key": key, "namespace": None}


RECORDS = [
    record("source", "s", title="S"),
    record("source_version", "v", source=whatever("s")),
    record("document", "d", source_version=whatever("v"), text="Alpha. Beta."),
    record("part", "p", document=whatever("d"), part_kind="page", interval={"start": 0, "end": 6}),
    record("chunk", "c", document=whatever("d"), interval={"start": 0, "end": 6}),
    record("embedding", "e", chunk=whatever("c"), model="m"),
    record("fact", "f", subject_of=whatever("c"), subject="A", predicate="is", object="B"),
    record("retrieval", "r", candidates=[{"chunk": whatever("c"), "rank": 1}]),
    record(
        "context", "x", retrieval=whatever("r"), items=[{"chunk": whatever("c"), "position": 1}]
    ),
    record("answer", "a", context=whatever("x"), text="Alpha. [1]"),
    record("claim", "k", answer=whatever("a"), interval={"start": 0, "end": 6}),
    record("citation", "q", claim=whatever("k"), marker="[1]", chunk=whatever("c")),
]


@pytest.mark.parametrize("seed", [1, 2, None])
def test_one_by_one_in_any_order_is_as_all_at_once(settings: Settings, seed: int | None) -> None:
    settings.NEO4J_URI = "bolt://127.0.0.1:9"
    records = [{**one, "namespace": "shelf"} for one in RECORDS]
    once = Workspace.objects.create(slug="once", name="once")
    send(once, records)
    expected = standing_graph(once)
    assert len(expected[0]) == len(RECORDS)
    key = once.uid_key
    once.delete()
    again = Workspace.objects.create(slug="again", name="again", uid_key=key)
    if seed is None:
        records.reverse()
    else:
        random.Random(seed).shuffle(records)
    for one in records:
        send(again, [one])
    assert standing_graph(again) == expected
