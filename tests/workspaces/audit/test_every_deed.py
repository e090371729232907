"""Every address that changes something, or gives something to keep, leaves an entry in the audit log.

An address that is neither asked for below nor named with a reason (asked.py) fails here, and so
does one that leaves no entry.
"""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from lineage.cases import workflow
from lineage.inbox.receive import receive
from lineage.models import (
    Case,
    CaseFile,
    InboxPayload,
    Incident,
    Node,
    Notice,
    NoticeImport,
    NoticeMatch,
    Webhook,
    WebhookDelivery,
)
from lineage.notices import receiving
from provexplorer import clock
from provexplorer.workspaces import accounts
from provexplorer.workspaces.invitations import invite
from provexplorer.workspaces.models import Membership, Workspace
from tests.cases.world import run_to_end
from tests.cases.world import viewer as viewer_of
from tests.notices.world import row, table
from tests.pages.world import member, record, send, uid, world
from tests.workspaces.audit.asked import KEPT, NOT_TOLD, Asked, changing, given

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair, pytest.mark.usefixtures("graph")]


@pytest.fixture
def asked(workspace: Workspace) -> Asked:
    records = world()
    records[0]["uri"] = "https://example.org/s"
    missing = record("citation", "far", claim="k1", marker="[8]", chunk="misspelt")
    send(workspace, [*records, missing])
    return Asked(workspace, member(workspace, "admin"))


def test_every_deed_leaves_an_entry(asked: Asked, client: Client) -> None:
    for group in (
        people,
        settings,
        work_on_cases,
        incidents_and_views,
        notices_and_sources,
        exports,
    ):
        group(asked)
    sign_in(asked, client)
    assert changing() | given() == asked.addresses | set(NOT_TOLD) - {"POST settings/cases/ mail"}


def people(asked: Asked) -> None:
    workspace = asked.workspace
    asked.page("invitation.made", "settings/members/", {"role": "reader"})
    public_id = workspace.invitations.get().public_id
    step = "settings/members/<str:step>"
    asked.page("invitation.withdrawn", step, {"invitation": public_id}, step="withdraw")
    ada = accounts.add_member(workspace=workspace, username=f"ada-{workspace.slug}", role="reader",
                              password="a long enough one").pk  # fmt: skip
    asked.page("membership.changed", step, {"member": ada, "role": "editor"}, step="change")
    asked.page("membership.removed", step, {"member": ada}, step="remove")
    key = asked.page("key.made", "settings/keys/", {"scope": ["read"], "days": "30"})
    asked.page("key.revoked", "settings/keys/revoke", {"key": key})


def sign_in(asked: Asked, client: Client) -> None:
    """Another person comes, by an invitation."""
    _, token = invite(asked.workspace, role="reader")
    other = Asked(asked.workspace, client)
    typed = {"username": f"bo-{asked.workspace.slug}", "password1": "a long enough one", "password2": "a long enough one"}  # fmt: skip
    other.page("membership.added", "accounts/invitations/<str:token>", typed, token=token)
    changed = {"old_password": "a long enough one", "new_password1": "an even longer one", "new_password2": "an even longer one"}  # fmt: skip
    other.page("account.password_changed", "accounts/password/", changed)
    other.page("session.ended", "accounts/sign-out/")
    asked_in = {"username": typed["username"], "password": "an even longer one"}
    other.page("session.began", "accounts/sign-in/", asked_in)
    asked.addresses |= other.addresses


