"""Log lines hold no text of anybody: not of messages' arguments, extras or exceptions."""

import json
import logging
import sys
from typing import Any

import pytest

from provexplorer.logs import JsonLines, logging_configuration

pytestmark = pytest.mark.engine_free
UID = "ans_abcdefghijklmnopqrstuvwxyz"
TASK = "0f7e7a0e-5a3b-4f0e-9d0a-111111111111"


def line(
    message: object, *arguments: Any, name: str = "lineage.ingest.apply", **extra: Any
) -> dict[str, Any]:
    exc_info = extra.pop("exc_info", None)
    record = logging.getLogger(name).makeRecord(
        name, logging.INFO, "apply.py", 7, message, arguments, exc_info, func="f", extra=extra
    )
    found = json.loads(JsonLines().format(record))
    assert isinstance(found, dict)
    return found


def test_words_of_an_exception_are_left_out_its_place_is_kept() -> None:
    try:
        raise ValueError("Key (title)=(What the patient said) already exists")
    except ValueError:
        found = line("request failed", exc_info=sys.exc_info())
    assert "patient" not in json.dumps(found)
    assert found["exception"] == "ValueError"
    assert found["raised_at"][-1].endswith(
        "test_words_of_an_exception_are_left_out_its_place_is_kept"
    )


@pytest.mark.parametrize("text", ["What the patient said", "secret", "/search?q=patient", ""])
def test_text_among_arguments_and_extras_is_left_out(text: str) -> None:
    found = line("Not Found: %s", text, title=text)
    assert found["event"] == "Not Found: %s"
    assert "arguments" not in found
    assert "title" not in found


def test_library_that_writes_its_own_words_is_told_by_place_only() -> None:
    found = line("MERGE (:Agent {name: 'Ada'})", name="neo4j.io")
    assert found["event"] == "apply.f:7"


def test_message_that_is_no_string_is_told_by_place_only() -> None:
    assert line(ValueError("Ada"))["event"] == "apply.f:7"


def test_numbers_uids_and_tasks_are_kept() -> None:
    found = line("%s %s %s", 3, UID, TASK, answers=4, uid=UID, slow=1.5, done=True, batch=None)
    assert found["arguments"] == [3, UID, TASK]
    assert {name: found[name] for name in ("answers", "uid", "slow", "done", "batch")} == {
        "answers": 4,
        "uid": UID,
        "slow": 1.5,
        "done": True,
        "batch": None,
    }


def test_our_names_are_kept_where_they_are_names() -> None:
    found = line("broker away", task="lineage.project_pending", error="OperationalError")
    assert (found["task"], found["error"]) == ("lineage.project_pending", "OperationalError")
    assert "task" not in line("broker away", task="two words")


def test_mapping_of_arguments_is_filtered_by_value() -> None:
    found = line("Task %(name)s", {"name": "lineage.send_outbox", "kwargs": "{'q': 'Ada'}"})
    assert found["arguments"] == {"name": "lineage.send_outbox"}


def test_django_does_not_mail_requests() -> None:
    configuration = logging_configuration(level="INFO")
    assert configuration["loggers"]["django"]["handlers"] == ["stderr"]
    assert configuration["loggers"]["django"]["propagate"] is False
