"""Who may call what: keys, scopes, sessions, and what belongs to others."""

from typing import Final

import pytest
from django.test import Client

from lineage.models import NoticeImport
from lineage.notices import receiving
from provexplorer.api import api as ninja
from provexplorer.workspaces.keys import create_key, revoke_key
from provexplorer.workspaces.models import Membership, Role, User, Workspace
from tests.api.caller import ALL_SCOPES, Caller, assert_problem, caller
from tests.api.world import ABSENT, answer, source

# Every operation with the scope it needs; one that is not here fails the test below.
SCOPES: Final = {
    ("POST", "/api/v1/records"): "ingest",
    ("POST", "/api/v1/lineage"): "ingest",
    ("POST", "/api/v1/lineage/batch"): "ingest",
    ("POST", "/api/v1/prov"): "ingest",
    ("GET", "/api/v1/resolve"): "read",
    ("GET", "/api/v1/search"): "read",
    ("GET", "/api/v1/nodes/{uid}"): "read",
    ("GET", "/api/v1/nodes/{uid}/upstream"): "read",
    ("GET", "/api/v1/nodes/{uid}/downstream"): "read",
    ("GET", "/api/v1/nodes/{uid}/impact"): "read",
    ("GET", "/api/v1/nodes/{uid}/prov"): "read",
    ("GET", "/api/v1/components/{uid}"): "read",
    ("GET", "/api/v1/compare"): "read",
    ("GET", "/api/v1/impact"): "read",
    ("GET", "/api/v1/impact.csv"): "read",
    ("GET", "/api/v1/impact.jsonl"): "read",
    ("GET", "/api/v1/impact.prov"): "read",
    ("POST", "/api/v1/impact/sets"): "operate",
    ("GET", "/api/v1/answers/{uid}"): "read",
    ("GET", "/api/v1/answers/{uid}/capsule"): "read",
    ("GET", "/api/v1/answers/{uid}/copy"): "read",
    ("GET", "/api/v1/answers/{uid}/references"): "read",
    ("GET", "/api/v1/answers/{uid}/rights"): "read",
    ("GET", "/api/v1/answers/{uid}/attribution"): "read",
    ("GET", "/api/v1/citations/{uid}/attribution"): "read",
    ("GET", "/api/v1/sources/{uid}/attribution"): "read",
    ("GET", "/api/v1/sources"): "read",
    ("GET", "/api/v1/settings/rights"): "read",
    ("PUT", "/api/v1/settings/rights"): "admin",
    ("GET", "/api/v1/citations/{uid}"): "read",
    ("GET", "/api/v1/citations/{uid}/annotation"): "read",
    ("GET", "/api/v1/citations/{uid}/reference"): "read",
    ("GET", "/api/v1/cases"): "read",
    ("POST", "/api/v1/cases"): "operate",
    ("GET", "/api/v1/cases/{uid}"): "read",
    ("POST", "/api/v1/cases/{uid}/dry-run"): "operate",
    ("POST", "/api/v1/cases/{uid}/cancel"): "operate",
    ("POST", "/api/v1/cases/{uid}/approve"): "edit",
    ("POST", "/api/v1/cases/{uid}/pause"): "edit",
    ("POST", "/api/v1/cases/{uid}/resume"): "edit",
    ("POST", "/api/v1/cases/{uid}/prove-again"): "edit",
    ("POST", "/api/v1/cases/{uid}/reinstate"): "edit",
    ("POST", "/api/v1/cases/{uid}/reject"): "edit",
    ("GET", "/api/v1/cases/{uid}/history"): "read",
    ("GET", "/api/v1/cases/{uid}/certificate"): "read",
    ("GET", "/api/v1/cases/{uid}/erasure"): "read",
    ("PUT", "/api/v1/cases/{uid}/erasure"): "operate",
    ("GET", "/api/v1/external-targets"): "admin",
    ("POST", "/api/v1/external-targets"): "admin",
    ("DELETE", "/api/v1/external-targets/{uid}"): "admin",
    ("POST", "/api/v1/cases/{uid}/comments"): "operate",
    ("POST", "/api/v1/cases/{uid}/assignee"): "operate",
    ("GET", "/api/v1/cases/{uid}/files"): "operate",
    ("POST", "/api/v1/cases/{uid}/files"): "operate",
    ("GET", "/api/v1/cases/{uid}/files/{number}"): "operate",
    ("DELETE", "/api/v1/cases/{uid}/files/{number}"): "edit",
    ("GET", "/api/v1/nodes/{uid}/as-recorded"): "read",
    ("GET", "/api/v1/nodes/{uid}/changes"): "read",
    ("POST", "/api/v1/crossref"): "ingest",
    ("GET", "/api/v1/notices"): "read",
    ("POST", "/api/v1/notices"): "operate",
    ("GET", "/api/v1/notices/{uid}"): "read",
    ("GET", "/api/v1/notice-imports"): "read",
    ("GET", "/api/v1/notice-imports/{uid}"): "read",
    ("GET", "/api/v1/incidents"): "operate",
    ("POST", "/api/v1/incidents"): "operate",
    ("GET", "/api/v1/incidents/{uid}"): "operate",
    ("PATCH", "/api/v1/incidents/{uid}"): "operate",
    ("DELETE", "/api/v1/incidents/{uid}"): "operate",
    ("GET", "/api/v1/incidents/{uid}/notes"): "operate",
    ("POST", "/api/v1/incidents/{uid}/notes"): "operate",
    ("GET", "/api/v1/incidents/{uid}/answers"): "operate",
    ("POST", "/api/v1/incidents/{uid}/notice"): "operate",
    ("POST", "/api/v1/incidents/{uid}/cases"): "operate",
    ("GET", "/api/v1/invalidations"): "read",
    ("GET", "/api/v1/audit"): "admin",
    ("GET", "/api/v1/audit.jsonl"): "admin",
    ("GET", "/api/v1/webhooks"): "operate",
    ("POST", "/api/v1/webhooks"): "operate",
    ("GET", "/api/v1/webhooks/{uid}"): "operate",
    ("DELETE", "/api/v1/webhooks/{uid}"): "operate",
    ("GET", "/api/v1/webhooks/{uid}/deliveries"): "operate",
    ("POST", "/api/v1/webhooks/{uid}/test"): "operate",
    ("POST", "/api/v1/webhooks/{uid}/switch-on"): "operate",
    ("PATCH", "/api/v1/webhooks/{uid}"): "operate",
    ("POST", "/api/v1/webhooks/{uid}/replay"): "operate",
}
PREFIX_OF_PATH: Final = {"nodes": "src", "sources": "src", "components": "cmp", "answers": "ans", "citations": "cit", "cases": "cas", "incidents": "inc", "notices": "ntc", "notice-imports": "nim", "webhooks": "whk", "external-targets": "ext"}  # fmt: skip
OPERATIONS: Final = sorted(SCOPES)
# A valid request, so that nothing but the key can refuse it.
BODY: Final = (
    b'{"records": [], "kind": "correction", "targets": [], "reason": "", "title": "t", '
    b'"question": {"node": []}, "text": "t", "url": "https://example.org/", "assignee": "", '
    b'"describing": true, "name": "t", "target_kind": "other"}'
)
QUERY: Final = (
    f"?kind=source&key=s&q=x&old=cmp_{ABSENT}&new=cmp_{ABSENT}&until=2026-03-01&since=2026-03-01"
)


