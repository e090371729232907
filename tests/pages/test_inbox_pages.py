"""`/inbox/`: for operators of the workspace alone; nothing a client wrote breaks or leaks."""

import pytest
from django.test import Client

from lineage.inbox.keeping import destroy_bodies
from lineage.inbox.receive import receive
from lineage.models import InboxPayload
from provexplorer.workspaces.models import Workspace
from tests.inbox.world import body
from tests.pages.world import htmx, member

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

# Markup where a client may write: a key, a name of its own.
EVIL = "<script>alert(1)</script>"


def sent(workspace: Workspace) -> str:
    """The uid of a payload of which one record is refused."""
    records = body({"kind": "source", "key": EVIL}, {"kind": "source", "key": "s", "title": EVIL})
    return receive(workspace, format="native", body=records, media_type="application/json").uid


def page(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def test_readers_are_kept_out_and_strangers_find_nothing(workspace: Workspace) -> None:
    uid = sent(workspace)
    other = Workspace.objects.create(slug="elsewhere", name="Elsewhere")
    reader, stranger = member(workspace), member(other, "admin")
    for path in ("/inbox/", f"/inbox/{uid}"):
        assert reader.get(path).status_code == 403
    assert "Inbox" not in page(reader, "/answers/")
    for path in (f"/inbox/{uid}", "/inbox/inb_" + "a" * 26, "/inbox/nonsense"):
        assert stranger.get(path).status_code == 404
        assert stranger.post(f"{path}/replay").status_code == 404
    assert reader.post(f"/inbox/{uid}/replay").status_code == 403
    assert reader.post("/inbox/replay").status_code == 403
    assert InboxPayload.objects.get().attempts == 1


def test_only_a_form_replays(workspace: Workspace) -> None:
    uid, operator = sent(workspace), member(workspace, "operator")
    assert operator.get(f"/inbox/{uid}/replay").status_code == 405
    assert operator.get("/inbox/replay").status_code == 405


def test_the_list_says_what_came_and_why_it_was_refused(workspace: Workspace) -> None:
    uid = sent(workspace)
    found = page(member(workspace, "operator"), "/inbox/")
    assert f'href="/inbox/{uid}"' in found
    assert 'data-state="partly_applied"' in found
    assert 'href="/problems/field-missing"' in found
    assert "A required field is missing" in found
    assert "<code>/title</code>" in found
    assert EVIL not in found


@pytest.mark.parametrize(
    ("records", "word"),
    [([{"kind": "source", "key": "s"}, 3], "refused"), ([], "empty")],
)
def test_a_payload_of_which_nothing_was_stored_does_not_look_half_well(
    workspace: Workspace, records: list[object], word: str
) -> None:
    uid = receive(
        workspace, format="native", body=body(*records), media_type="application/json"
    ).uid
    operator = member(workspace, "operator")
    for path in ("/inbox/", f"/inbox/{uid}"):
        found = page(operator, path)
        assert f'data-state="{word}"' in found
        assert 'data-state="applied"' not in found
        assert 'data-state="partly_applied"' not in found


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", True), ("?state=partly_applied", True), ("?format=native", True),
        ("?state=applied", False), ("?format=otlp", False), ("?state=nonsense", True),
    ],
)  # fmt: skip
def test_filters_stand_in_the_address(workspace: Workspace, query: str, shown: bool) -> None:
    uid, operator = sent(workspace), member(workspace, "operator")
    whole = page(operator, f"/inbox/{query}")
    part = operator.get(f"/inbox/{query}", headers=htmx("list")).content.decode()
    assert (uid in whole, uid in part, "<html" in part) == (shown, shown, False)
    assert ("Show all payloads" in whole) is not shown


def test_a_cursor_of_another_list_offers_the_beginning(workspace: Workspace) -> None:
    response = member(workspace, "operator").get("/inbox/?cursor=nonsense")
    assert response.status_code == 400
    assert 'href="/inbox/">Open the page anew' in response.content.decode()


def test_an_operator_sees_outcomes_and_an_administrator_the_body(workspace: Workspace) -> None:
    uid = sent(workspace)
    seen = page(member(workspace, "operator"), f"/inbox/{uid}")
    assert "A required field is missing" in seen
    assert "only administrators can read it" in seen
    assert "alert(1)" not in seen
    whole = page(member(workspace, "admin"), f"/inbox/{uid}")
    assert EVIL not in whole
    assert (
        whole.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 3
    )  # the key, and both in the body

    destroy_bodies([InboxPayload.objects.get().pk])
    gone = page(member(workspace, "admin"), f"/inbox/{uid}")
    assert "The body was destroyed" in gone
    assert "alert(1)" not in gone
    assert "/replay" not in gone


def test_a_payload_is_replayed_from_its_page(workspace: Workspace) -> None:
    uid, operator = sent(workspace), member(workspace, "operator")
    assert f'action="/inbox/{uid}/replay"' in page(operator, f"/inbox/{uid}")
    response = operator.post(f"/inbox/{uid}/replay", follow=True)
    assert response.redirect_chain == [(f"/inbox/{uid}", 302)]
    assert "did not go through whole" in response.content.decode()
    row = InboxPayload.objects.get()
    assert (row.unchanged, row.rejected) == (1, 1)


def test_all_quarantined_are_replayed_from_the_list(workspace: Workspace) -> None:
    sent(workspace)
    operator = member(workspace, "operator")
    assert 'action="/inbox/replay"' not in page(operator, "/inbox/")
    InboxPayload.objects.update(state="quarantined")
    assert 'action="/inbox/replay"' in page(operator, "/inbox/")
    response = operator.post("/inbox/replay", follow=True)
    assert "1 payload is sent through again" in response.content.decode()
    assert InboxPayload.objects.get().state == "received"
