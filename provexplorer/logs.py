"""Logs as JSON lines that hold no text of anybody: words of our own, uids, names and numbers.

A message is logged as its constant words; of its arguments only what cannot be somebody's
text is kept. Of an exception: its type and where it was raised, never its words, for they
may quote what a client sent (a database names the value that violates a constraint).
"""

import json
import logging
import re
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from lineage.identifiers import UID_PATTERN

# Loggers whose messages are constant words with arguments; of others only warnings, without words.
_OUR_WORDS: Final = (
    "provexplorer", "lineage", "citations", "demo", "django", "celery", "gunicorn", "kombu",
)  # fmt: skip
_TASK_ID: Final = re.compile(r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_TASK_NAME: Final = re.compile(r"^(lineage|citations|provexplorer)(\.[a-z_]+)+$")
# `extra` fields whose words are our own: names of tasks, error classes, queries, kinds.
_NAMED_BY_US: Final = frozenset({"task", "error", "query", "kind", "state", "problem", "child"})
_IDENTIFIER: Final = re.compile(r"^[A-Za-z_][\w.-]{0,99}$", re.ASCII)
_MOST_FRAMES: Final = 12
# What a LogRecord holds by itself; everything else came by `extra`.
_STANDARD: Final = frozenset(logging.makeLogRecord({}).__dict__) | {
    "message",
    "asctime",
    "taskName",
}


class JsonLines(logging.Formatter):
    """One JSON object a line: at, level, logger, event, arguments, extra, exception."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _words(record),
        }
        if arguments := _arguments(record.args):
            entry["arguments"] = arguments
        entry |= {
            name: value
            for name, value in record.__dict__.items()
            if name not in _STANDARD and (_harmless(value) or _our_name(name, value))
        }
        if record.exc_info and record.exc_info[0] is not None:
            entry["exception"] = record.exc_info[0].__name__
            entry["raised_at"] = [
                f"{frame.filename}:{frame.lineno} {frame.name}"
                for frame in traceback.extract_tb(record.exc_info[2])[-_MOST_FRAMES:]
            ]
        return json.dumps(entry, ensure_ascii=False)


def _words(record: logging.LogRecord) -> str:
    """The constant words of a message; of a library that formats its own, only where it was."""
    ours = record.name.split(".")[0] in _OUR_WORDS
    if ours and isinstance(record.msg, str):
        return record.msg
    return f"{record.module}.{record.funcName}:{record.lineno}"


def _arguments(arguments: object) -> list[Any] | dict[str, Any]:
    if isinstance(arguments, Mapping):
        return {str(name): value for name, value in arguments.items() if _harmless(value)}
    if isinstance(arguments, tuple):
        return [value for value in arguments if _harmless(value)]
    return []


def _harmless(value: object) -> bool:
    """Whether a value cannot be anybody's text: a number, a uid, a task's name or id."""
    if value is None or isinstance(value, bool | int | float):
        return True
    return isinstance(value, str) and any(
        pattern.match(value) for pattern in (UID_PATTERN, _TASK_ID, _TASK_NAME)
    )


def _our_name(field: str, value: object) -> bool:
    return field in _NAMED_BY_US and isinstance(value, str) and bool(_IDENTIFIER.match(value))


def logging_configuration(*, level: str) -> dict[str, Any]:
    """The LOGGING setting: everything to stderr; other libraries from warnings on."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "provexplorer.logs.JsonLines"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            # Django brings handlers of its own, one of which sends mail with the request in it.
            "django": {"handlers": ["stderr"], "level": level, "propagate": False},
            "django.server": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
            **{
                name: {"level": level}
                for name in ("provexplorer", "lineage", "citations", "demo", "celery")
            },
            "celery.app.trace": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.worker.request": {"level": "WARNING"},
            "celery.beat": {"level": "WARNING"},
        },
    }