def settings(asked: Asked) -> None:
    url = "https://example.org/x"
    asked.page("policy.changed", "settings/rights/", {"creator": "on"})
    asked.page("policy.changed", "settings/rights/", {})
    for switch in ("on", "", "on"):
        asked.page("policy.changed", "settings/freshness/", {"watch": switch})
    asked.page("policy.changed", "settings/cases/", {"rule": "on"})
    asked.page("policy.changed", "settings/cases/", {"rule": ""})
    asked.call("policy.changed", "PUT", "settings/rights", {"creator": False, "licence": True})
    asked.call("policy.changed", "PUT", "settings/rights", {"creator": False, "licence": False})
    target = {"name": "Store", "target_kind": "other", "url": url}
    asked.page("target.removed", "settings/external-targets/",
               {"remove": asked.page("target.made", "settings/external-targets/", target)})  # fmt: skip
    asked.call("target.removed", "DELETE", "external-targets/{uid}",
               about=asked.call("target.made", "POST", "external-targets", target))  # fmt: skip
    hook = asked.page("webhook.made", "settings/webhooks/", {"url": url, "event": ["case.ready"]})
    at = "settings/webhooks/<str:uid>/<str:step>"
    asked.page("webhook.changed", at, {"event": ["case.approved"]}, hook, step="choose")
    asked.page("webhook.tested", at, {}, hook, step="test")
    fail(hook)
    asked.page("webhook.replayed", at, {}, hook, step="replay")
    switch_off(hook)
    asked.page("webhook.switched_on", at, {}, hook, step="switch-on")
    asked.page("webhook.deleted", at, {}, hook, step="delete")
    again = asked.call("webhook.made", "POST", "webhooks", {"url": url})
    asked.call("webhook.changed", "PATCH", "webhooks/{uid}", {"events": ["case.ready"]}, again)
    asked.call("webhook.tested", "POST", "webhooks/{uid}/test", {}, again)
    fail(again)
    asked.call("webhook.replayed", "POST", "webhooks/{uid}/replay", {}, again)
    switch_off(again)
    asked.call("webhook.switched_on", "POST", "webhooks/{uid}/switch-on", {}, again)
    asked.call("webhook.deleted", "DELETE", "webhooks/{uid}", {}, again)


def fail(hook: str) -> None:
    WebhookDelivery.objects.filter(webhook__uid=hook).update(state="failed", next_at=None)


def switch_off(hook: str) -> None:
    Webhook.objects.filter(uid=hook).update(disabled_at=clock.now())


def work_on_cases(asked: Asked) -> None:
    workspace = asked.workspace
    source = uid(workspace, "source", "s")

    def new(kind: str = "concern") -> str:
        typed = {"kind": kind, "target": [source], "reason": "r", "draft": "1"}
        return asked.page("case.drafted", "cases/new", typed)

    step = "cases/<str:uid>/<str:step>"
    name = Membership.objects.filter(workspace=workspace, role="admin").get().user.username
    case = new()
    asked.page("case.comment", step, {"text": "Look."}, case, step="comment")
    asked.page("case.assigned", step, {"assignee": name}, case, step="assign")
    file = SimpleUploadedFile("a.txt", b"Evidence.")
    asked.page("case.file", "cases/<str:uid>/files", {"file": file}, case)
    number = str(CaseFile.objects.get().pk)
    asked.read("export.made", "cases/<str:uid>/files/<int:number>", about=case, number=number)
    asked.call("export.made", "GET", "cases/{uid}/files/{number}", about=case, number=number)
    asked.page("case.file", "cases/<str:uid>/files/<int:number>/remove", {}, case, number=number)
    asked.page("case.tried", step, {}, case, step="dry-run")
    asked.page("case.approved", step, {}, case, step="approve")
    asked.page("case.paused", step, {}, case, step="pause")
    asked.page("case.resumed", step, {}, case, step="resume")
    fall_short(case)
    asked.page("case.reproved", step, {}, case, step="prove-again")
    asked.page("case.lifted", step, {"reason": "r"}, case, step="reinstate")
    asked.page("case.cancelled", step, {}, new(), step="cancel")
    asked.page("case.rejected", step, {"reason": "r"}, new(), step="reject")
    erasure = new("erasure")
    asked.page("erasure.chosen", "cases/<str:uid>/erasure", {"describing": "1"}, erasure)
    asked.call("erasure.chosen", "PUT", "cases/{uid}/erasure", {"describing": False}, erasure)

    def draft() -> str:
        body = {"kind": "concern", "targets": [{"uid": source}], "reason": "r"}
        return asked.call("case.drafted", "POST", "cases", body)

    case = draft()
    asked.call("case.comment", "POST", "cases/{uid}/comments", {"text": "t"}, case)
    asked.call("case.assigned", "POST", "cases/{uid}/assignee", {"assignee": name}, case)
    asked.call("case.file", "POST", "cases/{uid}/files", b"Evidence.", case, "?name=b.txt")
    number = str(CaseFile.objects.get().pk)
    asked.call("case.file", "DELETE", "cases/{uid}/files/{number}", {}, case, number=number)
    for verb, name in (
        ("case.tried", "dry-run"), ("case.approved", "approve"), ("case.paused", "pause"),
        ("case.resumed", "resume"), ("case.reproved", "prove-again"), ("case.lifted", "reinstate"),
    ):  # fmt: skip
        if name == "prove-again":
            fall_short(case)
        asked.call(verb, "POST", f"cases/{{uid}}/{name}", {}, case)
    asked.call("case.cancelled", "POST", "cases/{uid}/cancel", {}, draft())
    asked.call("case.rejected", "POST", "cases/{uid}/reject", {"reason": "r"}, draft())
    wrong = {"wrong": "outdated", "reason": "There is a newer one."}
    request = asked.page("case.drafted", "corrections/about/<str:uid>", wrong, source)
    asked.page("case.cancelled", "corrections/<str:uid>/withdraw", {}, request)


