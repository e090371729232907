"""Incidents, webhooks and saved views through their pages: who may, what is shown, what is refused."""

import re
from urllib.parse import urlsplit

import pytest
from django.test import override_settings

from lineage.incidents import watch
from lineage.models import Incident, IncidentNote, SavedView, Webhook, WebhookDelivery
from provexplorer.workspaces.models import Membership, User, Workspace
from tests.pages.world import htmx, member, record, send, uid, world

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]
ABSENT = "a" * 26


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    send(workspace, world())
    return workspace


def opened(workspace: Workspace, title: str = "Signs lost", **typed: str) -> str:
    """The address of a fresh incident about source `s`."""
    response = member(workspace, "operator").post(
        f"/incidents/new?node={uid(workspace, 'source', 's')}",
        {"title": title, "watching": "on", **typed},
    )
    assert response.status_code == 302
    return str(response["Location"])


@pytest.mark.parametrize("path", ["/incidents/", "/incidents/new?node=x", "/settings/webhooks/"])
def test_readers_see_none_of_it(workspace: Workspace, path: str) -> None:
    reader = member(workspace)
    assert (reader.get(path).status_code, reader.post(path).status_code) == (403, 403)
    assert 'href="/incidents/"' not in reader.get("/answers/").content.decode()


def test_readers_may_not_act_on_one_that_is_there(filled: Workspace) -> None:
    address = opened(filled)
    reader = member(filled)
    assert reader.get(address).status_code == 403
    assert reader.post(f"{address}/state", {"state": "closed"}).status_code == 403
    assert Incident.objects.get().state == "open"


def test_the_form_tells_what_it_is_about_and_keeps_what_was_typed(filled: Workspace) -> None:
    operator = member(filled, "operator")
    source = uid(filled, "source", "s")
    address = f"/incidents/new?node={source}&grade=cited&since=2026-01-01"
    page = operator.get(address).content.decode()
    assert f'href="/sources/{source}"' in page
    assert "from 2026-01-01 00:00 UTC on" in page
    assert 'name="watching" checked' in page
    typed = {"title": " ", "text": "Because <of> it", "assignee": "nobody"}
    refused = operator.post(address, typed)
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "Give it a title." in page
    assert "Because &lt;of&gt; it</textarea>" in page
    assert 'name="watching" checked' not in page
    wrong = operator.post(address, {"title": "t", "assignee": "nobody"})
    assert "No member of this name may work on incidents." in wrong.content.decode()
    assert Incident.objects.count() == 0


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("", 200, "An incident begins with what is affected"),
        ("?grade=nonsense", 400, ""),
        (f"?node=src_{ABSENT}", 422, "is not known here any more"),
        ("?node=%00", 400, ""),
    ],
)
def test_addresses_that_ask_nothing_or_nonsense(
    filled: Workspace, query: str, status: int, words: str
) -> None:
    operator = member(filled, "operator")
    if status == 422:
        response = operator.post(f"/incidents/new{query}", {"title": "t"})
    else:
        response = operator.get(f"/incidents/new{query}")
    assert response.status_code == status
    assert words in response.content.decode()
    assert Incident.objects.count() == 0


def test_then_and_now_stand_side_by_side_and_what_is_new_is_named(filled: Workspace) -> None:
    address = opened(filled, text="First <note>")
    send(filled, [
        record("retrieval", "r3", candidates=[{"chunk": "c", "rank": 1, "kept": True}]),
        record("context", "x3", retrieval="r3", items=[{"chunk": "c", "position": 1}]),
        record("answer", "late", context="x3", question="<i>Late</i>?", text="Late. [1]"),
    ])  # fmt: skip
    assert watch.watch() == 1
    operator = member(filled, "operator")
    page = operator.get(address).content.decode()
    rows = re.findall(r'<tr(?: class="sum")?>(.*?)</tr>', page, re.DOTALL)
    numbers = [re.findall(r">([^<>]+)<", row) for row in rows if 'class="number"' in row]
    told = [[each.strip() for each in row if each.strip()] for row in numbers]
    assert told[1:] == [
        ["cited", "1", "1", "±0"], ["in context", "0", "1", "+1"], ["retrieved", "1", "1", "±0"],
        ["all", "2", "3", "+1"],
    ]  # fmt: skip
    assert "1 new answer rests on it." in page
    assert f'href="/answers/{uid(filled, "answer", "late")}"' in page
    assert "&lt;i&gt;Late&lt;/i&gt;?" in page
    assert "First &lt;note&gt;" in page
    links = re.findall(r'class="number"><a href="([^"]+)"', page)
    assert links
    assert all(urlsplit(link).path == "/impact/" for link in links)
    noticed = operator.post(f"{address}/notice", {"found": "1"}, follow=True).content.decode()
    assert "new answer rests on it" not in noticed
    assert "Took note of new answers, 1 in all" in noticed


