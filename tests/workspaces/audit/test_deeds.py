"""What people and keys do is in the audit log: once, with who did it, and nothing of what was only tried."""

from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.test import Client

from lineage.cases import rules, workflow
from lineage.impact.question import Question
from lineage.incidents import workflow as incidents
from lineage.ingest import matches
from lineage.models import Case
from lineage.types import Viewer
from lineage.webhooks import addresses, log
from lineage.webhooks.errors import WebhookRefused
from provexplorer.workspaces import keys, members
from provexplorer.workspaces.audit.models import AuditEntry
from provexplorer.workspaces.audit.recording import details_of
from provexplorer.workspaces.audit.sealing import seal_some
from provexplorer.workspaces.models import Membership, User, Workspace
from tests.incidents.world import opened
from tests.pages.world import member, record, send, uid, world

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    send(workspace, world())
    return workspace


@pytest.fixture
def by(workspace: Workspace) -> Viewer:
    user = User.objects.create_user(username=f"ed-{workspace.slug}", password="a long enough one")
    Membership.objects.create(user=user, workspace=workspace, role="admin")
    return Viewer(
        workspace.pk, workspace.hash_key, workspace.slug, sees_all=True,
        scopes=frozenset({"read", "operate", "edit", "admin"}), user_id=user.pk,
    )  # fmt: skip


def told(workspace: Workspace, *verbs: str) -> list[tuple[str, str, str]]:
    """Verb, object and code of the workspace's entries, in order."""
    rows = AuditEntry.objects.filter(workspace_id=workspace.pk).order_by("pk")
    if verbs:
        rows = rows.filter(verb__in=verbs)
    return list(rows.values_list("verb", "object_uid", "code"))


def test_a_case_is_told_step_by_step_and_a_double_click_once(filled: Workspace, by: Viewer) -> None:
    target = {"kind": "source", "key": "s"}
    case = workflow.draft(
        by, workflow.NewCase(kind="correction", targets=[target], reason="r"), key="feed:1"
    )
    workflow.draft(
        by, workflow.NewCase(kind="correction", targets=[target], reason="r"), key="feed:1"
    )
    workflow.dry_run(by, case.uid)
    workflow.approve(by, case.uid)
    workflow.approve(by, case.uid)
    workflow.pause(by, case.uid)
    workflow.pause(by, case.uid)
    verbs = [verb for verb, about, _ in told(filled) if about == case.uid]
    assert verbs == ["case.drafted", "case.tried", "case.approved", "case.paused"]
    actors = set(AuditEntry.objects.filter(object_uid=case.uid).values_list("actor_kind", "actor_id"))  # fmt: skip
    assert actors == {("member", by.user_id)}
    assert Case.objects.count() == 1


def test_webhooks_are_told_with_addresses_among_the_details(workspace: Workspace, by: Viewer) -> None:  # fmt: skip
    hook, _ = addresses.make(by, url="https://example.org/secret-path", types=["answer.stale"])
    addresses.choose(by, hook, ["answer.stale"])
    addresses.choose(by, hook, ["answer.review"])
    addresses.switch_on(by, hook)
    assert log.replay_failed(by, hook) == 0
    with pytest.raises(WebhookRefused):
        addresses.choose(by, hook, [])
    addresses.delete(by, hook)
    assert told(workspace) == [
        ("webhook.made", hook, ""), ("webhook.changed", hook, ""), ("webhook.deleted", hook, ""),
    ]  # fmt: skip
    made = AuditEntry.objects.get(verb="webhook.made")
    kept = {"url": "https://example.org/secret-path", "events": ["answer.stale"]}
    assert details_of(workspace, [made.pk]) == {made.pk: kept}
    assert "example.org" not in str(AuditEntry.objects.values())


