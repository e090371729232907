"""Incidents, webhooks and the past by the API: shapes, refusals, and that a secret is told once."""

from typing import Any

import pytest

from lineage.models import Incident
from provexplorer.workspaces.models import Membership, User, Workspace
from tests.api.caller import Caller, assert_problem
from tests.api.world import answer, source

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


@pytest.fixture
def uids(api: Caller) -> dict[str, str]:
    """Uids of the small world, by prefix."""
    return {each["uid"][:3]: each["uid"] for each in api.records(*source(), *answer())}


def opened(api: Caller, uids: dict[str, str], **more: Any) -> dict[str, Any]:
    body = {"title": "Signs lost", "question": {"node": [uids["src"]]}, **more}
    reply = api.post("/incidents", body)
    assert reply.status == 201, reply
    found: dict[str, Any] = reply.body
    return found


def test_an_incident_from_opening_to_deletion(api: Caller, uids: dict[str, str]) -> None:
    made = opened(api, uids, note="It began on Monday.", question={"node": uids["src"], "grade": "cited"})  # fmt: skip
    address = f"/incidents/{made['uid']}"
    assert made["question"] == {"node": [uids["src"]], "grade": ["cited"]}
    assert made["report"] == f"node={uids['src']}&grade=cited"
    assert (made["counts"], made["total"]) == (made["counts_now"], made["total_now"])
    assert (made["counts"]["cited"], made["total"]) == (1, 1)
    assert (made["state"], made["may"]) == ("open", ["investigating", "mitigated", "closed"])
    assert made["opened_by"] == ""
    assert api.get("/incidents").body["items"] == [
        {name: made[name] for name in api.get("/incidents").body["items"][0]}
    ]
    moved = api.call("PATCH", f"/api/v1{address}", b'{"state": "mitigated", "watching": false}')
    assert (moved.status, moved.body["state"], moved.body["watching"]) == (200, "mitigated", False)
    conflict = api.call("PATCH", f"/api/v1{address}", b'{"state": "open"}')
    assert_problem(conflict, "incident-conflict", 409)
    assert (conflict.body["code"], conflict.body["state"]) == ("wrong_state", "mitigated")
    assert_problem(api.call("DELETE", f"/api/v1{address}"), "incident-conflict", 409)
    notes = api.get(f"{address}/notes").body
    assert [(each["what"], each["became"], each["text"]) for each in notes["items"]] == [
        ("watch", "off", None), ("state", "mitigated", None), ("note", "", "It began on Monday."),
    ]  # fmt: skip
    assert api.post(f"{address}/notes", {"text": "More."}).status == 204
    assert api.get(f"{address}/notes?limit=1").body["items"][0]["text"] == "More."
    assert api.get(f"{address}/answers").body == {"items": [], "next": None, "total": 0}
    assert api.call("PATCH", f"/api/v1{address}", b'{"state": "closed"}').status == 200
    assert api.call("DELETE", f"/api/v1{address}").status == 204
    assert_problem(api.get(address), "not-found", 404)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"title": " "}, "/title"),
        ({"title": "t", "assignee": "nobody"}, "/assignee"),
        ({"title": "t", "note": " "}, "/text"),
        ({"title": "t", "question": {}}, "/question"),
    ],
)
def test_what_cannot_stand_is_told_by_its_place(
    api: Caller, uids: dict[str, str], body: dict[str, Any], pointer: str
) -> None:
    asked = {"question": {"node": [uids["src"]]}, **body}
    assert_problem(api.post("/incidents", asked), "invalid-request", 422, pointer)
    assert Incident.objects.count() == 0


@pytest.mark.parametrize("question", [{"grade": ["best"]}, {"nodes": ["x"]}, {"node": [1]}, {"since": "soon", "node": "x"}])  # fmt: skip
def test_a_question_that_cannot_be_read_is_refused(api: Caller, question: dict[str, Any]) -> None:
    reply = api.post("/incidents", {"title": "t", "question": question})
    assert (reply.status, reply.body["type"]) == (422, "/problems/invalid-request")


def test_a_node_that_is_unknown_here_is_not_found(api: Caller) -> None:
    reply = api.post("/incidents", {"title": "t", "question": {"node": ["src_" + "a" * 26]}})
    assert_problem(reply, "not-found", 404)


def test_it_is_given_and_taken_away_and_found_by_whose_it_is(
    api: Caller, uids: dict[str, str], workspace: Workspace
) -> None:
    ada = User.objects.create_user(f"ada-{workspace.slug}")
    Membership.objects.create(user=ada, workspace=workspace, role="operator")
    made = opened(api, uids, assignee=ada.username)
    opened(api, uids)
    assert made["assignee"] == ada.username
    mine = api.get(f"/incidents?assignee={ada.username}&state=open").body
    assert ([each["uid"] for each in mine["items"]], mine["total"]) == ([made["uid"]], 1)
    taken = api.call("PATCH", f"/api/v1/incidents/{made['uid']}", b'{"assignee": null}')
    assert taken.body["assignee"] == ""
    assert api.get("/incidents?assignee=-").body["total"] == 2


def test_a_secret_is_told_to_who_made_the_webhook_and_never_again(
    api: Caller, uids: dict[str, str]
) -> None:
    incident = opened(api, uids)["uid"]
    made = api.post("/webhooks", {"url": "https://example.org/in", "incident": incident})
    assert made.status == 201
    secret = made.body.pop("secret")
    address = f"/webhooks/{made.body['uid']}"
    assert api.get(address).body == made.body
    assert api.get("/webhooks").body == {"items": [made.body]}
    assert api.post(f"{address}/test").status == 202
    log = api.get(f"{address}/deliveries").body
    assert [(each["type"], each["state"], each["attempts"]) for each in log["items"]] == [
        ("webhook.test", "pending", 0)
    ]
    assert secret.startswith("whsec_")
    assert secret not in str([api.get(address).body, log])
    refused = api.post("/webhooks", {"url": "https://169.254.169.254:80/"})
    assert_problem(refused, "invalid-request", 422, "/url")
    assert api.call("DELETE", f"/api/v1{address}").status == 204
    assert_problem(api.get(address), "not-found", 404)


def test_the_past_is_asked_by_the_time_of_recording(api: Caller, uids: dict[str, str]) -> None:
    before = api.get(f"/nodes/{uids['src']}/as-recorded?until=2020-01-01T00:00:00Z").body
    assert (before["total"], before["items"], before["exact"]) == (0, [], True)
    now = api.get(f"/nodes/{uids['src']}/as-recorded?until=2100-01-01&limit=1").body
    impact = api.get(f"/nodes/{uids['src']}/impact").body
    assert now["counts"] == impact["counts"]
    assert [each["uid"] for each in now["items"]] == [each["uid"] for each in impact["items"]]
    assert (now["total"], now["next"]) == (1, None)
    since = api.get(f"/nodes/{uids['src']}/changes?since=2020-01-01").body
    assert [each["uid"] for each in since["answers"]] == [uids["ans"]]
    assert (since["rebindings"], since["moved"], since["exact"]) == ([], [], True)
    for wrong in ("", "?since=soon"):
        assert api.get(f"/nodes/{uids['src']}/changes{wrong}").status == 422
    cursor = api.get(f"/nodes/{uids['src']}/as-recorded?until=2100-01-01&cursor=WyJ4Il0")
    assert_problem(cursor, "bad-cursor", 400)
