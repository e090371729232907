"""The workspace that impact is measured on, written in bulk, is what the product makes of the same records."""

from collections import Counter
from typing import Any

import pytest

from bench.impact_rows import Writer
from bench.impact_world import World
from lineage.formats.records import parse_record
from lineage.ingest.apply import apply_records
from lineage.models import Node, Reference, RestsOn
from provexplorer.workspaces.models import Workspace

pytestmark = [
    pytest.mark.django_db(databases=["default", "keys"]),
    pytest.mark.usefixtures("graph"),
]

# Enough that answers share documents, runs and chunks, and that one has two chunks of a document.
ANSWERS = 12


def rows(workspace: Workspace) -> dict[str, Counter[Any]]:
    """What impact reads, by keys instead of uids.

    Which of several equally short chains explains an answer is left out: ids decide.
    """
    nodes = Node.objects.filter(workspace=workspace)
    references = Reference.objects.filter(workspace=workspace)
    rests = RestsOn.objects.filter(answer__workspace=workspace)
    return {
        "nodes": Counter(nodes.values_list("kind", "key", "resolved", "occurred_at", "event_at")),
        "references": Counter(
            references.values_list(
                "from_node__key", "edge", "to_node__key", "relation", "ordinal", "kind", "status",
                "holder__key", "event_at",
            )
        ),
        "rests": Counter(
            rests.values_list("answer__key", "target__key", "grade", "origin_grade", "via__kind", "at")
        ),
    }  # fmt: skip


def test_bulk_equals_ingestion(workspace: Workspace) -> None:
    world = World(ANSWERS)
    written = Workspace.objects.create(slug="written", name="written")
    Writer(written, world).write()
    records = [parse_record(i, one) for i, one in enumerate(world.records())]
    outcomes = apply_records(workspace, records).outcomes
    assert {one.status for one in outcomes} == {"stored"}
    expected = rows(workspace)
    assert len(expected["nodes"]) > 100
    assert any(
        len({chunk // 20 for chunk in world.given(n)}) < len(world.given(n)) for n in range(ANSWERS)
    )
    for what, found in rows(written).items():
        assert found == expected[what], what