def test_incidents_are_told_as_they_go_on(filled: Workspace, by: Viewer) -> None:
    question = Question(nodes=(uid(filled, "source", "s"),))
    incident = opened(filled, question)
    for _ in range(2):
        incidents.change(by, incident, {"state": "closed", "title": "Signs lost"})
    incidents.note(by, incident, "Reported.")
    incidents.delete(by, incident)
    assert [each for each in told(filled) if each[1] == incident] == [
        ("incident.opened", incident, ""),
        ("incident.changed", incident, "state"),
        ("incident.noted", incident, "note"),
        ("incident.deleted", incident, ""),
    ]


def test_a_match_is_told_when_it_is_accepted_taken_back_and_rejected(filled: Workspace, by: Viewer) -> None:  # fmt: skip
    send(filled, [record("citation", "far", claim="k1", marker="[8]", chunk="misspelt")])
    missing, target = uid(filled, "chunk", "misspelt"), uid(filled, "chunk", "c")
    for _ in range(2):
        matches.reject(by, missing, target)
    matches.accept(by, missing, target)
    matches.undo(by, missing)
    assert [each[0] for each in told(filled) if each[1] == missing] == [
        "match.rejected", "match.accepted", "match.undone",
    ]  # fmt: skip


def test_keys_and_members_are_told_with_who_did_it(workspace: Workspace, by: Viewer) -> None:
    key, plain = keys.create_key(workspace=workspace, scopes=["read"], label="Laptop", by=by)
    for _ in range(2):
        keys.revoke_key(workspace=workspace, public_id=key.public_id, by=by)
    ada = User.objects.create_user(username=f"ada-{workspace.slug}")
    pk = Membership.objects.create(user=ada, workspace=workspace, role="reader").pk
    members.change(workspace, pk, role="editor", groups=[], by=by)
    members.remove(workspace, pk, by=by)
    assert told(workspace) == [
        ("key.made", key.public_id, ""), ("key.revoked", key.public_id, ""),
        ("membership.changed", str(ada.pk), "editor"), ("membership.removed", str(ada.pk), "editor"),
    ]  # fmt: skip
    assert plain not in str(list(AuditEntry.objects.values()))


def test_who_signs_in_and_who_is_not_let_in(workspace: Workspace, by: Viewer, client: Client) -> None:  # fmt: skip
    name = User.objects.get(
        username__startswith="ed-", memberships__workspace_id=by.workspace_id
    ).username
    assert authenticate(username=name, password="wrong") is None
    client.post("/accounts/sign-in/", {"username": name, "password": "a long enough one"})
    client.post("/accounts/sign-out/")
    about = str(by.user_id)
    assert told(workspace) == [
        ("session.refused", about, ""), ("session.began", about, ""), ("session.ended", about, ""),
    ]  # fmt: skip
    refused = AuditEntry.objects.get(verb="session.refused")
    assert (refused.actor_kind, refused.actor_id) == ("nobody", None)
    for typed in ("unknown", "pass\0word", "x" * 1_000):
        authenticate(username=typed, password="wrong")
    (row,) = AuditEntry.objects.filter(workspace_id=0)
    assert (row.verb, row.object_uid) == ("session.refused", "")


def test_reads_are_told_only_of_exports_and_of_what_is_hidden_or_erased(workspace: Workspace) -> None:  # fmt: skip
    send(workspace, world(acl=["secret"]))
    reader = member(workspace)
    answer, chunk = uid(workspace, "answer", "cites"), uid(workspace, "chunk", "c")
    before = len(told(workspace))
    assert reader.get(f"/answers/{answer}").status_code == 200
    assert told(workspace)[before:] == []
    for _ in range(2):
        assert reader.get(f"/api/v1/nodes/{chunk}").json()["hidden"] is True
    assert reader.get(f"/answers/{answer}/references.bib").status_code == 200
    assert reader.get(f"/api/v1/answers/{answer}/references?format=ris").status_code == 200
    assert told(workspace)[before:] == [
        ("read.hidden", chunk, ""), ("export.made", answer, "bib"), ("export.made", answer, "ris"),
    ]  # fmt: skip
    hidden = [("passages", "document", "d"), ("sources", "source", "s"), ("citations", "citation", "q1")]  # fmt: skip
    for page, kind, key in hidden:
        reader.get(f"/{page}/{uid(workspace, kind, key)}")
    assert [each[:2] for each in told(workspace)[before + 3 :]] == [
        ("read.hidden", uid(workspace, kind, key)) for _, kind, key in hidden
    ]