def address(path: str) -> str:
    return (
        path.replace("{uid}", f"{PREFIX_OF_PATH[path.split('/')[3]]}_{ABSENT}").replace(
            "{number}", "1"
        )
        if "{" in path
        else path
    )


@pytest.mark.engine_free
def test_every_operation_is_in_the_table() -> None:
    schema = ninja.get_openapi_schema(path_prefix="/api/v1/")
    found = {(m.upper(), path) for path, methods in schema["paths"].items() for m in methods}
    assert found == set(SCOPES)


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_without_a_key_in_force_nothing_is_told(
    workspace: Workspace, method: str, path: str
) -> None:
    key, plaintext = create_key(workspace=workspace, scopes=ALL_SCOPES)
    assert revoke_key(workspace=workspace, public_id=key.public_id)
    wrong = ("", "x", "pvx_a_b", plaintext, f"{plaintext}0")
    replies = [Caller(each).call(method, address(path) + QUERY, BODY) for each in wrong]
    for reply in replies:
        assert_problem(reply, "key-required", 401)
        assert reply.headers["WWW-Authenticate"] == 'Bearer realm="provexplorer"'
        assert reply.body == replies[0].body


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_a_key_without_the_scope_is_refused(workspace: Workspace, method: str, path: str) -> None:
    needed = SCOPES[method, path]
    others = [scope for scope in ALL_SCOPES if scope not in (needed, "admin")]
    reply = caller(workspace, others).call(method, address(path) + QUERY, BODY)
    assert_problem(reply, "scope-missing", 403)
    assert reply.body["scope"] == needed


