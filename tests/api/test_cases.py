"""Cases from outside: drafted, tried out, approved, undone; what is refused and where."""

import json
from typing import Any

import pytest

from lineage.cases import targets
from lineage.models import Node
from lineage.types import Viewer
from provexplorer.workspaces.models import Workspace
from tests.api.caller import Caller, Reply, assert_problem, caller
from tests.api.test_reading import uid
from tests.api.world import ABSENT, answer, source

SOURCE: dict[str, Any] = {"kind": "source", "key": "s"}


@pytest.fixture
def world(api: Caller) -> Caller:
    """The small world; no graph is needed for what reads obey."""
    api.records(*source(), *answer(), *answer("b", cited="c2"))
    return api


def drafted(api: Caller, **fields: Any) -> str:
    body = {"kind": "correction", "targets": [SOURCE], "reason": "r", "evidence": []} | fields
    reply = api.post("/cases", body)
    assert reply.status == 201, reply
    assert reply.body["state"] == "draft"
    return f"/cases/{reply.body['uid']}"


def test_an_instant_without_a_zone_is_utc(world: Caller) -> None:
    path = drafted(world, effective_at="2026-03-01T10:00:00")
    assert world.get(path).body["effective_at"] == "2026-03-01T10:00:00Z"


def test_an_instant_that_is_none_is_refused_with_its_place(world: Caller) -> None:
    body = {"kind": "correction", "targets": [SOURCE], "effective_at": "the first of March"}
    reply = world.post("/cases", body)
    assert reply.status == 422
    assert [error["pointer"] for error in reply.body["errors"]] == ["/effective_at"]


@pytest.mark.parametrize(
    ("fields", "slug", "pointer"),
    [
        ({"kind": "reinstatement"}, "invalid-request", "/kind"),
        ({"kind": "rumour"}, "invalid-request", "/kind"),
        ({"targets": []}, "invalid-request", "/targets"),
        ({"targets": ["s"]}, "target-refused", "/targets/0"),
        (
            {"targets": [SOURCE, {"kind": "source", "key": "none"}]},
            "target-refused",
            "/targets/1/key",
        ),
        ({"targets": [{"uid": f"src_{ABSENT}"}]}, "target-refused", "/targets/0/uid"),
        ({"targets": [{"kind": "answer", "key": "a"}]}, "target-refused", "/targets/0/kind"),
    ],
)
def test_a_draft_that_cannot_be(
    world: Caller, fields: dict[str, Any], slug: str, pointer: str
) -> None:
    body = {"kind": "correction", "targets": [SOURCE], "reason": "r"} | fields
    assert_problem(world.post("/cases", body), slug, 422, pointer)


def sent_with(api: Caller, key: str, **fields: Any) -> Reply:
    body = {"kind": "correction", "targets": [SOURCE], "reason": "r"} | fields
    data = json.dumps(body).encode()
    return api.call("POST", "/api/v1/cases", data, **{"Idempotency-Key": key})


def test_a_draft_sent_again_under_its_key_is_one_case(world: Caller, workspace: Workspace) -> None:
    first = sent_with(world, "k1")
    assert (first.status, "Idempotency-Replayed" in first.headers) == (201, False)
    # Its state may have changed, and what its key meant, when the answer to the first was lost.
    assert world.post(f"/cases/{first.body['uid']}/dry-run").body["state"] == "ready"
    world.records({"kind": "source_version", "key": "s@2", "source": "s", "version": "2"})
    again = sent_with(world, "k1")
    assert (again.status, again.headers["Idempotency-Replayed"]) == (200, "true")
    assert (again.body["uid"], again.body["state"]) == (first.body["uid"], "ready")
    for other in ({"reason": "another"}, {"targets": [{"kind": "source", "key": "none"}]}):
        assert_problem(sent_with(world, "k1", **other), "idempotency-key-reused", 422)
    assert world.get("/cases").body["total"] == 1
    # Another key, another API key and no key at all are other drafts.
    others = [sent_with(world, "k2"), sent_with(caller(workspace), "k1"), sent_with(world, "")]
    assert [reply.status for reply in others] == [201, 201, 201]
    assert world.get("/cases").body["total"] == 4
    reasons = [
        one["text"] for one in world.get(f"/cases/{again.body['uid']}/history").body["items"]
    ]
    assert reasons == [None, None]


