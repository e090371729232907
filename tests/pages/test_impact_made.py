"""What was made in some time, and by which versions, as pages ask and tell it; the same by the API and in an incident."""

import html
import re
from urllib.parse import parse_qs

import pytest
from django.test import Client, override_settings

from lineage.models import Incident
from provexplorer.workspaces.models import Workspace
from tests.impact.made_world import build
from tests.pages.world import member

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


@pytest.fixture(autouse=True)
def no_graph() -> object:
    with override_settings(NEO4J_URI="bolt://127.0.0.1:1"):
        yield


def read(client: Client, path: str, status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status, path
    body = b"".join(response) if response.streaming else response.content
    return html.unescape(body.decode())


def listed(page: str) -> set[str]:
    return set(re.findall(r'<a class="written" href="/answers/(\w+)', page))


def test_every_form_of_one_question_has_the_same_answers(workspace: Workspace) -> None:
    nodes, client = build(workspace), member(workspace, "operator")
    works = "&".join(f"node={nodes[name].uid}" for name in ("one", "three", "four"))
    for asked, names in (
        ("component=pdf&version_to=3.1&made_by=component&" + works, ("one",)),
        ("component=pdf&made_since=2026-02-01&made_until=2026-03-01", ("two", "three")),
        (f"made_by={nodes['p3.2'].uid}&made_since=2026-01-01&made_undated=1", ("three", "four")),
    ):
        answers = {nodes[f"a-{name}"].uid for name in names}
        page = read(client, f"/impact/?{asked}")
        assert listed(page) == answers
        ask = "?" + asked
        found = client.get(f"/api/v1/impact{ask}").json()
        assert {item["uid"] for item in found["items"]} == answers
        assert found["total"] == sum(found["counts"].values()) == len(answers)
        for path in ("csv", "jsonl", "prov"):
            text = read(client, f"/api/v1/impact.{path}{ask}")
            assert set(re.findall(r"ans_[a-z2-7]{26}", text)) == answers, path
        opened = client.post(f"/incidents/new{ask}", {"title": "Signs", "watching": "on"})
        incident = Incident.objects.get(uid=opened["Location"].rpartition("/")[2])
        assert (incident.total, incident.targets_kept) == (len(answers), True)
        assert f"{len(answers)}" in read(client, opened["Location"])
        # The form holds the whole question, and asks it again.
        form = read(client, f"/impact/{ask}&edit=1")
        for name, values in parse_qs(asked).items():
            for value in values:
                shown = re.search(rf'name="{name}"[^>]*value="{re.escape(value)}"([^>]*)', form)
                assert shown, (name, value)
                assert "checked" in shown[1] or 'type="checkbox"' not in shown[0], (name, value)


def test_runs_without_a_time_are_told_and_can_be_counted(workspace: Workspace) -> None:
    nodes, client = build(workspace), member(workspace)
    ask = "/impact/?component=pdf&made_until=2026-02-01"
    page = read(client, ask)
    assert "1 run is of this time." in page
    assert "1 run states no time." in page
    assert "before 2026-02-01 00:00 UTC" in page
    counted, alone = re.findall(r'<a href="([^"]+)">(?:Count it, too|See it alone)</a>', page)
    assert listed(read(client, counted)) == {nodes["a-one"].uid, nodes["a-four"].uid}
    assert listed(read(client, alone)) == {nodes["a-four"].uid}
    (out,) = re.findall(r'<a href="([^"]+)">Leave it out</a>', read(client, counted))
    assert listed(read(client, out)) == {nodes["a-one"].uid}
    runs = client.get(ask.replace("/impact/", "/api/v1/impact")).json()["runs"]
    one = {"number": 1, "at_least": False}
    assert runs == {"dated": one, "undated": one, "counted_in": False}
    csv = ask.replace("/impact/", "/api/v1/impact.csv")
    assert client.get(csv)["Provexplorer-Undated-Runs"] == "1"
    assert "Provexplorer-Undated-Runs" not in client.get(f"{csv}&made_undated=1")
    assert client.get("/api/v1/impact?component=pdf").json()["runs"] is None
    assert "of this time" not in read(client, "/impact/?component=pdf")
    # A component's own page begins the question.
    own = read(client, f"/components/{nodes['p3.1'].uid}")
    form = re.search(
        r'<input type="hidden" name="made_by" value="(\w+)">.*?made_since', own, re.DOTALL
    )
    assert form
    assert form[1] == nodes["p3.1"].uid


def test_what_cannot_be_asked_of_a_time_is_told(workspace: Workspace) -> None:
    nodes, client = build(workspace), member(workspace)
    for asked, words in (
        (f"node={nodes['one'].uid}&made_since=2026-01-01", "Say which component made it"),
        (f"node={nodes['one'].uid}&made_by=component", "Say which component made it"),
        ("component=pdf&made_since=soon", "This is no date."),
        ("component=pdf&made_since=2026-02-01&made_until=2026-01-01", "ends before it has begun"),
        (f"component=pdf&made_by=component&made_by={nodes['p3.1'].uid}", "Only one of these"),
    ):
        page = read(client, f"/impact/?{asked}", 422)
        assert words in page
        (anchor,) = re.findall(r'<li><a href="#(\w+)">', page)
        assert f'id="{anchor}"' in page
    # A node's own page is of that node alone.
    own = f"/lineage/{nodes['p3.1'].uid}/impact"
    assert len(listed(read(client, f"{own}?component=pdf&made_since=2026-02-01"))) == 2
