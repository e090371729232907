"""What is sent is kept, encrypted, before it is acknowledged; a repeated key gets the same answer."""

import gzip
import json
import tracemalloc

import pytest
from django.db import DataError, OperationalError
from django.db.models import Model

from lineage.content.sealed import destroy
from lineage.formats.refusals import BodyRefused
from lineage.inbox.attempt import attempt
from lineage.inbox.errors import IdempotencyKeyReused
from lineage.inbox.keeping import body_of, destroy_bodies, owner_of
from lineage.models import Blob, DataKey, InboxPayload, Sighting
from provexplorer.workspaces.models import Workspace
from tests.inbox.conftest import Clock, Failing
from tests.inbox.world import REFUSED, SOURCE, body, only, row, send

pytestmark = pytest.mark.django_db


def stored(model: type[Model], **which: object) -> int:
    return model._default_manager.filter(**which).count()


@pytest.mark.parametrize(
    ("sent", "slug"),
    [
        ({"body": b"{"}, "body-unreadable"),
        ({"body": b"{}", "media_type": "text/plain"}, "media-type-unsupported"),
        ({"body": b"{}", "content_encoding": "gzip"}, "body-unreadable"),
        ({"body": b"x" * ((16 << 20) + 1)}, "body-too-large"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_nothing_is_kept_of_an_unusable_body(
    workspace: Workspace, sent: dict[str, object], slug: str
) -> None:
    keys = stored(DataKey)
    with pytest.raises(BodyRefused) as refused:
        send(workspace, **sent)
    assert refused.value.problem.slug == slug
    assert (stored(InboxPayload), stored(Blob), stored(DataKey)) == (0, 0, keys)


def test_a_bomb_is_refused_in_little_memory(workspace: Workspace) -> None:
    bomb = gzip.compress(bytes(200 << 20), 9)
    tracemalloc.start()
    try:
        with pytest.raises(BodyRefused) as refused:
            send(workspace, body=bomb, content_encoding="gzip")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert refused.value.problem.status == 413
    assert peak < 150 << 20
    assert stored(InboxPayload) == 0


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_the_body_is_kept_under_a_key_of_its_own(workspace: Workspace, encoding: str) -> None:
    # It has a remark (no creator), so its outcome is kept as well.
    plain = body({"kind": "source", "key": "private", "title": "A private title"})
    sent = gzip.compress(plain) if encoding else plain
    first, second = (send(workspace, body=sent, content_encoding=encoding) for _ in range(2))
    one, other = row(first), row(second)
    assert body_of(workspace, one.pk) == plain
    assert (one.size, one.format, one.media_type) == (len(plain), "native", "application/json")
    ciphertexts = [bytes(blob.ciphertext) for blob in Blob.objects.filter(owner_id__lt=0)]
    assert len(ciphertexts) == 4
    assert not [each for each in ciphertexts if b"private" in each or sent in each]

    destroy([owner_of(one.pk)])
    assert body_of(workspace, one.pk) is None
    assert body_of(workspace, other.pk) == plain


def test_while_the_graph_is_away_all_is_stored_and_accepted(workspace: Workspace) -> None:
    receipt = send(workspace, SOURCE, REFUSED)
    assert receipt.state == "accepted"
    assert receipt.result is not None
    assert not receipt.result.projected
    found = row(receipt)
    assert (found.state, found.items, found.stored, found.rejected) == ("partly_applied", 2, 1, 1)
    assert (found.next_at, found.attempts) == (None, 1)
    assert found.reasons == [
        {"code": "field-missing", "pointer": "/title", "count": 1, "refused": True}
    ]


def test_what_the_graph_has_is_applied(graph: object, workspace: Workspace) -> None:
    receipt = send(workspace, SOURCE)
    assert receipt.result is not None
    assert (receipt.state, receipt.result.projected) == ("applied", True)
    assert (row(receipt).state, row(receipt).next_at) == ("applied", None)


@pytest.mark.parametrize("error", [OperationalError("locked"), KeyError("a bug"), DataError("x")])
def test_what_cannot_be_applied_now_is_kept_and_accepted(
    workspace: Workspace, failing: Failing, error: Exception
) -> None:
    failing(error)
    receipt = send(workspace, SOURCE)
    assert (receipt.state, receipt.result) == ("accepted", None)
    found = row(receipt)
    assert (found.state, found.failure) == ("received", type(error).__name__)
    assert found.next_at is not None
    assert body_of(workspace, found.pk) == body(SOURCE)


def test_the_same_key_and_body_gets_the_same_answer_and_nothing_is_applied(
    workspace: Workspace, time: Clock
) -> None:
    first = send(workspace, SOURCE, REFUSED, idempotency_key="k")
    Sighting.objects.all().delete()  # would come back if it were applied again
    time.pass_(hours=23)
    again = send(workspace, SOURCE, REFUSED, idempotency_key="k")
    assert again.repeated
    assert (again.uid, again.state, again.result) == (first.uid, first.state, first.result)
    assert stored(Sighting) == 0
    assert stored(InboxPayload) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"body": body(SOURCE | {"title": "U"})},
        {"media_type": "application/json; charset=utf-8"},
    ],
    ids=["body", "type"],
)
def test_the_same_key_with_another_request_is_refused(
    workspace: Workspace, other: dict[str, object]
) -> None:
    send(workspace, SOURCE, idempotency_key="k")
    with pytest.raises(IdempotencyKeyReused):
        send(workspace, SOURCE, idempotency_key="k", **other)
    assert stored(InboxPayload) == 1


