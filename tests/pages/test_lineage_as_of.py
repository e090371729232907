"""The lineage as of a date: page, picture, table, file and API leave out what began later, and say what is undated."""

import json
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from lineage.graph.projection import project
from provexplorer.workspaces.models import Workspace
from tests.cases.world import answer, record, send, work
from tests.pages.world import member, uid

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("graph"), pytest.mark.one_pair]


def at(instant: str | None, *records: dict[str, Any]) -> list[dict[str, Any]]:
    kept = [
        {name: value for name, value in each.items() if name != "occurred_at"} for each in records
    ]
    return kept if instant is None else [{**each, "occurred_at": instant} for each in kept]


def answered(name: str) -> list[dict[str, Any]]:
    return answer(name, retrieved=["c1"], included=["c1"], cites=["c1"])


@pytest.fixture
def told(workspace: Workspace) -> Workspace:
    made = work("s1", "Alpha is one. Beta is two.", {"c1": (0, 13)})
    send(workspace, at("2026-01-05T08:00:00Z", *made))
    send(workspace, at("2026-02-01T23:30:00Z", *answered("february")))
    send(workspace, at("2026-04-01T10:00:00Z", *answered("april")))
    send(workspace, at(None, *answered("undated")))
    # The chunk is told again later: it was there before.
    send(workspace, at("2026-05-01T10:00:00Z", made[3]))
    project(workspace.pk)
    return workspace


def page_of(client: Client, told: Workspace, kind: str, key: str, query: str) -> str:
    response = client.get(f"/lineage/{uid(told, kind, key)}?{query}")
    assert response.status_code == 200
    return response.content.decode()


def drawn_and_listed(page: str) -> tuple[set[str], set[str]]:
    """The uids of answers in the picture and in the table."""
    picture, _, table = page.partition("</figure>")
    return (
        set(re.findall(r'data-uid="(ans_\w+)"', picture)),
        set(re.findall(r'<a class="written" href="/(?:lineage|answers)/(ans_\w+)', table)),
    )


# Dates and the answers that were there.
THERE = {
    "2026-01-31": {"undated"},
    "2026-02-01": {"undated", "february"},
    "2026-02-01T23:29:59Z": {"undated"},
    "2026-02-02T01:30:00+02:00": {"undated", "february"},
    "2026-06-01": {"undated", "february", "april"},
}


def test_page_picture_table_file_and_api_agree(told: Workspace) -> None:
    client = member(told)
    for as_of, there in THERE.items():
        assert_agree(client, told, as_of, there)


def assert_agree(client: Client, told: Workspace, as_of: str, there: set[str]) -> None:
    wanted = {uid(told, "answer", key) for key in there}
    query = f"direction=down&as_of={as_of.replace('+', '%2B')}"
    page = page_of(client, told, "source", "s1", query)
    assert drawn_and_listed(page) == (wanted, wanted)
    # Source, version, document and chunk; of each answer five nodes.
    said = re.search(r"(\d+) nodes, ", page)
    assert said is not None
    reply = client.get(f"/api/v1/nodes/{uid(told, 'source', 's1')}/downstream?{query}")
    found = json.loads(reply.content)
    assert {each["uid"] for each in found["nodes"] if each["kind"] == "answer"} == wanted
    assert len(found["nodes"]) == int(said[1]) == 4 + 5 * len(there)
    ends = {end for edge in found["edges"] for end in (edge["from"], edge["to"])}
    assert ends == {each["uid"] for each in found["nodes"]}
    assert "5 nodes of unknown time are kept." in page
    file = client.get(f"/lineage/{uid(told, 'source', 's1')}/picture.svg?{query}")
    text = "".join(ET.fromstring(file.content).itertext())
    assert f"{said[1]} nodes" in text
    assert "as of 2026-" in text
    assert "Show the lineage of today" in page


def test_upstream_ends_at_what_came_later(told: Workspace) -> None:
    send(told, [{**record("source", "s1"), "occurred_at": "2026-05-01T10:00:00Z"}])
    late = {
        "kind": "component",
        "key": "model",
        "component_kind": "model",
        "name": "m",
        "version": "1",
    }
    run = {"kind": "run", "key": "gen", "run_kind": "generate", "component": "model"}
    send(told, at("2026-04-15T10:00:00Z", late, run))
    send(told, at("2026-02-01T23:30:00Z", {**answered("february")[2], "run": "gen"}))
    project(told.pk)
    client = member(told)
    page = page_of(client, told, "answer", "february", "direction=up&as_of=2026-03-01")
    assert uid(told, "run", "gen") not in page.partition('<div class="around-table">')[2]
    assert uid(told, "source", "s1") in page
    page = page_of(client, told, "answer", "february", "direction=up&as_of=2026-05-01")
    assert uid(told, "component", "model") in page


def test_a_start_that_came_later_stands_alone_and_says_so(told: Workspace) -> None:
    page = page_of(member(told), told, "answer", "april", "as_of=2026-03-01")
    assert "itself came later" in page
    assert "1 node, 0 edges" in page


def test_without_a_date_nothing_is_left_out_and_what_is_no_date_is_refused(
    told: Workspace,
) -> None:
    client = member(told)
    plain = page_of(client, told, "source", "s1", "direction=down")
    assert len(drawn_and_listed(plain)[0]) == 3
    assert "Show the lineage of today" not in plain
    for wrong in ("yesterday", "2026-13-01", "2026-02-30T00:00:00Z"):
        page = page_of(client, told, "source", "s1", f"direction=down&as_of={wrong}")
        assert drawn_and_listed(page) == drawn_and_listed(plain)
        assert "This is no date: the lineage of today is shown." in page
        assert re.findall(f'(?:href|hx-get)="[^"]*as_of={wrong}', page) == []
        path = f"/api/v1/nodes/{uid(told, 'source', 's1')}/downstream?as_of={wrong}"
        assert client.get(path).status_code == 422


def test_a_bound_tells_nothing_of_today_under_a_past_date(
    told: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineage.pages.lineage.MOST_NODES", 6)
    client, later = member(told), uid(told, "answer", "april")
    assert later in page_of(client, told, "source", "s1", "direction=down")
    page = page_of(client, told, "source", "s1", "direction=down&as_of=2026-03-01")
    assert later not in page
    assert "This is a part" in page