def test_a_draft_that_was_refused_leaves_its_key_free(world: Caller) -> None:
    assert sent_with(world, "k", targets=[]).status == 422
    assert sent_with(world, "k").status == 201
    assert_problem(sent_with(world, "k" * 256), "invalid-request", 422)


def test_of_two_drafts_under_one_key_at_once_one_is_made(
    world: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = targets.bound
    first: list[Any] = []

    def meanwhile(viewer: Viewer, refs: list[Any]) -> list[Node]:
        if not first:
            first.append(None)
            first.append(sent_with(world, "k"))
        return bound(viewer, refs)

    monkeypatch.setattr(targets, "bound", meanwhile)
    second = sent_with(world, "k")
    assert (first[1].status, second.status) == (201, 200)
    assert first[1].body["uid"] == second.body["uid"]
    assert world.get("/cases").body["total"] == 1


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"targets": [SOURCE]}, "/kind"),
        ({"kind": "correction"}, "/targets"),
        ({"kind": "correction", "targets": {}}, "/targets"),
        ({"kind": "correction", "targets": [SOURCE], "reason": 3}, "/reason"),
        ({"kind": "correction", "targets": [SOURCE], "effective_at": "soon"}, "/effective_at"),
    ],
)
def test_a_body_of_the_wrong_shape(world: Caller, body: object, pointer: str) -> None:
    reply = world.post("/cases", body)
    assert_problem(reply, "invalid-request", 422)
    assert [(e["in"], e["pointer"]) for e in reply.body["errors"]] == [("body", pointer)]
    assert_problem(world.call("POST", "/api/v1/cases", b"{"), "bad-request", 400)


def test_what_is_anothers_is_as_unknown_as_a_target(world: Caller, workspace: Workspace) -> None:
    other = caller(Workspace.objects.create(slug=f"{workspace.slug}-2", name="other"))
    body = {"kind": "correction", "reason": "r"}
    foreign = other.post("/cases", body | {"targets": [{"uid": uid(world, "source", "s")}]})
    unknown = other.post("/cases", body | {"targets": [{"uid": f"src_{ABSENT}"}]})
    assert_problem(foreign, "target-refused", 422, "/targets/0/uid")
    assert foreign.body == unknown.body


def test_approval_needs_a_dry_run_and_happens_once(world: Caller) -> None:
    case = drafted(world)
    refused = world.post(f"{case}/approve")
    assert_problem(refused, "case-conflict", 409)
    assert (refused.body["code"], refused.body["state"]) == ("no_dry_run", "draft")
    assert world.get(case).body["counts"] == {}

    tried = world.post(f"{case}/dry-run")
    assert (tried.status, tried.body["state"]) == (200, "ready")
    assert (tried.body["counts"]["cited"], tried.body["states"]["stale"]) == (2, 2)
    assert world.get(f"/answers/{uid(world, 'answer', 'a')}").body["state"] == "current"

    for _ in range(2):
        approved = world.post(f"{case}/approve")
        assert approved.status == 200
        assert approved.body["state"] == "propagating"
    assert_problem(world.post(f"{case}/cancel"), "case-conflict", 409)


def test_an_operator_drafts_and_an_editor_approves(world: Caller, workspace: Workspace) -> None:
    operator = caller(workspace, ["read", "operate"])
    case = drafted(operator)
    assert operator.post(f"{case}/dry-run").status == 200
    for step in ("approve", "pause", "resume", "reinstate"):
        assert_problem(operator.post(f"{case}/{step}"), "scope-missing", 403)
    assert caller(workspace, ["edit"]).post(f"{case}/approve").status == 200


