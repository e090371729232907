"""POST /records through the inbox: repeated keys, keys for single formats, too many requests."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.core.cache import cache
from django.db import OperationalError
from django.test import override_settings

from lineage.inbox import attempt
from lineage.inbox.result import Payload, Result
from lineage.models import InboxPayload
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.api.caller import Caller, Reply, assert_problem, caller

pytestmark = pytest.mark.one_pair

BODY = json.dumps({"records": [{"kind": "source", "key": "s", "title": "T"}]}).encode()


@pytest.fixture(autouse=True)
def _away(graph_away: None) -> None:
    """What is looked at here does not depend on the graph: every request is accepted (202)."""


def send(api: Caller, body: bytes = BODY, *, key: str = "") -> Reply:
    """Send the records, under this Idempotency-Key."""
    headers = {"Idempotency-Key": key} if key else {}
    return api.call("POST", "/api/v1/records", body, "application/json", **headers)


def test_a_repeated_key_gets_the_same_answer_and_says_so(api: Caller) -> None:
    first = send(api, key="3f6c")
    again = send(api, key="3f6c")
    assert (first.status, again.status, again.body) == (202, 202, first.body)
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert InboxPayload.objects.count() == 1


def test_a_key_of_another_body_is_refused(api: Caller) -> None:
    send(api, key="3f6c")
    reply = send(api, BODY.replace(b"T", b"U"), key="3f6c")
    assert_problem(reply, "idempotency-key-reused", 422)


def test_a_key_that_is_too_long_is_refused(api: Caller) -> None:
    assert_problem(send(api, key="k" * 256), "invalid-request", 422)


def test_two_api_keys_do_not_share_their_idempotency_keys(workspace: Workspace) -> None:
    one, two = caller(workspace), caller(workspace)
    send(one, key="3f6c")
    assert "Idempotency-Replayed" not in send(two, key="3f6c").headers


def test_what_cannot_be_applied_now_is_accepted_with_what_is_known(
    api: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(workspace: Workspace, payload: Payload) -> Result:
        raise OperationalError("locked")

    monkeypatch.setattr(attempt, "APPLIERS", {"native": fail})
    body = {"records": [{"kind": "source", "key": "s", "title": "T"}, {"kind": "x", "key": "y"}]}
    reply = send(api, json.dumps(body).encode())
    assert reply.status == 202
    assert (reply.body["received"], reply.body["stored"], reply.body["rejected"]) == (2, 1, 1)
    accepted, rejected = reply.body["outcomes"]
    assert (accepted["status"], accepted["key"], accepted["uid"]) == ("accepted", "s", None)
    assert (rejected["status"], rejected["problem"]["pointer"]) == ("rejected", "/records/1/kind")


@pytest.mark.parametrize(
    ("scopes", "status", "lacking"),
    [
        (["ingest"], 202, None),
        (["ingest:native"], 202, None),
        (["admin"], 202, None),
        (["ingest:otlp", "ingest:openlineage"], 403, "ingest:native"),
        (["read", "operate"], 403, "ingest"),
    ],
    ids=str,
)
def test_a_key_may_be_kept_to_some_formats(
    workspace: Workspace, scopes: list[str], status: int, lacking: str | None
) -> None:
    reply = send(caller(workspace, scopes))
    assert reply.status == status
    if lacking is not None:
        assert_problem(reply, "scope-missing", 403)
        assert reply.body["scope"] == lacking


@pytest.fixture
def _standing_clock() -> Iterator[None]:
    cache.clear()
    clock.use(lambda: datetime(2026, 3, 1, 10, 0, 42, tzinfo=UTC))
    yield
    clock.use(None)
    cache.clear()


@pytest.mark.usefixtures("_standing_clock")
@pytest.mark.parametrize(
    ("limits", "whose"),
    [
        ({"REQUESTS_PER_MINUTE_KEY": 2}, "key"),
        ({"REQUESTS_PER_MINUTE_WORKSPACE": 2}, "workspace"),
    ],
    ids=["key", "workspace"],
)
def test_too_many_requests_are_told_when_to_come_again(
    api: Caller, limits: dict[str, int], whose: str
) -> None:
    with override_settings(**limits):
        assert [send(api).status for _ in range(2)] == [202, 200]
        reply = send(api)
        assert_problem(reply, "rate-limited", 429)
        assert (reply.headers["Retry-After"], reply.body["whose"]) == ("18", whose)
        assert reply.body["limit"] == 2
        assert api.get("/search?q=x").status == 429
    assert InboxPayload.objects.count() == 2