def test_steps_go_on_and_impossible_ones_say_why(filled: Workspace) -> None:
    address = opened(filled)
    operator = member(filled, "operator")
    name = User.objects.filter(memberships__role="operator").earliest("pk").username

    def act(step: str, **typed: str) -> str:
        response = operator.post(f"{address}/{step}", typed, follow=True)
        assert response.status_code == 200
        return str(response.content.decode())

    assert f"with {name}" in act("assign", assignee=name)
    assert "nobody has it" in act("assign", assignee="")
    assert "<strong>Renamed" not in act("rename", title="")
    assert "<h1>Renamed &lt;b&gt;" in act("rename", title="Renamed <b>")
    assert "A note says something." in act("note", text=" ")
    assert "line two" in act("note", text="line one\r\nline two")
    assert "New answers are not looked for." in act("watch", watching="off")
    assert "No such case here." in act("link", case=f"cas_{ABSENT}")
    assert 'data-state="closed"' in act("state", state="closed")
    assert "cannot go from its state to this one" in act("state", state="open")
    assert operator.post(f"{address}/nonsense").status_code == 404
    assert operator.get(f"{address}/state").status_code == 405
    assert "The incident was deleted" in act("delete")
    assert operator.get(address).status_code == 404
    assert IncidentNote.objects.count() == 0


def test_only_a_closed_one_offers_its_deletion(filled: Workspace) -> None:
    address = opened(filled)
    operator = member(filled, "operator")
    assert f"{address}/delete" not in operator.get(address).content.decode()
    page = operator.post(f"{address}/delete", follow=True).content.decode()
    assert "Only a closed incident can be deleted." in page
    assert Incident.objects.count() == 1


def test_a_case_begins_with_what_the_incident_is_about(filled: Workspace) -> None:
    address = opened(filled)
    operator = member(filled, "operator")
    page = operator.get(address).content.decode()
    (link,) = re.findall(r'href="(/cases/new[^"]+)"', page)
    source = uid(filled, "source", "s")
    form = operator.get(link.replace("&amp;", "&")).content.decode()
    assert f'<input type="hidden" name="target" value="{source}">' in form
    assert "Signs lost</textarea>" in form
    assert f"{address}</textarea>" in form
    typed = {"draft": "1", "kind": "correction", "target": source, "evidence": address}
    case = operator.post("/cases/new", typed)["Location"]
    assert f'href="{case}"' in operator.get(address).content.decode()


def test_a_linked_case_stands_in_the_course_and_says_when_it_was_lifted(
    filled: Workspace,
) -> None:
    address = opened(filled)
    editor, source = member(filled, "editor"), uid(filled, "source", "s")
    typed = {"draft": "1", "kind": "correction", "target": source}
    case = editor.post("/cases/new", typed)["Location"]
    for step in ("dry-run", "approve"):
        editor.post(f"{case}/{step}")
    linked = {"case": case.rpartition("/")[2]}
    page = editor.post(f"{address}/link", linked, follow=True).content.decode()
    assert f'Linked a case: <a href="{case}">Correction</a>' in page
    assert 'data-state="reinstated"' not in page
    lifting = editor.post(f"{case}/reinstate", {"reason": "Filed in error."})["Location"]
    page = editor.get(address).content.decode()
    (badge,) = re.findall(rf'<a href="{lifting}">(.*?)</a>', page)
    assert 'data-state="reinstated"' in badge


def test_the_list_says_whose_turn_it_is_and_which_filter_hides_all(filled: Workspace) -> None:
    operator = member(filled, "operator")
    assert "No incident was opened yet" in operator.get("/incidents/").content.decode()
    address = opened(filled, title="<b>Signs</b>")
    page = operator.get("/incidents/").content.decode()
    assert f'href="{address}">&lt;b&gt;Signs&lt;/b&gt;</a>' in page
    hidden = operator.get("/incidents/?state=closed").content.decode()
    assert "Your filters hide every incident" in hidden
    part = operator.get("/incidents/", headers=htmx("list")).content.decode()
    assert part.lstrip().startswith('<div class="filters">')
    assert operator.get("/incidents/?cursor=x").status_code == 400


def test_hidden_sources_stay_hidden_in_what_it_asks(workspace: Workspace) -> None:
    send(workspace, world(acl=["secret"]))
    address = opened(workspace)
    page = member(workspace, "operator").get(address).content.decode()
    assert "Not visible to you" in page
    assert "svg onload=alert(3)" not in page
    assert "Ada" not in page


# --- webhooks ---------------------------------------------------------------------------


