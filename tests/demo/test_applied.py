"""The demo's records, stored: every reference binds, every interval is exact."""

from collections import Counter

import pytest

from demo.importer import records
from lineage.formats.records import parse_record
from lineage.ingest.apply import apply_records
from lineage.models import Node, Reference
from provexplorer.workspaces.models import Workspace


@pytest.mark.django_db
def test_stored_demo_is_complete(workspace: Workspace) -> None:
    warned: Counter[str] = Counter()
    for batch in records():
        parsed = [parse_record(index, record) for index, record in enumerate(batch)]
        for outcome in apply_records(workspace, parsed).outcomes:
            assert outcome.status != "rejected", outcome
            if outcome.kind in ("retrieval", "context", "answer", "claim", "citation"):
                warned.update(warning.code for warning in outcome.warnings)
    assert warned == {"citation_outside_context": 4}
    nodes = Node.objects.filter(workspace=workspace)
    assert not nodes.filter(resolved=False).exists()
    assert not nodes.filter(provisional=True).exists()
    unbound = Reference.objects.filter(workspace=workspace).exclude(status="bound")
    assert list(unbound.values_list("relation", flat=True)) == ["position"] * 4
    anchors = Counter(nodes.filter(kind__in=("chunk", "claim")).values_list("kind", "anchor"))
    assert anchors == {("chunk", "exact"): 547, ("claim", "exact"): 26}
