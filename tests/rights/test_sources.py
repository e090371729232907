"""The list of sources: orders, filters, pages, what is hidden, and the same as CSV."""

import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from lineage.models import Node, SourceRights, SourceWatch
from lineage.nodes.paging import CursorInvalid
from lineage.rights.asked import SourceFilter
from lineage.rights.glance import glance
from lineage.rights.sources import every, sources
from lineage.rights.summarise import keep_up
from lineage.types import Viewer
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.api.caller import caller
from tests.ingest.sending import LATER, record
from tests.nodes.world import ALPHA, answer, load, source, viewer, withdraw
from tests.pages.world import member

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

ADA = [{"name": "Ada", "role": "creator"}]


@pytest.fixture
def world(workspace: Workspace) -> dict[str, Node]:
    """Five sources; `secret` is for the board, and most answers rest on it."""
    nodes = load(
        workspace,
        source("a", ALPHA, source_kind="article", language="en", creators=ADA),
        source("b", ALPHA, source_kind="report", language="pt"),
        [
            record(
                "source_version",
                "b@1",
                at=LATER,
                source="b",
                license="CC-BY-NC-4.0",
                valid_until="2999",
            )
        ],
        source("c", ALPHA, title="=cmd()", creators=ADA),
        [record("source_version", "c@2", source="c", license="All rights reserved")],
        source("secret", ALPHA, acl=["board"], source_kind="memo", language="de"),
        [record("document", "lost", source_version="nowhere@1", text=ALPHA)],
        [record("source_version", "nowhere@1", source="nowhere")],
        answer("one", "a-c"),
        answer("two", "a-c", beside=("b-c", "secret-c")),
        answer("three", "secret-c"),
        answer("four", "secret-c"),
    )
    keep_up()
    return nodes


def keys(workspace: Workspace, asked: SourceFilter | None = None, *, as_: Viewer | None = None, **more: Any) -> list[str]:  # fmt: skip
    found = sources(as_ or viewer(workspace), asked or SourceFilter(), **more)
    names = dict(Node.objects.filter(workspace=workspace).values_list("uid", "key"))
    assert found.total >= len(found.items)
    return [names[line.row.uid] for line in found.items]


def test_the_most_grounded_come_first_and_what_is_hidden_is_nowhere(
    workspace: Workspace, world: dict[str, Node]
) -> None:
    assert keys(workspace, sort="grounded") == ["a", "b", "c", "nowhere"]
    insider = viewer(workspace, "board")
    assert keys(workspace, sort="grounded", as_=insider) == ["secret", "a", "b", "c", "nowhere"]
    admin = viewer(workspace, sees_all=True)
    assert keys(workspace, sort="grounded", as_=admin) == keys(
        workspace, sort="grounded", as_=insider
    )
    assert keys(workspace, SourceFilter(kind="memo")) == []
    assert sources(viewer(workspace), SourceFilter(language="de")).total == 0
    assert [line.row.uid for line in every(viewer(workspace), SourceFilter(kind="memo"))] == []
    seen, all_seen = glance(viewer(workspace)), glance(insider)
    assert (seen.total, all_seen.total) == (4, 5)
    assert "memo" not in seen.kinds
    assert "memo" in all_seen.kinds


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"family": "non_commercial"}, ["b"]),
        ({"kind": "article"}, ["a"]),
        ({"language": "pt"}, ["b"]),
        ({"missing": "creator"}, ["b"]),
        ({"missing": "licence"}, ["c", "nowhere"]),
        ({"missing": "any"}, ["b", "c", "nowhere"]),
        ({"missing": "description"}, ["nowhere"]),
        ({"ending": "later"}, ["b"]),
        ({"ending": "30"}, []),
        ({"freshness": "never"}, ["a", "b", "c", "nowhere"]),
        ({"freshness": "gone"}, []),
        ({"state": "active"}, ["a", "b", "c", "nowhere"]),
        ({"missing": "any", "language": "pt"}, ["b"]),
        ({"family": "of nothing known"}, []),
        ({"state": "nonsense"}, []),
        ({"q": "On b", "missing": "any"}, ["b"]),
    ],
)
def test_each_filter_finds_its_sources(
    workspace: Workspace, world: dict[str, Node], asked: dict[str, str], found: list[str]
) -> None:
    assert keys(workspace, SourceFilter(**asked), sort="grounded") == found


def test_cases_and_erasures_are_told_apart(workspace: Workspace, world: dict[str, Node]) -> None:
    withdraw(workspace, world["a@1"], "concern")
    withdraw(workspace, world["b"], "erasure")
    assert keys(workspace, SourceFilter(state="withdrawn"), sort="grounded") == ["a"]
    assert keys(workspace, sort="grounded") == ["a", "c", "nowhere"]