def test_what_is_another_workspaces_answers_like_what_does_not_exist(
    api: Caller, workspace: Workspace
) -> None:
    other = caller(Workspace.objects.create(slug=f"{workspace.slug}-2", name="other"))
    uids = uids_of(other)
    for method, path in OPERATIONS:
        if "{uid}" in path:
            prefix = PREFIX_OF_PATH[path.split("/")[3]]
            asked = [uids[prefix], f"{prefix}_{ABSENT}", f"xyz_{ABSENT}", "none", "%00", "a" * 300]
            one = path.replace("{number}", "1")
            replies = [api.call(method, one.replace("{uid}", u) + QUERY, BODY) for u in asked]
            for reply in replies:
                assert_problem(reply, "not-found", 404)
                assert (reply.body, reply.headers) == (replies[0].body, replies[0].headers)


def test_search_and_resolve_find_nothing_of_others(api: Caller, workspace: Workspace) -> None:
    other = caller(Workspace.objects.create(slug=f"{workspace.slug}-2", name="other"))
    uids = uids_of(other)
    for q in ("Handbook", "10.1234/HB", uids["src"], "s"):
        assert api.get(f"/search?q={q}").body == {"items": [], "next": None, "total": 0}
    assert api.get("/resolve?kind=source&key=s").body == {"items": [], "next": None, "total": 0}


def test_the_same_records_have_unrelated_uids_elsewhere(api: Caller, workspace: Workspace) -> None:
    other = caller(Workspace.objects.create(slug=f"{workspace.slug}-2", name="other"))
    theirs, ours = uids_of(other), uids_of(api)
    assert not set(theirs.values()) & set(ours.values())


def test_a_member_reads_with_a_session(api: Caller, workspace: Workspace) -> None:
    uid = uids_of(api)["src"]
    for role in Role.values:
        signed_in = Caller(client=session(workspace, role))
        for path in ("/search?q=x", f"/nodes/{uid}", f"/nodes/{uid}/impact"):
            assert signed_in.get(path).status == 200, (role, path)


def test_a_session_writes_nothing(workspace: Workspace) -> None:
    signed_in = Caller(client=session(workspace, Role.ADMIN))
    for method, path in OPERATIONS:
        if method != "GET":
            assert_problem(signed_in.call(method, address(path), BODY), "key-required", 401)


def test_a_member_of_elsewhere_gets_the_same_404(api: Caller, workspace: Workspace) -> None:
    elsewhere = Workspace.objects.create(slug=f"{workspace.slug}-2", name="other")
    signed_in = Caller(client=session(elsewhere, Role.ADMIN))
    uids = uids_of(api)
    for path in ("/nodes/{}", "/nodes/{}/impact", "/nodes/{}/upstream"):
        foreign = signed_in.get(path.format(uids["src"]))
        unknown = signed_in.get(path.format(f"src_{ABSENT}"))
        assert_problem(foreign, "not-found", 404)
        assert (foreign.body, foreign.headers) == (unknown.body, unknown.headers)


@pytest.mark.parametrize("header", ["Basic YTpi", "bearer", "Bearer a b", "Token pvx_a_b"])
def test_a_malformed_header_counts_before_a_session(workspace: Workspace, header: str) -> None:
    client = session(workspace, Role.READER)
    reply = Caller(client=client).call("GET", "/api/v1/search?q=x", Authorization=header)
    assert_problem(reply, "key-required", 401)


def uids_of(sender: Caller) -> dict[str, str]:
    """Uids of the small world by prefix; a case among them."""
    model = {
        "kind": "component",
        "key": "m",
        "component_kind": "model",
        "name": "m",
        "version": "1",
    }
    uids = {o["uid"][:3]: o["uid"] for o in sender.records(*source(), *answer(), model)}
    drafted = sender.post(
        "/cases", {"kind": "concern", "targets": [{"kind": "source", "key": "s"}], "reason": "r"}
    )
    assert drafted.status == 201, drafted
    asked = {"title": "t", "question": {"node": [uids["src"]]}}
    incident = sender.post("/incidents", asked)
    outside = {"name": "t", "target_kind": "other", "url": "https://example.org/"}
    uids |= {"ext": sender.post("/external-targets", outside).body["uid"]}
    told = {"DOI": "10.5555/w", "updated-by": [{"DOI": "10.5555/n", "type": "retraction"}]}
    uids |= {"nim": sender.post("/notices", told).body["uid"]}
    receiving.read_kept(NoticeImport.objects.get(uid=uids["nim"]).pk)
    uids |= {"ntc": sender.get("/notices").body["items"][0]["uid"]}
    webhook = sender.post("/webhooks", {"url": "https://example.org/"})
    assert (incident.status, webhook.status) == (201, 201)
    uids |= {"inc": incident.body["uid"], "whk": webhook.body["uid"]}
    return uids | {"cas": drafted.body["uid"]}


def session(workspace: Workspace, role: str) -> Client:
    user = User.objects.create_user(f"{role}-{workspace.slug}")
    Membership.objects.create(user=user, workspace=workspace, role=role)
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client
