"""Webhooks and the list of invalidations by the API: what is chosen, sent again, published, listed."""

import jsonschema
import pytest

from lineage.erasure import external
from lineage.models import WebhookDelivery
from lineage.webhooks import events
from provexplorer.workspaces.models import Workspace
from tests.api.caller import Caller, assert_problem
from tests.cases.world import approved, run_to_end, send, world

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


def test_what_an_address_is_told_is_chosen_and_changed(api: Caller) -> None:
    made = api.post("/webhooks", {"url": "https://example.org/in", "events": ["case.ready"]}).body
    assert made["events"] == ["case.ready"]
    every = api.post("/webhooks", {"url": "https://example.org/all"}).body
    assert every["events"] == list(events.TYPES)
    address = f"/api/v1/webhooks/{made['uid']}"
    changed = api.call("PATCH", address, b'{"events": ["answer.stale", "answer.review"]}')
    assert changed.body["events"] == ["answer.stale", "answer.review"]
    assert api.call("PATCH", address, b"{}").body["events"] == ["answer.stale", "answer.review"]
    for wrong in (b'{"events": []}', b'{"events": ["webhook.test"]}'):
        assert_problem(api.call("PATCH", address, wrong), "invalid-request", 422, "/events")


def test_what_was_given_up_is_sent_again(api: Caller) -> None:
    made = api.post("/webhooks", {"url": "https://example.org/in"}).body
    address = f"/webhooks/{made['uid']}"
    api.post(f"{address}/test")
    (delivery,) = api.get(f"{address}/deliveries?state=pending").body["items"]
    again = api.post(f"{address}/replay", {"delivery": delivery["uid"]})
    assert (again.status, again.body) == (202, {"replayed": 0})
    WebhookDelivery.objects.update(state="failed", next_at=None)
    assert api.post(f"{address}/replay", {}).body == {"replayed": 1}
    (seen,) = api.get(f"{address}/deliveries").body["items"]
    assert (seen["uid"], seen["state"], seen["replays"]) == (delivery["uid"], "pending", 1)
    assert_problem(api.post(f"{address}/replay", {"delivery": "evt_x"}), "not-found", 404)
    assert_problem(api.get(f"{address}/deliveries?state=lost"), "invalid-request", 422, "/state")


def test_every_schema_is_served_to_whoever_asks(api: Caller) -> None:
    for type_ in (*events.TYPES, events.TEST, external.TYPE):
        schema = Caller().get(f"/webhooks/schemas/{type_}.json")
        assert schema.status == 200
        assert schema.body["$id"].endswith(f"/api/v1/webhooks/schemas/{type_}.json")
        jsonschema.Draft202012Validator.check_schema(schema.body)
    for wrong in ("answer.lost", "..%2F..%2FREADME", "x"):
        assert_problem(api.get(f"/webhooks/schemas/{wrong}.json"), "not-found", 404)


def test_invalidations_are_listed_since_a_cursor(api: Caller, workspace: Workspace) -> None:
    send(workspace, world())
    empty = api.get("/invalidations").body
    assert (empty["items"], empty["more"]) == ([], False)
    case = approved(workspace, "retraction", ("source", "s1"))
    run_to_end(case)
    first = api.get(f"/invalidations?since={empty['cursor']}&limit=1").body
    rest = api.get(f"/invalidations?since={first['cursor']}").body
    assert (first["more"], rest["more"]) == (True, False)
    found = first["items"] + rest["items"]
    assert [each["sequence"] for each in found] == [1, 2]
    assert {(each["became"], each["case"], each["by"]) for each in found} == {
        ("stale", case.uid, None), ("review", case.uid, None),
    }  # fmt: skip
    assert_problem(api.get("/invalidations?since=x"), "bad-cursor", 400)
