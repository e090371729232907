"""Messages that must not stop a worker: what is no task of ours, and what takes its worker with it.

The broker's transport takes a message off the list before it is read. One that is not JSON, is
huge or names a task that this version does not have would end the worker or vanish in its log; here it
is set aside (lineage/quarantine.py) and the next one is taken. A message that comes back because
its worker was lost is counted, and set aside as well when it has cost a handful of them.
"""

import inspect
import json
from base64 import b64decode
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from celery import Task, current_app
from celery.exceptions import Retry
from django.db import connections
from kombu.transport import TRANSPORT_ALIASES, redis

from provexplorer import deafness

# Ids and numbers: a task of ours has a few hundred bytes.
MOST_BYTES: Final = 64 * 1024
# What reading a message can raise that is not one.
_UNREADABLE: Final = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError,
                      RecursionError)  # fmt: skip


class Channel(redis.Channel):
    """A channel whose reads survive what is not JSON, and which says so when its connection is gone."""

    def _brpop_read(self, **options: Any) -> Any:
        self.connection.handed_on = False
        try:
            return super()._brpop_read(**options)  # type: ignore[no-untyped-call]
        except _UNREADABLE as error:
            # What fails later is no fault of the message's form; without a connection nothing was read.
            if self.connection.handed_on or self.client.connection is None:
                raise
            document = getattr(error, "doc", "")
            set_aside("unreadable", message=document.encode("utf-8", "surrogatepass"))
        return True

    def _connparams(self, *arguments: Any, **named: Any) -> Any:
        """Raises ConnectionError where the channel has lost its connection.

        A task that ends then gives its message back through it: the worker, which waits for a broker
        that is away, would end at any other error.
        """
        if self.connection is None:
            msg = "the channel's connection is closed"
            raise ConnectionError(msg)
        return super()._connparams(*arguments, **named)  # type: ignore[no-untyped-call]


class Transport(redis.Transport):
    """A transport that hands on what can be a task of ours."""

    Channel = Channel
    handed_on = False

    def _deliver(self, message: Any, queue: str) -> None:
        self.handed_on = True
        deafness.heard()
        if queue == current_app.conf.task_default_queue and (fault := fault_of(message)):
            reason, name = fault
            set_aside(reason, name=name, message=json.dumps(message, default=repr).encode())
        else:
            super()._deliver(message, queue)  # type: ignore[no-untyped-call]


def install() -> None:
    """Have every connection to Redis go through it."""
    for scheme in ("redis", "rediss"):
        TRANSPORT_ALIASES[scheme] = f"{__name__}:Transport"


def fault_of(message: Any) -> tuple[str, str] | None:
    """Why a message cannot be run (a reason of lineage.models.Quarantined) and the task it names.

    None for a task of this version with arguments that it takes.
    """
    try:
        name, arguments, named = _read(message)
    except _TooLarge:
        return "too_large", ""
    except _UNREADABLE:
        return "unreadable", ""
    task = current_app.tasks.get(name)
    if task is None:
        return "unknown_task", ""
    try:
        inspect.signature(task.run).bind(*arguments, **named)
    except TypeError:
        return "unfit", name
    return None


def set_aside(reason: str, *, name: str = "", message: bytes = b"") -> None:
    """Note it, from the worker's own process, which keeps no connection to the database."""
    from lineage.models import Quarantined
    from lineage.quarantine import set_aside as note

    try:
        note(Quarantined.Reason(reason), name=name, message=message)
    finally:
        connections.close_all()


class Bounded(Task):  # type: ignore[misc]
    """A task that comes back after its worker was lost, but not for ever; it tells when it is done.

    While a database that was restored lacks erasures it does nothing, and is asked for again.
    """

    abstract = True

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        from lineage import outbox, quarantine
        from provexplorer import in_step

        row_id = (self.request.headers or {}).get(outbox.HEADER)
        if not self.request.called_directly and not in_step.may_run(self.name):
            if row_id is not None:
                outbox.put_off(row_id)
            return None
        redelivered = (self.request.delivery_info or {}).get("redelivered")
        result = None
        if not redelivered or quarantine.may_run_again(self.request.id, self.name):
            try:
                result = super().__call__(*arguments, **named)
            except Retry as retry:
                if row_id is not None and not isinstance(retry.when, datetime):
                    outbox.tries_again(row_id, seconds=retry.when or 0)
                raise
        if row_id is not None:
            outbox.done(row_id)
        return result


class _TooLarge(Exception):
    """More bytes than any task of ours has."""


def _read(message: Any) -> tuple[str, list[Any], dict[str, Any]]:
    """Task, arguments and named arguments; raises what _UNREADABLE lists."""
    properties, headers = message["properties"], message["headers"]
    info = properties["delivery_info"]
    for value in (properties["delivery_tag"], info["exchange"], info["routing_key"], headers["id"]):
        _be(str, value)
    name, body = _be(str, headers["task"]), _be(str, message["body"])
    if len(body) > MOST_BYTES:
        raise _TooLarge
    if message["content-type"] != "application/json":
        raise ValueError
    raw = b64decode(body) if properties.get("body_encoding") == "base64" else body.encode()
    arguments, named, _ = json.loads(raw)
    return name, _be(list, arguments), dict(_be(Mapping, named))


def _be(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError
    return value
