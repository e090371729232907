"""Messages of the version before are tasks of this one, and those of the next, with more in them, too."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any, Final

import pytest

from lineage import tasks
from provexplorer.celery import app
from provexplorer.poison import fault_of

pytestmark = pytest.mark.engine_free

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


@pytest.mark.parametrize(("name", "arguments"), SENT)
def test_what_was_sent_is_still_taken(name: str, arguments: dict[str, Any]) -> None:
    assert fault_of(message(name, arguments)) is None
    assert fault_of(message(name, arguments | {"of_a_later_version": 1})) is None


def test_every_task_has_a_message_that_was_sent() -> None:
    assert tasks.__name__ == "lineage.tasks"
    ours = {name for name in app.tasks if name.startswith("lineage.")}
    assert {name for name, _ in SENT} == ours


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [("lineage.gone", {}, "unknown_task"), ("lineage.propagate_case", {}, "unfit")],
)
def test_what_cannot_be_run_is_told(name: str, arguments: dict[str, Any], reason: str) -> None:
    assert fault_of(message(name, arguments)) in {(reason, ""), (reason, name)}