def test_a_secret_is_shown_once(filled: Workspace) -> None:
    address = opened(filled)
    operator = member(filled, "operator")
    about = address.rpartition("/")[2]
    asked = operator.get(f"/settings/webhooks/?incident={about}").content.decode()
    assert f'name="incident" value="{about}"' in asked
    made = operator.post("/settings/webhooks/", {"url": "https://example.org/in", "incident": about, "event": ["incident.opened"]})  # fmt: skip
    (secret,) = re.findall(r"whsec_[A-Za-z0-9+/=]{44}", made.content.decode())
    hook = f"/settings/webhooks/{Webhook.objects.get().uid}"
    for path in ("/settings/webhooks/", hook, address):
        page = operator.get(path).content.decode()
        assert "example.org" in page
        assert secret not in page
    tested = operator.post(f"{hook}/test", follow=True).content.decode()
    assert "A test is on its way" in tested
    assert "To be sent" in tested
    assert operator.post(f"{hook}/nonsense").status_code == 404
    operator.post(f"{hook}/delete")
    assert operator.get(hook).status_code == 404


def test_what_it_is_told_is_chosen_and_what_was_given_up_is_sent_again(workspace: Workspace) -> None:  # fmt: skip
    operator = member(workspace, "operator")
    typed = {"url": "https://example.org/in"}
    refused = operator.post("/settings/webhooks/", typed)
    assert (refused.status_code, Webhook.objects.count()) == (422, 0)
    assert "Choose at least one event" in refused.content.decode()
    assert 'value="https://example.org/in"' in refused.content.decode()
    operator.post("/settings/webhooks/", {**typed, "event": ["answer.stale", "case.ready"]})
    hook = f"/settings/webhooks/{Webhook.objects.get().uid}"
    ticked = re.findall(r'value="([a-z._]+)" checked', operator.get(hook).content.decode())
    assert ticked == ["answer.stale", "case.ready"]
    operator.post(f"{hook}/choose", {"event": ["answer.review"]})
    ticked = re.findall(r'value="([a-z._]+)" checked', operator.get(hook).content.decode())
    assert ticked == ["answer.review"]
    assert "Choose at least one event" in operator.post(f"{hook}/choose", follow=True).content.decode()  # fmt: skip
    operator.post(f"{hook}/test")
    delivery = WebhookDelivery.objects.get()
    WebhookDelivery.objects.update(state="failed", next_at=None, attempts=9, failure="unreachable")
    page = operator.get(f"{hook}?state=failed").content.decode()
    assert "Send 1 that was given up again" in page
    assert "The host does not answer." in page
    assert "None in this state." in operator.get(f"{hook}?state=delivered").content.decode()
    assert operator.get(f"{hook}?state=lost").status_code == 400
    said = operator.post(f"{hook}/replay", {"delivery": delivery.uid}, follow=True).content.decode()
    assert "It is sent again" in said
    said = operator.post(f"{hook}/replay", {"delivery": delivery.uid}, follow=True).content.decode()
    assert "It is under way already" in said
    assert operator.post(f"{hook}/replay", {"delivery": "evt_x"}).status_code == 404
    WebhookDelivery.objects.update(state="failed", next_at=None)
    assert "1 delivery is sent again" in operator.post(f"{hook}/replay", follow=True).content.decode()  # fmt: skip


@pytest.mark.parametrize("url", ["http://example.org/", "javascript:alert(1)", "https://u:p@example.org/", ""])  # fmt: skip
def test_an_address_that_nothing_is_sent_to_is_refused(workspace: Workspace, url: str) -> None:
    response = member(workspace, "operator").post("/settings/webhooks/", {"url": url})
    assert response.status_code == 422
    assert "An https address of a public host" in response.content.decode()
    assert Webhook.objects.count() == 0


@override_settings(WEBHOOKS_TO_LOOPBACK=False)
def test_an_incident_of_elsewhere_is_told_to_nobody_here(filled: Workspace) -> None:
    about = opened(filled).rpartition("/")[2]
    elsewhere = Workspace.objects.create(slug=f"{filled.slug}-2", name="other")
    stranger = member(elsewhere, "operator")
    assert stranger.get(f"/settings/webhooks/?incident={about}").status_code == 404
    typed = {"url": "https://example.org/", "incident": about}
    assert stranger.post("/settings/webhooks/", typed).status_code == 404
    assert Webhook.objects.count() == 0


# --- saved views ------------------------------------------------------------------------