def fall_short(case: str) -> None:
    """Let a case be one whose proof fell short."""
    Case.objects.filter(uid=case).update(
        state="incomplete", counts={"shortfall": {"code": "proof_differs"}}
    )


def incidents_and_views(asked: Asked) -> None:
    workspace = asked.workspace
    source = uid(workspace, "source", "s")
    name = Membership.objects.filter(workspace=workspace, role="admin").get().user.username
    case = workflow.draft(
        viewer_of(workspace), workflow.NewCase(kind="concern", targets=[{"uid": source}])
    ).uid
    step = "incidents/<str:uid>/<str:step>"
    opened = asked.page(
        "incident.opened", "incidents/new", {"title": "Lost"}, query=f"?node={source}"
    )
    Incident.objects.update(found=3)
    for verb, typed, name_of_step in (
        ("incident.noted", {"text": "n"}, "note"), ("incident.changed", {"found": "3"}, "notice"),
        ("incident.changed", {"state": "closed"}, "state"),
        ("incident.changed", {"assignee": name}, "assign"),
        ("incident.changed", {"title": "Other"}, "rename"),
        ("incident.changed", {"watching": "on"}, "watch"),
        ("incident.linked", {"case": case}, "link"), ("incident.deleted", {}, "delete"),
    ):  # fmt: skip
        asked.page(verb, step, typed, opened, step=name_of_step)
    again = asked.call("incident.opened", "POST", "incidents", {"title": "t", "question": {"node": [source]}})  # fmt: skip
    asked.call("incident.changed", "PATCH", "incidents/{uid}", {"title": "u"}, again)
    asked.call("incident.noted", "POST", "incidents/{uid}/notes", {"text": "n"}, again)
    Incident.objects.update(found=3)
    asked.call("incident.changed", "POST", "incidents/{uid}/notice", {"found": 2}, again)
    asked.call("incident.linked", "POST", "incidents/{uid}/cases", {"case": case}, again)
    asked.call("incident.changed", "PATCH", "incidents/{uid}", {"state": "closed"}, again)
    asked.call("incident.deleted", "DELETE", "incidents/{uid}", {}, again)
    saved = asked.page("view.saved", "views/new", {"address": "/answers/?q=x", "name": "n"})
    asked.page("view.changed", "views/<str:uid>/<str:step>", {"name": "m"}, saved, step="change")
    asked.page("view.deleted", "views/<str:uid>/<str:step>", {}, saved, step="delete")


