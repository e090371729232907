"""Payloads of records, and the clock by which they age."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from lineage.inbox.receive import Receipt, receive
from lineage.models import InboxPayload
from provexplorer.workspaces.models import Workspace

NOW: Final = datetime(2026, 3, 1, 10, tzinfo=UTC)
SOURCE: Final = {"kind": "source", "key": "s", "title": "T", "creators": [{"name": "Ada"}]}
REFUSED: Final = {"kind": "source", "key": "nameless"}

Records = Callable[..., Receipt]


def body(*records: object) -> bytes:
    return json.dumps({"records": records}).encode()


def send(workspace: Workspace, *records: object, **given: Any) -> Receipt:
    """Receive these records, as the endpoint does."""
    given = {"media_type": "application/json", "body": body(*records)} | given
    return receive(workspace, format="native", **given)


def row(receipt: Receipt) -> InboxPayload:
    return InboxPayload.objects.get(uid=receipt.uid)


def only(workspace: Workspace) -> InboxPayload:
    """The only payload of the workspace."""
    return InboxPayload.objects.get(workspace=workspace)