PLACES = [
    ("/answers/?state=stale&ws=x&cursor=abc&q=a%26b", "/answers/?state=stale&q=a%26b"),
    ("/impact/?node=x", "/impact/?node=x"),
    ("/lineage/src_x/impact?grade=cited", "/lineage/src_x/impact?grade=cited"),
]
NOWHERE = [
    "", "/", "//evil.example/answers/", "https://evil.example/answers/", "/answers", "/accounts/sign-in/",
    "/views/x", "/answers/\\evil", "javascript:alert(1)", "/answers/?q=%00\0",
    "/api/v1/records", "/answers/?" + "x" * 8_000,
]  # fmt: skip


@pytest.mark.parametrize(("typed", "kept"), PLACES)
def test_a_view_leads_to_its_address_without_what_belongs_to_a_visit(
    workspace: Workspace, typed: str, kept: str
) -> None:
    reader = member(workspace)
    form = reader.get("/views/new", {"address": typed}).content.decode()
    assert f'name="address" value="{kept.replace("&", "&amp;")}"' in form
    saved = reader.post("/views/new", {"address": typed, "name": "Mine"}, follow=True)
    row = SavedView.objects.get()
    assert (row.address, row.shared) == (kept, False)
    assert f"/views/{row.uid}" in saved.content.decode()
    there = reader.get(f"/views/{row.uid}")
    assert there.status_code == 302
    expected = kept
    if kept.startswith(("/answers/", "/impact/")):
        expected += f"&ws={workspace.slug}"
    assert there["Location"] == expected


def test_only_pages_that_can_be_saved_offer_it(workspace: Workspace) -> None:
    reader = member(workspace)
    offered = {
        path: 'href="/views/new?' in reader.get(path).content.decode()
        for path in ("/answers/?state=stale", "/search?q=x", "/", "/views/", "/design/")
    }
    assert offered == {
        "/answers/?state=stale": True, "/search?q=x": True,
        "/": False, "/views/": False, "/design/": False,
    }  # fmt: skip


@pytest.mark.parametrize("typed", NOWHERE)
def test_nothing_else_is_saved(workspace: Workspace, typed: str) -> None:
    response = member(workspace).post("/views/new", {"address": typed, "name": "Mine"})
    assert response.status_code == 422
    assert "Only lists and reports can be saved." in response.content.decode()
    assert SavedView.objects.count() == 0


@pytest.mark.parametrize("name", ["", " ", "x" * 121, "a\0b"])
def test_a_view_needs_a_name(workspace: Workspace, name: str) -> None:
    response = member(workspace).post("/views/new", {"address": "/answers/", "name": name})
    assert response.status_code == 422
    assert SavedView.objects.count() == 0


def test_what_is_ones_own_is_seen_by_nobody_else_until_it_is_shared(workspace: Workspace) -> None:
    maker, other, admin = member(workspace), member(workspace), member(workspace, "admin")
    maker.post("/views/new", {"address": "/answers/", "name": "<b>Mine</b>"})
    row = SavedView.objects.get()
    address = f"/views/{row.uid}"
    steps = {"change": {"name": "Theirs"}, "delete": {}}
    for client in (other, admin):
        assert "Mine" not in client.get("/views/").content.decode()
        assert client.get(address).status_code == 404
        for step, typed in steps.items():
            assert client.post(f"{address}/{step}", typed).status_code == 404
    maker.post(f"{address}/change", {"name": "<b>Ours</b>", "shared": "on"})
    assert "&lt;b&gt;Ours&lt;/b&gt;" in other.get("/views/").content.decode()
    assert other.get(address).status_code == 302
    for step, typed in steps.items():
        assert other.post(f"{address}/{step}", typed).status_code == 404
    assert SavedView.objects.get().name == "<b>Ours</b>"
    assert admin.post(f"{address}/change", {"name": "Theirs"}).status_code == 404
    assert admin.post(f"{address}/delete").status_code == 302
    assert SavedView.objects.count() == 0


def test_views_of_another_workspace_are_not_listed(workspace: Workspace) -> None:
    elsewhere = Workspace.objects.create(slug=f"{workspace.slug}-2", name="other")
    client = member(workspace)
    Membership.objects.create(user=User.objects.latest("pk"), workspace=elsewhere)
    for slug, name in ((workspace.slug, "Here"), (elsewhere.slug, "There")):
        typed = {"address": "/answers/", "name": name, "shared": "on"}
        assert client.post(f"/views/new?ws={slug}", typed).status_code == 302
    page = client.get(f"/views/?ws={workspace.slug}").content.decode()
    assert (">Here</a>" in page, ">There</a>" in page) == (True, False)
    there = SavedView.objects.get(name="There")
    assert client.get(f"/views/{there.uid}")["Location"] == f"/answers/?ws={elsewhere.slug}"


def test_pages_offer_to_be_saved(workspace: Workspace) -> None:
    page = member(workspace).get("/answers/?state=stale").content.decode()
    assert "/views/new?address=%2Fanswers%2F%3Fstate%3Dstale" in page
