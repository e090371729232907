"""Systems outside: told by a signed message, and waited for until they have acknowledged."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.test import Client, override_settings

from clients.erasure_receiver import receiver
from lineage.cases.errors import ScopeMissing
from lineage.cases.view import case_view
from lineage.erasure import external, run
from lineage.erasure.ledger import view_of
from lineage.models import Case, ErasurePlace
from lineage.types import NotFound
from lineage.webhooks import sending
from provexplorer import clock
from provexplorer.workspaces.audit.models import AuditEntry
from provexplorer.workspaces.models import Membership, User, Workspace
from tests.cases.world import run_to_end, viewer
from tests.erasure.world import SENTINEL, erased, made

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("graph"), pytest.mark.one_pair]
AT = "/api/v1/erasures/acknowledge"
_SCHEMA = Path(__file__).parents[2] / "docs" / "webhooks" / f"{external.TYPE}.schema.json"
_CHECKER = jsonschema.Draft202012Validator(
    json.loads(_SCHEMA.read_text("utf-8")), format_checker=jsonschema.FormatChecker()
)


class Outside:
    """A system on this machine: keeps what it was sent, answers with `status`."""

    def __init__(self) -> None:
        self.messages: list[tuple[dict[str, str], bytes]] = []
        self.status = 204
        outside = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outside.messages.append(
                    ({name.lower(): value for name, value in self.headers.items()}, body)
                )
                self.send_response(outside.status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/erasures"


@pytest.fixture
def outside() -> Iterator[Outside]:
    system = Outside()
    thread = threading.Thread(target=system.server.serve_forever, daemon=True)
    thread.start()
    with override_settings(WEBHOOKS_TO_LOOPBACK=True):
        yield system
    system.server.shutdown()
    system.server.server_close()
    thread.join()


def _post(client: Client, reply: receiver.Reply, **changes: str) -> int:
    headers = {**reply.headers, **changes}
    return client.post(
        reply.path, reply.body, content_type="application/json", headers=headers
    ).status_code


def test_told_acknowledged_and_verified(
    workspace: Workspace, outside: Outside, client: Client
) -> None:
    admin = viewer(workspace, "admin", "read", "operate", "edit")
    uid, secret = external.make(admin, name="Vectors", target_kind="vector_store", url=outside.url)
    made(workspace)
    outside.status = 500
    case = erased(workspace, ("source", "s1"), describing=True)
    (place,) = [one for one in view_of(case).places if one.name == "external"]
    assert (place.state, place.error, place.target_uid) == ("failed", "refused", uid)

    outside.status = 204
    ErasurePlace.objects.filter(erasure_id=case.pk, next_at__isnull=False).update(
        next_at=clock.now() - timedelta(seconds=1)
    )
    assert not run.erase(case.pk)
    (place,) = [one for one in view_of(case).places if one.name == "external"]
    assert (place.state, place.error) == ("waiting", "not_acknowledged")
    ended = run_to_end(case_view(viewer(workspace), case.uid))
    assert ended.counts["shortfall"]["place"] == f"external:{uid}"

    # The same message as before, as it is published, and no text in it.
    (first, _), (headers, body) = outside.messages
    assert list(_CHECKER.iter_errors(json.loads(body))) == []
    # Closed: what the schema does not name is not sent.
    assert list(_CHECKER.iter_errors({**json.loads(body), "more": 1}))
    assert first["webhook-id"] == headers["webhook-id"]
    assert SENTINEL.encode() not in body
    forgotten: list[Mapping[str, str]] = []

    def forget(items: Sequence[Mapping[str, str]]) -> int:
        forgotten.extend(items)
        return 7

    key = receiver.key_of(secret)
    reply = receiver.take(key, headers, body, forget)
    assert reply is not None
    assert {one["key"] for one in forgotten} == {"s1", "s1@1", "s1-doc", "c1", "c1b"}

    # Whoever has not the secret, or an old acknowledgement, is told nothing.
    assert _post(client, reply, **{"webhook-signature": "v1,AAAA"}) == 401
    assert _post(client, reply, **{"webhook-timestamp": "1000000000"}) == 401
    assert _post(client, reply, **{"webhook-timestamp": "x"}) == 401
    # Nor by a failure: what is not ASCII signs nothing, whether or not there is such an erasure.
    client.raise_request_exception = False
    assert _post(client, reply, **{"webhook-signature": "v1,é"}) == 401
    assert _post(client, reply, **{"webhook-id": "é"}) == 401
    assert client.post(AT, b"[" * 100_000, content_type="application/json").status_code == 401
    half = json.dumps({"target": "\ud800", "erasure": "\ud800"})
    assert client.post(AT, half, content_type="application/json", headers=reply.headers).status_code == 401  # fmt: skip
    assert client.post(AT, b"{}", content_type="application/json").status_code == 401
    assert view_of(case).state == "running"

    assert _post(client, reply) == 200
    assert _post(client, reply) == 200
    told = AuditEntry.objects.filter(workspace_id=workspace.pk, verb="erasure.acknowledged")
    assert [one.object_uid for one in told] == [case.uid]
    assert run.erase(case.pk)
    (place,) = [one for one in view_of(case).places if one.name == "external"]
    assert (place.state, place.cleared) == ("done", 7)
    ended = run_to_end(case_view(viewer(workspace), case.uid))
    assert ended.state == Case.State.VERIFIED
    assert external.targets(admin)[0].waiting == 0


def test_more_than_one_message_names_is_told_in_further_ones(
    workspace: Workspace, outside: Outside, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five pieces, two at a time: the place is done when the third message was acknowledged."""
    monkeypatch.setattr(external, "MOST_NAMED", 2)
    admin = viewer(workspace, "admin", "read", "operate", "edit")
    _, secret = external.make(admin, name="Vectors", target_kind="vector_store", url=outside.url)
    made(workspace)
    case = erased(workspace, ("source", "s1"), describing=True)
    key = receiver.key_of(secret)
    named: list[list[str]] = []

    def forget(items: Sequence[Mapping[str, str]]) -> int:
        named.append([one["key"] for one in items])
        return len(items)

    replies = []
    for page in (1, 2, 3):
        assert len(outside.messages) == page
        headers, body = outside.messages[-1]
        message = json.loads(body)
        assert list(_CHECKER.iter_errors(message)) == []
        data = message["data"]
        assert (data["page"], data["pages"], data["total"], data["truncated"]) == (page, 3, 5, True)
        reply = receiver.take(key, headers, body, forget)
        assert reply is not None
        replies.append(reply)
        assert _post(client, reply) == 200
        # Those of before, come twice, move nothing on.
        assert [_post(client, one) for one in replies] == [200] * page
        (place,) = [one for one in view_of(case).places if one.name == "external"]
        assert place.state == ("done" if page == 3 else "pending")
        assert place.cleared == min(2 * page, 5)
        assert run.erase(case.pk) is (page == 3)
    assert [len(some) for some in named] == [2, 2, 1]
    assert {one for some in named for one in some} == {"s1", "s1@1", "s1-doc", "c1", "c1b"}
    assert len({headers["webhook-id"] for headers, _ in outside.messages}) == 3
    told = AuditEntry.objects.filter(workspace_id=workspace.pk, verb="erasure.acknowledged")
    assert told.count() == 1


