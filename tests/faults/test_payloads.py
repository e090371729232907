"""Messages of the version before are tasks of this one, and those of the next, with more in them, too."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any, Final

import pytest

from lineage import tasks
from lineage.models import Case
from provexplorer.celery import app
from provexplorer.poison import fault_of
from provexplorer.workspaces.models import Workspace
from tests.cases.world import approved, row, send, world
from tests.faults.invariants import Filed, assert_invariants

# Every task with the arguments that a released version sent: lines are added, never changed.
SENT: Final[list[tuple[str, dict[str, Any]]]] = [
    tuple(one) for one in json.loads((Path(__file__).parent / "payloads.json").read_text())
]


def message(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    body = b64encode(json.dumps([[], arguments, {}]).encode()).decode()
    info = {"exchange": "", "routing_key": "provexplorer"}
    return {
        "body": body, "content-type": "application/json", "content-encoding": "utf-8",
        "headers": {"task": name, "id": "x"},
        "properties": {"delivery_tag": "t", "delivery_info": info, "body_encoding": "base64"},
    }  # fmt: skip


@pytest.mark.engine_free
@pytest.mark.parametrize(("name", "arguments"), SENT)
def test_what_was_sent_is_still_taken(name: str, arguments: dict[str, Any]) -> None:
    assert fault_of(message(name, arguments)) is None
    assert fault_of(message(name, arguments | {"of_a_later_version": 1})) is None


@pytest.mark.engine_free
def test_every_task_has_a_message_that_was_sent() -> None:
    assert tasks.__name__ == "lineage.tasks"
    ours = {name for name in app.tasks if name.startswith("lineage.")}
    assert {name for name, _ in SENT} == ours


@pytest.mark.engine_free
@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [("lineage.gone", {}, "unknown_task"), ("lineage.propagate_case", {}, "unfit")],
)
def test_what_cannot_be_run_is_told(name: str, arguments: dict[str, Any], reason: str) -> None:
    assert fault_of(message(name, arguments)) in {(reason, ""), (reason, name)}


@pytest.mark.django_db
@pytest.mark.one_pair
@pytest.mark.usefixtures("graph")
def test_a_case_is_carried_to_its_end_by_messages_of_either(workspace: Workspace) -> None:
    send(workspace, world())
    case = approved(workspace, "retraction", ("source", "s1"))
    before = next(arguments for name, arguments in SENT if name == "lineage.propagate_case")
    for more in ({}, {"of_a_later_version": 1}):
        Case.objects.update(lease_until=None)
        tasks.propagate_case(**before | {"case_id": row(case).pk} | more)
    assert_invariants(workspace, world(), [Filed(case.uid, "retraction", (("source", "s1"),))])