def test_what_was_looked_at_orders_and_filters(
    workspace: Workspace, world: dict[str, Node]
) -> None:
    def looked(key: str, outcome: str, month: int, drifted: int) -> None:
        SourceWatch.objects.create(
            source=world[key],
            workspace=workspace,
            next_at=clock.now(),
            checked_at=datetime(2026, month, 1, tzinfo=UTC),
            outcome=outcome,
            cited=5,
            drifted=drifted,
        )

    looked("a", "same", 2, 1)
    looked("b", "gone", 1, 3)
    assert keys(workspace, sort="drifting") == ["b", "a"]
    assert keys(workspace, sort="unchecked") == ["c", "nowhere", "b", "a"]
    assert keys(workspace, SourceFilter(freshness="gone"), sort="unchecked") == ["b"]
    assert keys(workspace, SourceFilter(freshness="current"), sort="unchecked") == ["a"]
    assert glance(viewer(workspace)).freshness == {
        "current": 1, "changed": 0, "gone": 1, "unreachable": 0, "never": 2,
    }  # fmt: skip


@pytest.mark.parametrize("sort", ["grounded", "unchecked", "title"])
def test_pages_go_on_where_the_last_one_ended(
    workspace: Workspace, world: dict[str, Node], sort: str
) -> None:
    SourceWatch.objects.create(
        source=world["b"], workspace=workspace, next_at=clock.now(), checked_at=clock.now()
    )
    whole = keys(workspace, sort=sort)
    paged: list[str] = []
    cursor: str | None = None
    while True:
        found = sources(viewer(workspace), SourceFilter(), sort=sort, limit=1, cursor=cursor)
        paged += [line.row.uid for line in found.items]
        cursor = found.next
        if cursor is None:
            break
    names = dict(Node.objects.filter(workspace=workspace).values_list("uid", "key"))
    assert [names[uid] for uid in paged] == whole


@pytest.mark.parametrize("sort", ["title", "grounded", "ending", "unchecked"])
@pytest.mark.parametrize("cursor", ["nonsense", "WzEsMV0", "WyJ4IiwxXQ", "W251bGwsbnVsbF0"])
def test_a_cursor_of_another_list_is_refused(workspace: Workspace, sort: str, cursor: str) -> None:
    if (sort, cursor) == ("grounded", "WzEsMV0"):
        return  # [1, 1] is a place in this one
    with pytest.raises(CursorInvalid):
        sources(viewer(workspace), SourceFilter(), sort=sort, cursor=cursor)


def test_the_page_tells_it_in_words_and_leads_on(
    workspace: Workspace, world: dict[str, Node]
) -> None:
    client = member(workspace)
    page = client.get("/sources/?missing=any").content.decode()
    assert "Missing: Licence that is known (1 of 2 versions)" in page
    assert "On secret" not in page
    assert "2 answers rest on it" in client.get("/sources/?sort=grounded").content.decode()
    assert "No source is like this" in client.get("/sources/?family=copyleft").content.decode()
    assert client.get("/sources/?cursor=nonsense").status_code == 400
    assert client.get("/sources/?kind=%00&q=%00").status_code == 200
    hx = client.get("/sources/", headers={"HX-Request": "true", "HX-Target": "list"})
    assert b"<html" not in hx.content


def test_csv_holds_what_the_list_holds_without_formulas(
    workspace: Workspace, world: dict[str, Node]
) -> None:
    client: Client = member(workspace)
    response = client.get("/sources.csv?missing=any&sort=grounded")
    text = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["title"] for row in rows] == ["On b", "'=cmd()", ""]
    assert [(row["missing"], row["answers"], row["chunks"]) for row in rows] == [
        ("creator", "1", "1"),
        ("licence", "0", "1"),
        ("description, licence", "0", "0"),
    ]
    assert rows[0]["address"] == f"http://testserver/sources/{world['b'].uid}"


def test_settings_are_for_admins_and_told_to_operators(workspace: Workspace) -> None:
    assert member(workspace).get("/settings/rights/").status_code == 403
    operator, admin = member(workspace, "operator"), member(workspace, "admin")
    assert "disabled" in operator.get("/settings/rights/").content.decode()
    assert operator.post("/settings/rights/", {"creator": "on"}).status_code == 403
    assert admin.post("/settings/rights/", {"creator": "on"}).status_code == 302
    page = admin.get("/settings/rights/").content.decode()
    assert 'name="creator" checked' in page
    assert 'name="licence" checked' not in page


def test_without_anything_prepared_the_list_by_title_still_stands(workspace: Workspace) -> None:
    load(workspace, source("a", ALPHA))
    assert not SourceRights.objects.exists()
    assert keys(workspace) == ["a"]
    assert member(workspace).get("/sources/").status_code == 200


def test_the_api_tells_the_same_and_lets_admins_set_what_is_demanded(
    workspace: Workspace, world: dict[str, Node]
) -> None:
    api = caller(workspace)
    found = api.get("/sources?missing=creator&language=pt").body
    assert [(item["title"], item["missing"], item["freshness"]) for item in found["items"]] == [
        ("On b", ["creator"], "never")
    ]
    assert found["total"] == 1
    assert api.get("/sources?sort=title").status == 422
    assert api.get("/settings/rights").body == {"creator": False, "licence": False}
    rules = {"creator": True, "licence": True}
    assert api.call("PUT", "/api/v1/settings/rights", json.dumps(rules).encode()).body == rules
    (refused,) = api.records(
        {"kind": "chunk", "key": "b-x", "document": "b-doc", "interval": {"start": 0, "end": 5}}
    )
    assert refused["problem"]["type"] == "/problems/rights-missing"
    assert (refused["status"], refused["problem"]["pointer"]) == ("rejected", "/records/0/document")