def test_an_acknowledgement_that_comes_before_the_message_was_noted_is_kept(
    workspace: Workspace, outside: Outside, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Systems answer at once: the next page waits for no hour because the one before was noted late."""
    monkeypatch.setattr(external, "MOST_NAMED", 4)
    admin = viewer(workspace, "admin", "read", "operate", "edit")
    _, secret = external.make(admin, name="Vectors", target_kind="vector_store", url=outside.url)
    made(workspace)
    real = sending.send

    def send_and_be_answered(*given: Any, **named: Any) -> Any:
        sent = real(*given, **named)
        headers, body = outside.messages[-1]
        reply = receiver.take(receiver.key_of(secret), headers, body, len)
        assert reply is not None
        assert _post(client, reply) == 200
        return sent

    monkeypatch.setattr(external, "send", send_and_be_answered)
    case = erased(workspace, ("source", "s1"))
    row = ErasurePlace.objects.get(erasure_id=case.pk, target__isnull=False)
    assert (row.state, row.cursor, row.cleared) == ("pending", 4, 4)
    assert run.erase(case.pk)
    row.refresh_from_db()
    assert (row.state, row.cleared, len(outside.messages)) == ("done", 5, 2)


def test_one_that_is_removed_is_waited_for_no_longer(
    workspace: Workspace, outside: Outside
) -> None:
    admin = viewer(workspace, "admin", "read", "operate", "edit")
    uid, _ = external.make(admin, name="Cache", target_kind="cache", url=outside.url)
    made(workspace)
    case = erased(workspace, ("source", "s1"))
    assert view_of(case).state == "running"
    external.remove(admin, uid)
    assert run.erase(case.pk)
    (place,) = [one for one in view_of(case).places if one.name == "external"]
    assert (place.state, place.error) == ("done", "removed")
    with pytest.raises(NotFound):
        external.remove(admin, uid)
    assert external.targets(admin) == ()


def test_a_message_that_was_not_signed_deletes_nothing() -> None:
    def forget(_: object) -> int:
        raise AssertionError

    headers = {"webhook-id": "msg_1", "webhook-timestamp": "1"}
    for signed in ("v1,AAAA", "v1,é", ""):
        with pytest.raises(receiver.NotSigned):
            receiver.take(b"key", {**headers, "webhook-signature": signed}, b"{}", forget)
    old = {**headers, "webhook-signature": receiver.signature(b"key", "msg_1", "1", b"{}")}
    with pytest.raises(receiver.NotSigned):
        receiver.take(b"key", old, b"{}", forget)


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"name": " "}, "/name"),
        ({"target_kind": "drawer"}, "/target_kind"),
        ({"url": "http://example.org/"}, "/url"),
        ({"url": "https://127.0.0.1/"}, "/url"),
    ],
)
def test_what_cannot_be_told_is_refused(
    workspace: Workspace, changes: dict[str, str], pointer: str
) -> None:
    admin = viewer(workspace, "admin")
    good = {"name": "Store", "target_kind": "other", "url": "https://example.org/"}
    with pytest.raises(external.SystemRefused) as refused:
        external.make(admin, **good | changes)
    assert refused.value.pointer == pointer
    with pytest.raises(ScopeMissing):
        external.make(viewer(workspace, "edit"), **good)


def test_the_page_shows_the_secret_once(workspace: Workspace, client: Client) -> None:
    user = User.objects.create_user("admin-of-it")
    Membership.objects.create(user=user, workspace=workspace, role="admin")
    client.force_login(user)
    page = f"/settings/external-targets/?ws={workspace.slug}"
    typed = {"name": "Vectors <b>", "target_kind": "vector_store", "url": "https://example.org/x"}
    made_page = client.post(page, typed)
    assert "whsec_" in made_page.text
    assert "Vectors &lt;b&gt;" in made_page.text
    again = client.get(page)
    assert (again.status_code, "whsec_" in again.text) == (200, False)
    assert client.post(page, typed | {"url": "http://x"}).status_code == 422
    (target,) = external.targets(viewer(workspace, "admin"))
    assert client.post(page, {"remove": target.uid}).status_code == 302
    assert external.targets(viewer(workspace, "admin")) == ()
