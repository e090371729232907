"""What cannot be applied at once is kept, and senders are told what is known of it already."""

import json
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from lineage.inbox import attempt
from lineage.inbox.result import Payload, Result
from lineage.models import InboxPayload, Node
from provexplorer.workspaces.keys import create_key
from provexplorer.workspaces.models import Workspace
from tests.api.caller import Caller, assert_problem
from tests.faults.senders import graphs
from tests.formats.openinference_traces import request, span
from tests.formats.openlineage_events import dataset, run_event

pytestmark = [pytest.mark.django_db(databases=["default", "keys"]), pytest.mark.one_pair]

BAD_OWNER = {"owners": [{"type": "x"}]}
OWNER_NAME = "/outputs/0/facets/ownership/owners/0/name"


@pytest.fixture(autouse=True)
def _locked(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(workspace: Workspace, payload: Payload) -> Result:
        raise OperationalError("locked")

    monkeypatch.setattr(attempt, "APPLIERS", dict.fromkeys(("openlineage", "otlp", "prov"), fail))


def refused() -> dict[str, Any]:
    return run_event(outputs=[dataset("b", ownership=BAD_OWNER)])


def assert_kept() -> None:
    assert InboxPayload.objects.get().state == "received"
    assert not Node.objects.exists()


def test_a_batch_tells_how_many_came_and_which_are_refused_already(api: Caller) -> None:
    naive = run_event("START", at="2026-03-01T10:00:00")
    reply = api.post("/lineage/batch", [run_event(), refused(), naive])
    assert reply.status == 202
    assert reply.body["status"] == "partial_success"
    assert reply.body["summary"] == {
        "received": 3, "successful": 2, "failed": 1, "retriable": 0, "non_retriable": 1,
    }  # fmt: skip
    assert [(one["index"], one["pointer"]) for one in reply.body["failed_events"]] == [
        (1, f"/1{OWNER_NAME}")
    ]
    warnings = [(one["index"], one["code"], one["pointer"]) for one in reply.body["warnings"]]
    assert warnings == [(2, "time_without_zone", "/2/eventTime")]
    assert_kept()


def test_one_event_is_accepted_with_what_it_is_about(api: Caller) -> None:
    reply = api.post("/lineage", run_event())
    assert (reply.status, reply.body) == (
        202, {"status": "accepted", "kind": "run", "uid": None, "warnings": []},
    )  # fmt: skip
    assert_kept()


def test_one_event_that_is_refused_already_is_told_so(api: Caller) -> None:
    assert_problem(api.post("/lineage", refused()), "field-missing", 422, OWNER_NAME)
    assert_kept()


def test_spans_that_are_refused_already_are_counted(workspace: Workspace) -> None:
    key = create_key(workspace=workspace, scopes=["ingest:otlp"])[1]
    zero = span(2, "LLM") | {"traceId": "0" * 32}
    bad = json.dumps([{"id": "c", "document": "d\0"}])
    spans = span(1, "CHAIN"), zero, span(3, "", rag__operation="chunk", rag__chunks=bad)
    response = Client().post(
        "/v1/traces",
        json.dumps(request(*spans)),
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )
    assert response.status_code == 200
    partial = json.loads(response.content)["partialSuccess"]
    assert partial["rejectedSpans"] == "2"
    assert "First at /resourceSpans/0/scopeSpans/0/spans/1." in partial["errorMessage"]
    assert "First at /chunk/document/key." in partial["errorMessage"]
    assert_kept()


def test_spans_that_are_sound_are_answered_as_ever(workspace: Workspace) -> None:
    key = create_key(workspace=workspace, scopes=["ingest:otlp"])[1]
    response = Client().post(
        "/v1/traces",
        json.dumps(request(span(1, "CHAIN"))),
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )
    assert (response.status_code, response.content) == (200, b"{}")
    assert_kept()


def test_documents_in_trustgraph_s_words_are_told_of_as_when_they_are_applied(
    api: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The edges of a focus are no things of PROV's, and no faults either."""
    messages = graphs(1)

    def told() -> list[list[tuple[str, str]]]:
        replies = [
            api.call("POST", one.path, one.body, content_type=one.media_type) for one in messages
        ]
        assert [(one.status, one.body["rejected"]) for one in replies] == [(202, 0)] * 2
        return [[(it["kind"], it["key"]) for it in one.body["outcomes"]] for one in replies]

    kept = told()
    assert not Node.objects.exists()
    monkeypatch.undo()
    assert told() == kept
