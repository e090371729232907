"""A job of 5,000 inputs is applied in one piece, in bounded memory and time."""

import json
import resource
import time

import pytest

from lineage.inbox.apply_openlineage import apply
from lineage.inbox.result import Payload
from lineage.models import Node, Reference
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.formats.openlineage_events import dataset, run_event
from tests.thorough import long_only

pytestmark = [
    pytest.mark.django_db,
    long_only,
]

INPUTS = 5_000
MOST_MIB = 150
MOST_CPU_SECONDS = 60.0


def test_a_job_of_5000_inputs(graph: object, workspace: Workspace) -> None:
    inputs = [dataset(f"d/{n}.pdf", version={"datasetVersion": str(n)}) for n in range(INPUTS)]
    body = json.dumps(run_event(inputs=inputs, outputs=[dataset("out")])).encode()
    warm = json.dumps(run_event(job="warm", outputs=[dataset("warm")])).encode()
    apply(workspace, payload(warm))
    before, cpu = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    result = apply(workspace, payload(body))
    spent = time.process_time() - cpu
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert [outcome.status for outcome in result.outcomes] == ["stored"]
    assert (spent < MOST_CPU_SECONDS, grown < MOST_MIB) == (True, True), (spent, grown)
    out = Node.objects.get(workspace=workspace, kind="source_version", key="out")
    edges = Reference.objects.filter(workspace=workspace, from_node=out, edge="WAS_DERIVED_FROM")
    assert edges.count() == INPUTS
    assert [outcome.status for outcome in apply(workspace, payload(body)).outcomes] == ["unchanged"]


def payload(body: bytes) -> Payload:
    return Payload(1, "inb_x", "openlineage", "application/json", body, clock.now())