def test_the_rule_of_a_workspace_is_told_when_it_changes(workspace: Workspace, by: Viewer) -> None:
    for demanded in (True, True, False):
        rules.set_another_person(by, demanded=demanded)
    assert told(workspace) == [
        ("policy.changed", "", "another_person"), ("policy.changed", "", "same_person"),
    ]  # fmt: skip


# --- the page and the API ---------------------------------------------------------------


def test_only_administrators_read_it(workspace: Workspace) -> None:
    for path in ("/audit/", "/audit/export", "/api/v1/audit", "/api/v1/audit.jsonl"):
        assert member(workspace, "editor").get(path).status_code == 403
        assert member(workspace, "admin").get(path).status_code == 200


def test_the_page_tells_who_did_what_and_keeps_to_its_filters(filled: Workspace, by: Viewer) -> None:  # fmt: skip
    admin = member(filled, "admin")
    name = User.objects.get(
        username__startswith="ed-", memberships__workspace_id=by.workspace_id
    ).username
    key, _ = keys.create_key(workspace=filled, scopes=["read"], label="<b>Laptop", by=by)
    case = workflow.draft(
        by, workflow.NewCase(kind="correction", targets=[{"kind": "source", "key": "s"}])
    )
    seal_some(filled.pk)
    keys.revoke_key(workspace=filled, public_id=key.public_id, by=by)
    page = admin.get("/audit/").content.decode()
    for word in ("made a key", "revoked a key", "drafted a case", name, "&lt;b&gt;Laptop", "waits"):
        assert word in page
    assert f'href="/cases/{case.uid}"' in page
    kept = admin.get(f"/audit/?verb=key&actor={name}&since=2020-01-01").content.decode()
    assert ("made a key" in kept.partition("</form>")[2], f'href="/cases/{case.uid}"' in kept) == (True, False)  # fmt: skip
    for none in ("actor=nobody-here", "object=cas_x", "until=2020-01-01", "actor=a%00b", "actor=product"):  # fmt: skip
        assert "Nothing that you ask for" in admin.get(f"/audit/?{none}").content.decode(), none
    assert "could not be read" in admin.get("/audit/?since=soon").content.decode()
    assert admin.get("/audit/?verb=nonsense").status_code == 400
    assert admin.get("/audit/?cursor=x").status_code == 400


def test_the_api_pages_through_it_and_another_workspace_sees_none(filled: Workspace, by: Viewer) -> None:  # fmt: skip
    admin = member(filled, "admin")
    for each in range(3):
        keys.create_key(workspace=filled, scopes=["read"], label=str(each), by=by)
    seal_some(filled.pk)
    found: list[dict[str, Any]] = []
    path = "/api/v1/audit?verb=key.made&limit=2"
    while path:
        page = admin.get(path).json()
        found += page["items"]
        path = f"/api/v1/audit?verb=key.made&limit=2&cursor={page['next']}" if page["next"] else ""
    assert [each["details"]["label"] for each in found] == ["2", "1", "0"]
    assert [each["sequence"] for each in found] == sorted((each["sequence"] for each in found), reverse=True)  # fmt: skip
    elsewhere = Workspace.objects.create(slug=f"{filled.slug}-2", name="other")
    stranger = member(elsewhere, "admin")
    assert stranger.get("/api/v1/audit?verb=key").json()["items"] == []
    assert stranger.get(f"/api/v1/audit?ws={filled.slug}").status_code == 404
    wrong = admin.get("/api/v1/audit?verb=nonsense")
    assert (wrong.status_code, wrong.json()["errors"][0]["pointer"]) == (422, "/verb")