def test_reads_obey_from_the_approval_on_until_the_reinstatement(world: Caller) -> None:
    passage = uid(world, "chunk", "c1")
    case = drafted(world, targets=[{"uid": passage}])
    world.post(f"{case}/dry-run")
    world.post(f"{case}/approve")

    def states() -> dict[str, tuple[str, list[str]]]:
        found = {}
        for key in ("a", "b"):
            body = world.get(f"/answers/{uid(world, 'answer', key)}").body
            found[key] = (body["state"], [reason["grade"] for reason in body["reasons"]])
        return found

    assert states() == {"a": ("stale", ["cited"]), "b": ("review", ["in_context"])}
    (reason,) = world.get(f"/answers/{uid(world, 'answer', 'a')}").body["reasons"]
    assert (f"/cases/{reason['case']}", reason["kind"]) == (case, "correction")
    card = world.get(f"/citations/{uid(world, 'citation', 'a-q')}").body
    assert (card["status"], card["case"]) == ("corrected", reason["case"])
    node = world.get(f"/nodes/{passage}").body
    assert (node["state"], node["withdrawn_by"]) == ("withdrawn", [reason["case"]])
    impact = world.get(f"/nodes/{passage}/impact").body["items"]
    assert {item["key"]: item["state"] for item in impact} == {"a": "stale", "b": "review"}

    undone = world.post(f"{case}/reinstate", {"reason": "filed in error"})
    assert (undone.status, undone.body["kind"]) == (201, "reinstatement")
    assert f"/cases/{undone.body['reinstates']}" == case
    assert world.get(case).body["reinstated_by"] == undone.body["uid"]
    assert states() == {"a": ("current", []), "b": ("current", [])}
    # Sent again, also without a body: the same reinstatement.
    assert world.post(f"{case}/reinstate").body["uid"] == undone.body["uid"]


def test_an_answer_that_comes_later_is_born_stale(world: Caller) -> None:
    case = drafted(world)
    world.post(f"{case}/dry-run")
    world.post(f"{case}/approve")
    outcomes = world.records(*answer("late"))
    (born,) = [outcome for outcome in outcomes if outcome["kind"] == "answer"]
    assert "withdrawn_upstream" in {warned["code"] for warned in born["warnings"]}
    assert world.get(f"/answers/{born['uid']}").body["state"] == "stale"


def test_what_no_store_keeps_is_shown_as_marks(world: Caller) -> None:
    case = drafted(world, reason="a\x00\ud800b", evidence=["\x00", {"url": "\ud800"}])
    kept = world.get(case).body
    assert (kept["reason"], kept["evidence"]) == ("a\u2400\ufffdb", ["\u2400", {"url": "\ufffd"}])


def test_pausing_and_resuming(world: Caller) -> None:
    case = drafted(world)
    assert_problem(world.post(f"{case}/pause"), "case-conflict", 409)
    world.post(f"{case}/dry-run")
    world.post(f"{case}/approve")
    assert world.post(f"{case}/pause").body["state"] == "paused"
    assert world.get(f"/answers/{uid(world, 'answer', 'a')}").body["state"] == "stale"
    assert world.post(f"{case}/resume").body["state"] == "propagating"


def test_cases_are_listed_newest_first_a_page_at_a_time(world: Caller) -> None:
    made = [drafted(world, reason=str(number)) for number in range(3)]
    world.post(f"{made[0]}/cancel")
    first = world.get("/cases?limit=2").body
    rest = world.get(f"/cases?limit=2&cursor={first['next']}").body
    listed = [f"/cases/{item['uid']}" for item in first["items"] + rest["items"]]
    assert (listed, first["total"], rest["next"]) == (made[::-1], 3, None)
    cancelled = world.get("/cases?state=cancelled").body
    assert [item["reason"] for item in cancelled["items"]] == ["0"]
    assert cancelled["total"] == 1
