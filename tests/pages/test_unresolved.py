"""`/unresolved/`: for operators, from the home page to an accepted match and back, by plain forms."""

import pytest

from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.workspaces.models import Workspace
from tests.pages.world import htmx, member, record, send, uid

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

MARKUP = "<b>m</b>#1"


def missing_chunk(workspace: Workspace) -> str:
    """The uid of a chunk that an answer has in context under a wrong key."""
    send(
        workspace,
        [
            record("document", "d", source_version="v", text="Alpha is one."),
            record("chunk", f"docs/{MARKUP}", document="d", interval={"start": 0, "end": 5}),
            record("context", "x", items=[{"chunk": MARKUP}]),
            record("answer", "a", context="x", text="Yes."),
        ],
    )
    return uid(workspace, "chunk", MARKUP)


def test_readers_have_no_such_page(workspace: Workspace) -> None:
    key = missing_chunk(workspace)
    reader = member(workspace)
    assert reader.get("/unresolved/").status_code == 403
    assert reader.get(f"/unresolved/{key}").status_code == 403
    assert reader.post(f"/unresolved/{key}/accept", {"target": key}).status_code == 403
    assert "/unresolved/" not in reader.get("/").content.decode()


def test_a_strangers_key_is_unknown(workspace: Workspace) -> None:
    key = missing_chunk(workspace)
    stranger = member(Workspace.objects.create(slug="other", name="other"), "operator")
    assert stranger.get(f"/unresolved/{key}").status_code == 404
    assert stranger.post(f"/unresolved/{key}/undo").status_code == 404


def test_faulty_requests_change_nothing(workspace: Workspace) -> None:
    key = missing_chunk(workspace)
    operator = member(workspace, "operator")
    assert operator.get("/unresolved/?cursor=nonsense").status_code == 400
    assert operator.get(f"/unresolved/{key}/accept").status_code == 405
    assert operator.post(f"/unresolved/{key}/explode").status_code == 404
    refused = operator.post(f"/unresolved/{key}/accept", {"target": " \0nothing "}, follow=True)
    assert refused.status_code == 200
    assert "Nothing of this kind that was sent has this id." in refused.content.decode()
    assert operator.post(f"/unresolved/{key}/reject", {"target": key}).status_code == 404


def test_from_home_to_an_accepted_match_and_back(workspace: Workspace) -> None:
    key = missing_chunk(workspace)
    operator = member(workspace, "operator")
    assert 'href="/unresolved/"' in operator.get("/").content.decode()
    listing = operator.get("/unresolved/?kind=chunk").content.decode()
    assert f'href="/unresolved/{key}"' in listing
    assert "<b>m</b>" not in listing
    page = operator.get(f"/unresolved/{key}").content.decode()
    target = uid(workspace, "chunk", f"docs/{MARKUP}")
    assert f'name="target" value="{target}"' in page
    assert "<b>m</b>" not in page
    done = operator.post(f"/unresolved/{key}/accept", {"target": f" {target} "}, follow=True)
    assert f'action="/unresolved/{key}/undo"' in done.content.decode()
    assert operator.get(f"/unresolved/{key}").status_code == 301
    undone = operator.post(f"/unresolved/{key}/undo", follow=True).content.decode()
    assert f'href="/unresolved/{key}"' in undone
    assert "undo" not in undone.partition("<main")[2].partition("Named since")[2]


def test_the_lineage_of_a_missing_key_leads_there(
    workspace: Workspace, graph: GraphAddress
) -> None:
    key = missing_chunk(workspace)
    link = f'href="/unresolved/{key}"'
    assert link in member(workspace, "operator").get(f"/lineage/{key}").content.decode()
    assert link not in member(workspace).get(f"/lineage/{key}").content.decode()


def test_a_rejected_match_goes_and_comes_back(workspace: Workspace) -> None:
    key = missing_chunk(workspace)
    operator = member(workspace, "operator")
    target = uid(workspace, "chunk", f"docs/{MARKUP}")
    page = operator.post(f"/unresolved/{key}/reject", {"target": target}, follow=True)
    assert target not in page.content.decode()
    page = operator.post(f"/unresolved/{key}/suggest-again", follow=True)
    assert target in page.content.decode()


def test_the_list_is_a_fragment_for_htmx(workspace: Workspace) -> None:
    key = missing_chunk(workspace)
    client = member(workspace, "operator")
    part = client.get("/unresolved/", headers=htmx("list")).content.decode()
    assert "<html" not in part
    assert key in part


def test_nothing_missing_says_so(workspace: Workspace) -> None:
    client = member(workspace, "operator")
    assert "Nothing is missing" in client.get("/unresolved/").content.decode()
    page = client.get("/unresolved/?kind=chunk").content.decode()
    assert "Your filter hides every key" in page