def test_a_key_holds_for_its_api_key_and_workspace_and_a_day(
    workspace: Workspace, time: Clock
) -> None:
    other = Workspace.objects.create(slug="elsewhere", name="Elsewhere")
    send(workspace, SOURCE, idempotency_key="k")
    assert not send(other, SOURCE, idempotency_key="k").repeated
    time.pass_(hours=24)
    late = send(workspace, SOURCE | {"title": "U"}, idempotency_key="k")
    assert not late.repeated
    assert late.result is not None
    assert late.result.outcomes[0].status in ("accepted", "stored")  # a title is not in the graph
    # The new one holds from now on.
    assert send(workspace, SOURCE | {"title": "U"}, idempotency_key="k").uid == late.uid


def test_a_body_that_was_refused_does_not_use_up_its_key(workspace: Workspace) -> None:
    with pytest.raises(BodyRefused):
        send(workspace, body=b"{", idempotency_key="k")
    assert not send(workspace, SOURCE, idempotency_key="k").repeated


def test_repeated_before_it_was_applied_it_is_applied(
    workspace: Workspace, failing: Failing
) -> None:
    failing(OperationalError("locked"))
    first = send(workspace, SOURCE, idempotency_key="k")
    failing(None)
    again = send(workspace, SOURCE, idempotency_key="k")
    assert (again.uid, again.repeated) == (first.uid, False)
    assert again.result is not None
    assert again.result.outcomes[0].uid
    assert only(workspace).state == "applied"


def test_an_answer_whose_body_was_destroyed_has_no_outcomes(workspace: Workspace) -> None:
    first = send(workspace, SOURCE, idempotency_key="k")
    destroy_bodies([row(first).pk])
    again = send(workspace, SOURCE, idempotency_key="k")
    assert (again.uid, again.repeated, again.result) == (first.uid, True, None)


def test_reasons_are_counted_and_name_no_key(workspace: Workspace) -> None:
    nameless = [{"kind": "source", "key": f"private-{number}"} for number in range(3)]
    found = row(send(workspace, {"kind": "nothing", "key": "private"}, *nameless, SOURCE))
    refused = [reason for reason in found.reasons if reason["refused"]]
    assert [(each["code"], each["pointer"], each["count"]) for each in refused] == [
        ("field-missing", "/title", 3),
        ("unknown-kind", "/kind", 1),
    ]
    assert "private" not in json.dumps(found.reasons)


def test_the_first_answer_stands_whoever_else_applies_the_payload(workspace: Workspace) -> None:
    first = send(workspace, SOURCE, idempotency_key="k")
    slower = row(first)
    assert attempt(workspace, slower, body(SOURCE)) is not None
    again = send(workspace, SOURCE, idempotency_key="k")
    assert again.result == first.result
    assert row(first).stored == 1
