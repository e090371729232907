"""A caller of the API: Django's own client, so that middleware and addresses are passed, too."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.test import Client

from provexplorer.workspaces.keys import create_key
from provexplorer.workspaces.models import Workspace

ALL_SCOPES: Final = ("ingest", "read", "operate", "edit", "admin")


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: status, headers, the body as JSON."""

    status: int
    headers: dict[str, str]
    body: Any


@dataclass(slots=True)
class Caller:
    """Calls with one key; without one, with nothing but the client's cookies."""

    key: str = ""
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def call(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        content_type: str = "application/json",
        **headers: str,
    ) -> Reply:
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        response = self.client.generic(method, path, body, content_type, headers=headers)
        content = response.content
        return Reply(response.status_code, dict(response.headers), json.loads(content or b"null"))

    def get(self, path: str) -> Reply:
        return self.call("GET", f"/api/v1{path}")

    def post(self, path: str, body: object = None) -> Reply:
        data = b"" if body is None else json.dumps(body).encode()
        return self.call("POST", f"/api/v1{path}", data)

    def records(self, *records: dict[str, Any]) -> list[dict[str, Any]]:
        """Send records, the graph there or away; their outcomes."""
        reply = self.post("/records", {"records": records})
        assert reply.status in (200, 202), reply
        outcomes: list[dict[str, Any]] = reply.body["outcomes"]
        return outcomes


def caller(workspace: Workspace, scopes: Sequence[str] = ALL_SCOPES) -> Caller:
    """A caller with a fresh key of the workspace."""
    _, key = create_key(workspace=workspace, scopes=scopes)
    return Caller(key)


def assert_problem(reply: Reply, slug: str, status: int, pointer: str | None = None) -> None:
    """The one shape of every error (RFC 9457)."""
    assert reply.status == status, reply
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert reply.body["type"] == f"/problems/{slug}"
    assert reply.body["status"] == status
    assert reply.body["title"]
    assert reply.body["detail"]
    assert reply.body.get("pointer") == pointer, reply.body
