"""The pages of a creator: who, the credit they get, their works, and the answers on them."""

import re

import pytest

from provexplorer.workspaces.models import Workspace
from tests.citations.credited_world import ORCID, credited_world
from tests.nodes.world import ALPHA, load, source
from tests.pages.world import htmx, member, record

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


def test_the_page_says_who_it_is_and_links_what_can_be_linked(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    page = member(workspace).get(f"/creators/{nodes['ann'].uid}").content.decode()
    assert "<h1>Ann Author</h1>" in page
    assert f'href="https://orcid.org/{ORCID}"' in page
    assert f"/creators/{nodes['ann'].uid}/answers?credit=uncredited" in page
    assert f"/creators/{nodes['ann'].uid}/answers?work={nodes['w1'].uid}" in page
    assert "On w1" in page
    # w4 is of staff only.
    assert "On w4" not in page
    assert "A source that is not visible to you" in page


def test_numbers_of_the_page_are_those_of_the_lists_they_lead_to(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    client = member(workspace)
    page = client.get(f"/creators/{nodes['ann'].uid}").content.decode()
    tiles = re.findall(r'href="([^"]+credit=\w+)"><span class="figure">(\d+)<', page)
    assert {path.rpartition("=")[2]: number for path, number in tiles} == {
        "named": "1", "beyond": "1", "uncredited": "2",
    }  # fmt: skip
    for path, number in tiles:
        listed = client.get(path).content.decode()
        assert len(re.findall(r'class="title" dir="auto"><a href="/answers/', listed)) == int(
            number
        )


def test_the_list_shows_claims_and_filters_as_a_fragment(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    client, path = member(workspace), f"/creators/{nodes['ann'].uid}/answers"
    part = client.get(f"{path}?credit=named", headers=htmx("list")).content.decode()
    assert part.lstrip().startswith('<div class="filters">')
    assert (
        f'<a class="written" dir="auto" href="/citations/{nodes["q-one"].uid}">Alpha is one.</a>'
        in part
    )
    assert "a-two" not in part
    empty = client.get(f"{path}?credit=published").content.decode()
    assert "No answer is of this kind" in empty


@pytest.mark.parametrize("path", ["", "/answers"])
def test_a_cursor_of_elsewhere_is_a_bad_request(workspace: Workspace, path: str) -> None:
    nodes = credited_world(workspace)
    response = member(workspace).get(f"/creators/{nodes['ann'].uid}{path}?cursor=x")
    assert response.status_code == 400


def test_a_work_of_others_in_the_address_is_not_found(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    client, path = member(workspace), f"/creators/{nodes['ann'].uid}/answers"
    for work in (nodes["w2"].uid, nodes["w4"].uid, "src_" + "a" * 26, "nonsense"):
        assert client.get(f"{path}?work={work}").status_code == 404


def test_a_hidden_creator_tells_nothing(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        [record("agent", "ann", name="Ann Secret", orcid=ORCID)],
        source("s", ALPHA, acl=["staff"], title="Secret work", creators=[{"agent": "ann"}]),
    )
    uid = nodes["ann"].uid
    client = member(workspace)
    for path in ("", "/answers"):
        page = client.get(f"/creators/{uid}{path}").content.decode()
        assert "Not visible to you" in page
        assert not re.search(r"Secret|0000-0002|correction", page)
    assert (
        "Ann Secret" in member(workspace, groups=["staff"]).get(f"/creators/{uid}").content.decode()
    )


def test_roles_narrow_the_works(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    client, path = member(workspace), f"/creators/{nodes['ann'].uid}"
    part = client.get(f"{path}?role=editor", headers=htmx("works")).content.decode()
    assert part.lstrip().startswith('<section class="section"')
    assert ("On w5" in part, "On w1" in part) == (True, False)
    assert "Your filter hides every work" in client.get(f"{path}?role=publisher").content.decode()


def test_readers_ask_and_operators_file(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    path = f"/creators/{nodes['ann'].uid}"
    ask, file = f"/corrections/about/{nodes['ann'].uid}", "/cases/new?target="
    reader, operator = (
        member(workspace, role).get(path).content.decode() for role in ("reader", "operator")
    )
    assert (ask in reader, file in reader) == (True, False)
    assert (ask in operator, file in operator) == (False, True)