def notices_and_sources(asked: Asked) -> None:
    workspace = asked.workspace
    source, missing = uid(workspace, "source", "s"), uid(workspace, "chunk", "misspelt")
    target = {"target": uid(workspace, "chunk", "c")}
    step = "unresolved/<str:uid>/<str:step>"
    asked.page("match.rejected", step, target, missing, step="reject")
    asked.page("match.suggested_again", step, {}, missing, step="suggest-again")
    asked.page("match.accepted", step, target, missing, step="accept")
    asked.page("match.undone", step, {}, missing, step="undo")
    asked.page("source.authority", "sources/<str:uid>/authority", {"authority": "7"}, source)
    step = "sources/<str:uid>/checks/<str:step>"
    for verb, name in (("checked", "now"), ("paused", "pause"), ("resumed", "resume")):
        asked.page(f"source.{verb}", step, {}, source, step=name)
    feed = asked.page(
        "feed.made", "notices/imports", {"url": "https://example.org/n", "hours": "24"}
    )
    asked.page("feed.asked", "notices/feeds/<str:uid>/<str:step>", {}, feed, step="fetch")
    asked.page("feed.deleted", "notices/feeds/<str:uid>/<str:step>", {}, feed, step="delete")
    file = SimpleUploadedFile("n.csv", table(row(OriginalPaperDOI="10.5555/w")))
    asked.page("notice.received", "notices/imports", {"file": file})
    told = {"DOI": "10.5555/w", "updated-by": [{"DOI": "10.5555/n", "type": "retraction"}]}
    asked.call("notice.received", "POST", "notices", told)
    suggested = suggestions(workspace, source)
    for name, notice in zip(("reject", "accept", "file"), suggested, strict=True):
        verb = "case.drafted" if name == "file" else f"match.{name}ed"
        asked.page(verb, "notices/<str:uid>/<str:step>", {"source": source}, notice, step=name)
    payload = set_aside(workspace)
    asked.page("payload.replayed", "inbox/<str:uid>/replay", {}, payload)
    set_aside(workspace)
    asked.page("payload.replayed", "inbox/replay")


def suggestions(workspace: Workspace, source: str) -> list[str]:
    """Three notices that may concern the source; of the last somebody has said that it does."""
    for one in NoticeImport.objects.filter(workspace=workspace).order_by("pk"):
        receiving.read_kept(one.pk)
    found = []
    for number, state in enumerate(("suggested", "suggested", "matched")):
        notice = Notice.objects.create(
            workspace=workspace, uid=f"ntc_{number}", kind="retraction", notice_doi=f"10.1/{number}",
            first_seen_at=clock.now(),
        )  # fmt: skip
        NoticeMatch.objects.create(
            notice=notice, source=Node.objects.get(uid=source), by="title", state=state,
            made_at=clock.now(),
        )  # fmt: skip
        found.append(notice.uid)
    return found


def set_aside(workspace: Workspace) -> str:
    body = json.dumps({"records": [record("agent", "bo", name="Bo")]}).encode()
    kept = receive(workspace, format="native", body=body, media_type="application/json")
    InboxPayload.objects.filter(uid=kept.uid).update(state="quarantined")
    return kept.uid


def exports(asked: Asked) -> None:
    workspace = asked.workspace
    answer, citation = uid(workspace, "answer", "cites"), uid(workspace, "citation", "q1")
    source = uid(workspace, "source", "s")
    ended = workflow.draft(
        viewer_of(workspace), workflow.NewCase(kind="concern", targets=[{"uid": source}])
    )
    workflow.dry_run(viewer_of(workspace), ended.uid)
    run_to_end(workflow.approve(viewer_of(workspace), ended.uid))
    Case.objects.filter(uid=ended.uid).update(state="verified")
    asked.read("capsule.made", "answers/<str:uid>/capsule", about=answer)
    asked.call("capsule.made", "GET", "answers/{uid}/capsule", about=answer)
    asked.read("audit.exported", "audit/export")
    asked.call("audit.exported", "GET", "audit.jsonl")
    asked.read("export.made", "sources.csv")
    asked.read("export.made", "cases/<str:uid>/certificate", "?signed", about=ended.uid)
    asked.call("export.made", "GET", "cases/{uid}/certificate", about=ended.uid)
    for route in sorted(KEPT):
        about = {"answers": answer, "citations": citation, "sources": source, "nodes": source}
        named = about.get(route.partition("/")[0], "")
        if f"GET {route}" in asked.addresses:
            continue
        if "<" in route:
            asked.read("export.made", route, about=named)
        else:
            asked.call("export.made", "GET", route, about=named, query=f"?node={source}")
