"""A store that has no room left: 503, nothing half done, and everything goes on when there is room."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import OperationalError, connections
from django.test import Client

from lineage.inbox import sweep
from lineage.models import AnswerEffect, Case, GraphDirty, InboxPayload, Node
from provexplorer import clock
from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.workspaces.keys import create_key
from provexplorer.workspaces.models import User, Workspace
from tests.cases.world import TEXT, answer, approved, row, run_to_end, send, states, work, world
from tests.faults.invariants import Filed, assert_invariants

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_pair,
    pytest.mark.skipif(
        os.environ.get("DATABASE_URL", "").startswith("postgres"),
        reason="SQLite lets its size be bounded",
    ),
]


@pytest.fixture(autouse=True)
def _graph_away(settings: Any) -> None:
    settings.NEO4J_URI = "bolt://127.0.0.1:9"


@contextmanager
def no_room(*aliases: str) -> Iterator[None]:
    """The databases may not grow by a page: SQLite says that the disk is full."""
    for alias in aliases:
        with connections[alias].cursor() as cursor:
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA page_count")
            cursor.execute(f"PRAGMA max_page_count = {int(cursor.fetchone()[0])}")
    try:
        yield
    finally:
        for alias in aliases:
            with connections[alias].cursor() as cursor:
                cursor.execute("PRAGMA max_page_count = 1073741823")


def works() -> list[dict[str, Any]]:
    """Each with a text, and so with a key of its own: more than the pages that there are can hold."""
    return [one for n in range(60) for one in work(f"s{n}", TEXT * 9, {f"c{n}": (0, 13)})]


@pytest.mark.parametrize("full", ["default", "keys"])
def test_records_are_refused_as_a_whole_and_accepted_again(
    workspace: Workspace, client: Client, full: str
) -> None:
    _, key = create_key(workspace=workspace, scopes=["ingest", "read"])
    headers = {"Authorization": f"Bearer {key}"}

    def post() -> Any:
        body = {"records": works()}
        return client.post("/api/v1/records", body, "application/json", headers=headers)

    with no_room(full):
        answers = [post() for _ in range(3)]
        # Nothing of a request is there without the rest of it.
        assert not Node.objects.exists()
        assert not GraphDirty.objects.exists()
    kept = InboxPayload.objects.count()
    for one in answers:
        if one.status_code == 202:  # there was room to keep it, and none to apply it
            kept -= 1
            continue
        assert one.status_code == 503
        assert one.json()["type"] == "/problems/store-busy"
        assert int(one.headers["Retry-After"]) > 0
    assert kept == 0
    assert 503 in {one.status_code for one in answers} or full == "keys"
    assert post().status_code in (200, 202)
    InboxPayload.objects.update(next_at=clock.now())
    sweep.apply_waiting()
    assert Node.objects.filter(kind="document", resolved=True).count() == 60


def test_a_page_that_would_save_says_that_it_could_not(workspace: Workspace) -> None:
    User.objects.create_user("somebody", password="a password that is long")

    def sign_in() -> Any:
        form = {"username": "somebody", "password": "a password that is long"}
        # Each time in another browser: sessions fill the pages that there are.
        return Client(raise_request_exception=False).post("/accounts/sign-in/", form)

    assert sign_in().status_code == 302
    with no_room("default"):
        answers = [sign_in() for _ in range(30)]
        assert Client().get("/accounts/sign-in/").status_code == 200
    refused = [one for one in answers if one.status_code != 302]
    assert refused
    assert {one.status_code for one in refused} == {503}
    assert int(refused[0].headers["Retry-After"]) > 0
    assert "Nothing could be saved just now" in refused[0].content.decode()
    assert sign_in().status_code == 302


def test_a_case_stops_where_it_is_and_goes_on(
    workspace: Workspace, graph: GraphAddress, settings: Any
) -> None:
    # More effects than the pages have room for that their table has already.
    many = range(250)
    records = world() + [
        one for n in many
        for one in answer(f"a{n}", retrieved=["c1"], included=["c1"], cites=["c1"])
    ]  # fmt: skip
    send(workspace, records)
    case = approved(workspace, "retraction", ("source", "s1"))
    with no_room("default"), pytest.raises(OperationalError, match="full"):
        run_to_end(case, runs=5)
    stopped = row(case)
    # What is counted as done is done, and nothing else.
    assert stopped.done == AnswerEffect.objects.filter(case=stopped).count()
    assert states(workspace)["cites"] == "stale"
    Case.objects.update(lease_until=None)
    run_to_end(case, runs=3)
    assert AnswerEffect.objects.filter(case=stopped).count() == len(many) + 3
    settings.NEO4J_URI = graph.uri
    run_to_end(case)
    assert_invariants(workspace, records, [Filed(case.uid, "retraction", (("source", "s1"),))])
