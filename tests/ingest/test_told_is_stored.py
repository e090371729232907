"""What a request is told of a record is what the store says of its node: uid and warnings."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.cases.world import answer, approved, world
from tests.ingest.sending import codes, send
from tests.ingest.test_order import worlds
from tests.traces.world import fresh

pytestmark = pytest.mark.django_db(databases=["default", "keys"])


def assert_told_is_stored(workspace: Workspace, records: list[dict[str, Any]]) -> None:
    for outcome in send(workspace, records):
        node = Node.objects.get(workspace=workspace, uid=outcome.uid)
        assert codes(outcome) == {flag["code"] for flag in node.flags}, (outcome.kind, outcome.key)


def test_of_records_that_arrive_under_a_case(workspace: Workspace) -> None:
    send(workspace, world())
    approved(workspace, "revocation", ("source", "s1"))
    late = answer("late", retrieved=["c1"], included=["c1"], cites=["c1"])
    assert_told_is_stored(workspace, late)
    assert Node.objects.get(workspace=workspace, key="late", kind="answer").flags


@given(world=worlds())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_of_any_records(db: None, world: list[dict[str, Any]]) -> None:
    workspace = fresh()
    half = len(world) // 2
    assert_told_is_stored(workspace, world[:half])
    assert_told_is_stored(workspace, world[half:])
    Node.objects.filter(workspace=workspace).delete()
    workspace.delete()
