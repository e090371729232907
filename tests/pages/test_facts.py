"""Pages of facts: their chain, what contradicts them, and the authority that sorts them."""

import pytest

from provexplorer.workspaces.models import Workspace
from tests.pages.world import member, record, send, uid

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

SAYS = "<b>1890</b>"


def two_facts(workspace: Workspace) -> None:
    send(
        workspace,
        [
            one
            for name, said in (("a", SAYS), ("b", "1891"))
            for one in (
                record("source", name, title=f"Work {name}"),
                record("source_version", f"{name}@1", source=name),
                record("document", f"{name}-d", source_version=f"{name}@1", text="Text."),
                record("chunk", f"{name}-c", document=f"{name}-d", interval={"start": 0, "end": 4}),
                record("fact", f"f{name}", subject_of=f"{name}-c", subject="The port",
                       predicate="opened in", object=said),
            )
        ],
    )  # fmt: skip


def test_a_strangers_fact_is_unknown_and_a_bad_cursor_offers_the_beginning(
    workspace: Workspace,
) -> None:
    two_facts(workspace)
    stranger = member(Workspace.objects.create(slug="other", name="other"), "editor")
    fact, source = uid(workspace, "fact", "fa"), uid(workspace, "source", "a")
    assert stranger.get(f"/facts/{fact}").status_code == 404
    assert stranger.post(f"/sources/{source}/authority", {"authority": "1"}).status_code == 404
    assert member(workspace).get("/facts/contradictions?cursor=x").status_code == 400


def test_a_fact_shows_its_chain_and_the_other_side(workspace: Workspace) -> None:
    two_facts(workspace)
    fact = uid(workspace, "fact", "fa")
    page = member(workspace).get(f"/facts/{fact}").content.decode()
    main = page.partition("<main")[2]
    for kind, key, place in (
        ("chunk", "a-c", "passages"), ("document", "a-d", "passages"),
        ("source", "a", "sources"), ("source", "b", "sources"), ("fact", "fb", "facts"),
    ):  # fmt: skip
        assert f'href="/{place}/{uid(workspace, kind, key)}"' in main
    assert "Others say" in main
    assert "&lt;b&gt;1890&lt;/b&gt;" in main
    assert SAYS not in page


def test_the_list_is_reached_from_the_operators_home(workspace: Workspace) -> None:
    operator = member(workspace, "operator")
    assert "/facts/contradictions" not in operator.get("/").content.decode()
    assert "No contradictory facts" in operator.get("/facts/contradictions").content.decode()
    two_facts(workspace)
    assert 'href="/facts/contradictions"' in operator.get("/").content.decode()
    page = operator.get("/facts/contradictions").content.decode()
    assert page.index("1891") > 0
    assert SAYS not in page


def test_editors_set_the_authority_on_the_page_of_the_source(workspace: Workspace) -> None:
    two_facts(workspace)
    source = uid(workspace, "source", "b")
    address = f"/sources/{source}/authority"
    operator, editor = member(workspace, "operator"), member(workspace, "editor")
    assert address not in operator.get(f"/sources/{source}").content.decode()
    assert operator.post(address, {"authority": "7"}).status_code == 403
    assert editor.get(address).status_code == 405
    for wrong in ("", "1.5", "seven", "100000"):
        page = editor.post(address, {"authority": wrong}, follow=True).content.decode()
        assert "The authority is a whole number" in page
    page = editor.post(address, {"authority": " 7 "}, follow=True).content.decode()
    assert 'value="7"' in page
    listed = editor.get("/facts/contradictions").content.decode().partition("<main")[2]
    assert listed.index("1891") < listed.index("1890")
    editor.post(address, {"authority": "-7"})
    listed = editor.get("/facts/contradictions").content.decode().partition("<main")[2]
    assert listed.index("1890") < listed.index("1891")
