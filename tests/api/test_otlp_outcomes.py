"""What exporters and operators are told of spans of which a record was refused or doubted."""

import json
from typing import Any

import pytest
from django.test import Client

from lineage.erasure import places
from lineage.models import InboxPayload
from provexplorer.workspaces.keys import create_key
from provexplorer.workspaces.models import Workspace
from tests.cases.world import node
from tests.erasure.world import AT, PASSAGE, erased, made
from tests.formats.openinference_traces import request, span
from tests.pages.world import member

pytestmark = [pytest.mark.django_db(databases=["default", "keys"]), pytest.mark.one_pair]

FINE: dict[str, Any] = {"id": "fine", "document": "d", "start": 0, "end": 4}
DIGEST = "sha256:" + "0" * 64


def cut(number: int, *chunks: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The span of an index run that cut these chunks."""
    return span(number, "", rag__operation="chunk", rag__chunks=json.dumps(chunks), **more)


def embedded(number: int, *chunks: dict[str, Any]) -> dict[str, Any]:
    """The span of an index run that embedded these chunks."""
    told = json.dumps(chunks)
    return span(number, "EMBEDDING", embedding__model_name="e-1", rag__chunks=told)


def told_of(workspace: Workspace, *spans: dict[str, Any]) -> dict[str, str]:
    """The partial success that /v1/traces answers with; empty where there is none."""
    key = create_key(workspace=workspace, scopes=["ingest:otlp"])[1]
    response = Client().generic(
        "POST",
        "/v1/traces",
        json.dumps(request(*spans)).encode(),
        "application/json",
        headers={"Authorization": f"Bearer {key}"},
    )
    assert response.status_code == 200
    found: dict[str, str] = json.loads(response.content).get("partialSuccess", {})
    return found


def last(workspace: Workspace) -> InboxPayload:
    return InboxPayload.objects.filter(workspace=workspace).latest("pk")


def inbox(workspace: Workspace, uid: str = "") -> str:
    """The page that operators see: the list, or that of one payload."""
    client = member(workspace, "operator")
    return client.get(f"/inbox/{uid}", headers={"Accept-Language": "en"}).content.decode()


@pytest.mark.usefixtures("graph")
def test_an_erased_chunk_that_an_index_run_sends_again_is_told(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Within a test's transaction no log can be emptied.
    monkeypatch.setitem(places.WORK, "files", lambda _work: 0)
    made(workspace)
    erased(workspace, ("chunk", "c1"))
    start, end = AT
    again = {"id": "c1", "document": "s1-doc", "start": start, "end": end, "content": PASSAGE}

    partial = told_of(workspace, cut(1, FINE, again), cut(2, FINE | {"id": "other"}))
    assert partial["rejectedSpans"] == "1"
    assert "1 of them: It was erased." in partial["errorMessage"]
    assert "First at /chunk" in partial["errorMessage"]
    row = last(workspace)
    assert (row.state, row.items, row.stored, row.rejected) == ("partly_applied", 2, 1, 1)
    # What was refused for having been erased stays nowhere.
    assert row.body_gone_at is not None
    assert node(workspace, "chunk", "fine").resolved
    page = inbox(workspace)
    assert 'data-state="partly_applied"' in page
    assert 'href="/problems/erased"' in page


@pytest.mark.usefixtures("graph_away")
@pytest.mark.parametrize("key", ["d" * 2_001, "d\0"], ids=["long", "nul"])
def test_a_document_that_cannot_be_named_is_told(workspace: Workspace, key: str) -> None:
    partial = told_of(workspace, cut(1, FINE, FINE | {"id": "bad", "document": key}), cut(2, FINE))
    assert partial["rejectedSpans"] == "1"
    assert "First at /chunk/document/key" in partial["errorMessage"]
    row = last(workspace)
    assert (row.state, row.items, row.rejected) == ("partly_applied", 2, 1)
    assert 'data-state="partly_applied"' in inbox(workspace)


@pytest.mark.usefixtures("graph_away")
def test_two_chunks_of_one_key_in_two_collections_are_told_apart(workspace: Workspace) -> None:
    bad = FINE | {"document": "d\0"}
    first, second = cut(1, bad, rag__collection="one"), cut(2, FINE, rag__collection="two")
    assert told_of(workspace, first, second)["rejectedSpans"] == "1"
    row = last(workspace)
    assert (row.stored, row.rejected) == (1, 1)


@pytest.mark.usefixtures("graph_away")
def test_what_is_wrong_with_what_is_stored_is_seen_with_its_span(workspace: Workspace) -> None:
    doubtful = FINE | {"content": "Four", "digest": DIGEST}
    vector = {"id": "fine", "vector_digest": "\0"}
    assert told_of(workspace, cut(1, doubtful), embedded(2, vector), span(3, "CHAIN")) == {}
    row = last(workspace)
    assert (row.state, row.items, row.warned) == ("applied", 3, 2)
    assert {(each["code"], each["pointer"], each["count"]) for each in row.reasons} == {
        ("digest_mismatch", "/chunk/digest", 1),
        ("unresolved_reference", "/chunk/document", 1),
        ("character_replaced", "/embedding/vector_digest", 1),
    }
    assert "/chunk/digest" in inbox(workspace, row.uid)
