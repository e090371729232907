"""GET /impact and its exports over HTTP: parameters, problems, streams; the same question everywhere."""

import csv
import io
import json
from typing import Any

import pytest

from provexplorer.workspaces.models import Workspace
from tests.api.caller import Caller, assert_problem, caller
from tests.api.world import ABSENT, answer, source

pytestmark = pytest.mark.django_db
EXPORTS = ("/impact.csv", "/impact.jsonl", "/impact.prov")


@pytest.fixture
def api(workspace: Workspace) -> Caller:
    return caller(workspace)


def streamed(api: Caller, path: str) -> tuple[str, dict[str, str]]:
    response: Any = api.client.get(f"/api/v1{path}", headers={"Authorization": f"Bearer {api.key}"})
    assert response.status_code == 200, response
    body = b"".join(response) if response.streaming else response.content
    return body.decode(), dict(response.headers)


@pytest.mark.parametrize("path", ["/impact", *EXPORTS])
@pytest.mark.parametrize(
    ("query", "pointer", "detail"),
    [
        ("grade=cheese", "/grade", "Unknown: cheese."),
        ("since=soon", "/since", "To be a date or an instant of RFC 3339."),
        ("sort=newest&sort=oldest", "/sort", "At most one value."),
        ("component=p&colour=red", "/colour", "Unknown parameter."),
        (
            "component=p&version_from=2&version_to=1",
            "/version_from",
            "Comes after `version_to`.",
        ),
    ],
)
def test_what_cannot_be_read_is_a_problem(
    api: Caller, path: str, query: str, pointer: str, detail: str
) -> None:
    reply = api.get(f"{path}?{query}")
    assert_problem(reply, "invalid-request", 422)
    assert reply.body["errors"] == [{"in": "query", "pointer": pointer, "detail": detail}]


def test_a_component_is_not_narrowed_to_what_one_made(api: Caller) -> None:
    made = api.records(
        {"kind": "component", "key": "p", "component_kind": "parser", "name": "p", "version": "1"}
    )
    (uid,) = (each["uid"] for each in made)
    for path in ("/impact", *EXPORTS):
        for query, pointer in ((f"node={uid}", "/node"), ("component=p", "/component")):
            reply = api.get(f"{path}?{query}&made_by={uid}")
            assert_problem(reply, "invalid-request", 422)
            assert reply.body["errors"][0]["pointer"] == pointer


def test_foreign_and_unknown_uids_are_not_found_alike(api: Caller, workspace: Workspace) -> None:
    other = caller(Workspace.objects.create(slug=f"{workspace.slug}-2", name="other"))
    foreign = {o["uid"][:3]: o["uid"] for o in other.records(*source(), *answer())}
    kept = other.post("/impact/sets", {"lines": [foreign["src"]]}).body["uid"]
    assert kept.startswith("set_")
    for path in ("/impact", *EXPORTS):
        for name in ("node", "made_by"):
            asked = (foreign["src"], foreign["ans"], kept, f"src_{ABSENT}", f"set_{ABSENT}", "x")
            replies = [api.get(f"{path}?{name}={uid}") for uid in asked]
            for reply in replies:
                assert_problem(reply, "not-found", 404)
                assert (reply.body, reply.headers) == (replies[0].body, replies[0].headers)
    found = api.post("/impact/sets", {"lines": [foreign["src"], "s"]}).body
    assert found["uid"] is None
    assert {line["verdict"] for line in found["lines"]} == {"unknown"}


def test_one_question_is_the_same_everywhere(api: Caller) -> None:
    uids = {o["uid"][:3]: o["uid"] for o in api.records(*source(), *answer())}
    ask = f"?node={uids['src']}&grade=&sort=oldest"
    found = api.get(f"/impact{ask}").body
    assert found["question"] == f"node={uids['src']}&sort=oldest"
    assert [item["uid"] for item in found["items"]] == [uids["ans"]]
    assert (found["total"], found["next"]) == (1, None)
    assert found["counts"]["cited"] == 1
    facets = {facet["name"]: facet["values"] for facet in found["facets"]}
    assert facets["grade"] == [{"value": "cited", "count": 1}]
    assert facets["source"] == [{"value": uids["src"], "count": 1}]
    assert found["stages"]["counts"]["claim"] == 1
    assert found["counted"]["done"] == found["counted"]["steps"]
    bare = api.get(f"/impact{ask}&numbers=false").body
    assert bare["items"] == found["items"]
    assert (bare["counts"], bare["total"], bare["facets"]) == (None, None, [])
    own = api.get(f"/nodes/{uids['src']}/impact").body
    assert own["items"] == found["items"]
    assert own["counts"] == found["counts"]

    text, headers = streamed(api, f"/impact.csv{ask}")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["answer"] for row in rows] == [uids["ans"]]
    assert rows[0]["address"] == f"http://testserver/answers/{uids['ans']}"
    assert headers["Content-Disposition"] == 'attachment; filename="affected-answers.csv"'
    lines, _ = streamed(api, f"/impact.jsonl{ask}")
    assert [json.loads(line)["answer"] for line in lines.splitlines()] == [uids["ans"]]
    document, headers = streamed(api, f"/impact.prov{ask}&format=json")
    assert uids["ans"] in document
    assert "Provexplorer-Truncated" not in headers
    assert streamed(api, f"/impact.prov{ask}&format=turtle")[1]["Content-Type"].startswith(
        "text/turtle"
    )

    kept = api.post("/impact/sets", {"lines": ["s", uids["src"], "nobody"]}).body
    assert [line["verdict"] for line in kept["lines"]] == ["found", "found", "unknown"]
    assert api.get(f"/impact?node={kept['uid']}").body["items"] == found["items"]


def test_nothing_asked_is_an_empty_report(api: Caller) -> None:
    found = api.get("/impact").body
    assert (found["total"], found["items"], found["question"]) == (0, [], "")
