"""Works of Crossref over HTTP: a work, a list, a reply, one a line; what each comes to."""

import gzip
import json
from typing import Any

import pytest

from lineage.models import InboxPayload, Node
from provexplorer.workspaces.models import Workspace
from tests.api.caller import Caller, Reply, assert_problem, caller
from tests.notices.world import DATA

pytestmark = [pytest.mark.one_pair, pytest.mark.usefixtures("graph")]

WORK: dict[str, Any] = {
    "DOI": "10.5555/Abc", "title": ["On the motion of things"], "type": "journal-article",
    "publisher": "A publisher", "author": [{"given": "Ada", "family": "One"}],
    "deposited": {"date-time": "2026-01-02T00:00:00Z"},
    "license": [{"URL": "https://creativecommons.org/licenses/by/4.0/", "content-version": "vor",
                 "start": {"date-parts": [[2020, 1, 1]]}}],
}  # fmt: skip


def send(api: Caller, body: object, media_type: str = "application/json", **headers: str) -> Reply:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return api.call("POST", "/api/v1/crossref", data, media_type, **headers)


@pytest.mark.parametrize(
    ("body", "media_type", "slug", "status"),
    [
        (b"", "application/json", "body-unreadable", 400),
        (b"{nonsense", "application/json", "body-unreadable", 400),
        (b'{"status": "ok"}', "application/json", "body-unreadable", 400),
        (b"[]", "text/csv", "media-type-unsupported", 415),
        (b"\x1f\x8b nonsense", "application/json", "body-unreadable", 400),
    ],
)
def test_a_body_without_works_is_refused_and_not_kept(
    workspace: Workspace, body: bytes, media_type: str, slug: str, status: int
) -> None:
    assert_problem(send(caller(workspace), body, media_type), slug, status)
    assert not InboxPayload.objects.filter(workspace=workspace).exists()


@pytest.mark.parametrize(
    ("scopes", "lacking"),
    [(["read", "operate", "edit"], "ingest"), (["ingest:prov"], "ingest:crossref")],
    ids=str,
)
def test_it_asks_for_what_every_format_asks_for(
    workspace: Workspace, scopes: list[str], lacking: str
) -> None:
    reply = send(caller(workspace, scopes), WORK)
    assert_problem(reply, "scope-missing", 403)
    assert reply.body["scope"] == lacking
    assert not InboxPayload.objects.filter(workspace=workspace).exists()


def test_a_key_may_be_kept_to_works_of_crossref(workspace: Workspace) -> None:
    api = caller(workspace, ["ingest:crossref"])
    assert send(api, WORK).status == 200
    assert api.call("POST", "/api/v1/records", b'{"records": []}').status == 403


def test_a_work_without_a_doi_is_told_and_the_others_are_stored(workspace: Workspace) -> None:
    reply = send(caller(workspace), [{"title": ["Nameless"]}, WORK, 7])
    assert (reply.status, reply.body["received"], reply.body["rejected"]) == (200, 3, 2)
    told = [(one["index"], one["status"], one["kind"]) for one in reply.body["outcomes"]]
    assert told == [
        (0, "rejected", "source"), (1, "stored", "agent"), (1, "stored", "source"),
        (1, "stored", "source_version"), (2, "rejected", "source"),
    ]  # fmt: skip
    problem = reply.body["outcomes"][0]["problem"]
    assert (problem["type"], problem["pointer"]) == ("/problems/field-missing", "/0")


@pytest.mark.parametrize("shape", ["work", "reply", "page", "list", "lines", "packed"])
def test_the_same_work_in_every_shape(workspace: Workspace, shape: str) -> None:
    line = json.dumps(WORK).encode()
    body, media_type, headers = {
        "work": (line, "application/json", {}),
        "reply": (json.dumps({"status": "ok", "message": WORK}).encode(), "application/json", {}),
        "page": (json.dumps({"message": {"items": [WORK]}}).encode(), "application/json", {}),
        "list": (b"[" + line + b"]", "application/json", {}),
        "lines": (line + b"\n\n", "application/x-ndjson", {}),
        "packed": (gzip.compress(line), "application/json", {"Content-Encoding": "gzip"}),
    }[shape]
    reply = send(caller(workspace), body, media_type, **headers)
    assert (reply.status, reply.body["received"], reply.body["stored"]) == (200, 1, 3)
    version = Node.objects.get(workspace=workspace, kind="source_version")
    assert (version.key, version.fields["license"]) == ("10.5555/abc@crossref", "CC-BY-4.0")
    assert version.parent is not None
    assert version.parent.fields["doi"] == "10.5555/abc"
    again = send(caller(workspace), body, media_type, **headers)
    assert (again.body["stored"], again.body["unchanged"]) == (0, 3)
    row = InboxPayload.objects.filter(workspace=workspace).latest("id")
    assert (row.format, row.state, row.items) == ("crossref", "applied", 3)


def test_a_work_that_is_known_here_is_that_source(workspace: Workspace) -> None:
    api = caller(workspace)
    api.records({"kind": "source", "key": "mine", "title": "My words", "doi": "10.5555/ABC"})
    send(api, WORK)
    sources = Node.objects.filter(workspace=workspace, kind="source", resolved=True)
    assert [node.key for node in sources] == ["mine"]


def test_the_sample_over_http_is_what_the_command_makes_of_it(workspace: Workspace) -> None:
    from django.core.management import call_command

    data = (DATA / "crossref" / "works_dev.jsonl").read_bytes()
    reply = send(caller(workspace), data, "application/x-ndjson")
    works = len(data.splitlines())
    assert (reply.body["received"], reply.body["rejected"]) == (works, 0)
    other = Workspace.objects.create(slug="by-command", name="by command")
    path = DATA / "crossref" / "works_dev.jsonl"
    call_command("load", str(path), "--format", "crossref", "--workspace", "by-command")

    def standing(of: Workspace) -> list[tuple[Any, ...]]:
        rows = Node.objects.filter(workspace=of).order_by("kind", "key")
        return list(rows.values_list("kind", "key", "fields", "attributes"))

    assert standing(workspace) == standing(other)
    assert len(standing(workspace)) > 3 * works
