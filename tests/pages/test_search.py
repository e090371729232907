"""The page of hits: whole, as one types, and under the box of every page; what it says where it shows none."""

import re

import pytest
from django.test import Client

from lineage.ingest.search_due import index_due
from lineage.models import Node
from provexplorer.workspaces.models import Membership, User, Workspace
from tests.nodes.world import withdraw
from tests.pages.world import TITLE, htmx, member, record, send, uid, world

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

FOUND, SUGGESTED = htmx("found"), htmx("suggestions")


def page(client: Client, path: str, headers: dict[str, str] | None = None) -> str:
    response = client.get(path, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def titles(html: str) -> list[str]:
    """The titles of hits, with their marks."""
    return re.findall(r'class="title"><a href="[^"]*">(.*?)</a>', html)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/search", "The name that your own system gave a record, exactly."),
        ("/search?q=+", "The name that your own system gave a record, exactly."),
        ("/search?q=ne", "One or two letters are looked up as a whole word only"),
        ("/search?q=nowhere", "Nothing has these words"),
        ("/search?q=happened&kind=agent", "Your filters hide every hit"),
        ("/search?q=happened&state=stale", "Your filters hide every hit"),
        ("/search?q=nowhere&kind=cheese&state=cheese", "Nothing has these words"),
    ],
)
def test_where_nothing_is_found_the_page_says_why(
    workspace: Workspace, path: str, words: str
) -> None:
    send(workspace, world())
    html = page(member(workspace), path)
    assert words in html
    assert titles(html) == []


def test_hit_leads_to_the_page_of_its_kind_with_its_words_marked(workspace: Workspace) -> None:
    send(workspace, [*world(), record("source", "t", title="Tidal marshes of the north")])
    html = page(member(workspace), "/search?q=marsh+tid")
    assert titles(html) == ["<mark>Tid</mark>al <mark>marsh</mark>es of the north"]
    assert f'href="/sources/{uid(workspace, "source", "t")}"' in html
    assert '<p id="found-count" class="unseen" role="status">1 hit</p>' in html


def test_hostile_title_and_query_are_text(workspace: Workspace) -> None:
    send(workspace, [*world(), record("agent", "x", name="<script>alert(1)</script> svg \u202ex")])
    html = page(member(workspace), "/search?q=%22%3E%3Csvg+onload%3Dalert%283%29%3E")
    assert titles(html) == [
        "&quot;&gt;&lt;<mark>svg</mark> <mark>onload</mark>=<mark>alert</mark>(<mark>3</mark>)&gt;"
    ]
    assert TITLE not in html
    for headers in (None, FOUND, SUGGESTED):
        shown = page(member(workspace), "/search?q=svg", headers)
        assert "<script>alert" not in shown
        assert "\u202e" not in shown
        assert "U+202E" in shown


def test_hits_stand_by_kind_with_their_numbers(workspace: Workspace) -> None:
    many = [record("source", f"s{n}", title=f"Marsh {n}") for n in range(8)]
    send(workspace, [*many, record("agent", "a", name="Marsh, Ada")])
    client = member(workspace)
    html = page(client, "/search?q=marsh")
    assert len(titles(html)) == 7
    assert re.findall(r'<h2 id="found-(\w+)">\w+s <span class="count">(\d+)</span>', html) == [
        ("source", "8"), ("agent", "1"),
    ]  # fmt: skip
    (all_,) = re.findall(r'<a class="small" href="([^"]*)">All 8</a>', html)
    whole = page(client, all_.replace("&amp;", "&"))
    assert sorted(titles(whole)) == [f"<mark>Marsh</mark> {n}" for n in range(8)]
    # The other kind can still be chosen, with its number.
    assert re.search(
        r'href="/search\?q=marsh&amp;kind=agent"[^>]*>Creator <span class="count">1<', whole
    )


def test_hits_of_a_kind_page_on(workspace: Workspace) -> None:
    send(workspace, [record("source", f"s{n:02}", title=f"Marsh {n:02}") for n in range(35)])
    client = member(workspace)
    html = page(client, "/search?q=marsh&kind=source")
    first = titles(html)
    assert len(first) == 30
    (more,) = re.findall(r'class="button" href="([^"]*cursor=[^"]*)"', html)
    rest = titles(page(client, more.replace("&amp;", "&")))
    assert sorted(first + rest) == [f"<mark>Marsh</mark> {n:02}" for n in range(35)]


def test_state_filters_and_is_shown(workspace: Workspace) -> None:
    send(workspace, [record("source", key, title=f"Marsh {key}") for key in ("one", "two")])
    client = member(workspace)
    assert 'aria-label="State"' not in page(client, "/search?q=marsh")
    withdraw(workspace, Node.objects.get(workspace=workspace, key="one"))
    html = page(client, "/search?q=marsh")
    assert html.count('data-state="withdrawn"') == 1
    assert titles(page(client, "/search?q=marsh&state=withdrawn")) == ["<mark>Marsh</mark> one"]
    assert titles(page(client, "/search?q=marsh&state=active")) == ["<mark>Marsh</mark> two"]
    assert titles(page(client, "/search?q=marsh&state=active&kind=agent")) == []


def test_what_is_named_exactly_stands_first_with_its_kind(workspace: Workspace) -> None:
    send(workspace, [*world(), record("source", "t", title="An s of old")])
    html = page(member(workspace), "/search?q=s")
    assert html.index("Named exactly") < html.index('id="found-source"')
    assert '<span class="soft small kind">Source</span>' in html


def test_answer_shows_the_words_that_were_found_in_its_text(workspace: Workspace) -> None:
    send(workspace, world())
    index_due()
    html = page(member(workspace), "/search?q=revenue")
    assert "&lt;b&gt;What&lt;/b&gt; happened?" in html
    assert re.search(r'class="line written"><span><mark>Revenue</mark> <span class="control"', html)


def test_hidden_node_is_named_by_nothing(workspace: Workspace) -> None:
    send(workspace, world(acl=["staff"]))
    source = uid(workspace, "source", "s")
    client = member(workspace)
    for q in ("onload", "s", "Ada"):
        for headers in (None, FOUND, SUGGESTED):
            assert source not in page(client, f"/search?q={q}", headers)
    html = page(client, f"/search?q={source}")
    assert titles(html) == ["Not visible to you"]
    assert 'data-state="hidden"' in html
    assert titles(page(member(workspace, groups=["staff"]), f"/search?q={source}")) != titles(html)


def test_page_as_one_types_tells_its_number_and_its_address(workspace: Workspace) -> None:
    send(workspace, [*world(), record("source", "t", title="Tidal marshes")])
    headers = {**FOUND, "HX-Trigger-Name": "q"}
    response = member(workspace).get("/search?q=mars&kind=&state=", headers=headers)
    html = response.content.decode()
    assert "<html" not in html
    assert '<p id="found-count" hx-swap-oob="innerHTML">1 hit</p>' in html
    assert response.headers["HX-Replace-Url"] == "/search?q=mars"
    # A filter that was chosen has put its own address there.
    assert "HX-Replace-Url" not in member(workspace).get("/search?q=mars", headers=FOUND).headers


def test_chosen_filters_are_sent_with_what_is_typed_next(workspace: Workspace) -> None:
    send(workspace, world())
    html = page(member(workspace), "/search?q=happened&kind=answer&state=current")
    assert '<input type="hidden" name="kind" value="answer" form="search-form">' in html
    assert '<input type="hidden" name="state" value="current" form="search-form">' in html


def test_suggestions_are_the_first_of_each_kind_and_lead_to_all(workspace: Workspace) -> None:
    many = [record("source", f"s{n}", title=f"Marsh {n}") for n in range(8)]
    send(workspace, [*many, record("agent", "a", name="Marsh, Ada")])
    html = page(member(workspace), "/search?q=marsh", SUGGESTED)
    assert "<html" not in html
    assert html.count("<li>") == 4
    assert '<a href="/search?q=marsh">All 9 hits, with filters</a>' in html
    assert '<p id="suggestions-count" hx-swap-oob="innerHTML">9 hits</p>' in html
    assert "Nothing has these words" in page(member(workspace), "/search?q=nowhere", SUGGESTED)
    assert "Type three letters" in page(member(workspace), "/search?q=ne", SUGGESTED)


def test_every_page_has_the_box_as_a_form_and_the_page_of_hits_has_one_box(
    workspace: Workspace,
) -> None:
    send(workspace, world())
    client = member(workspace)
    box = re.search(
        r'<form class="bar-search"[^>]*action="/search" method="get">.*?</form>',
        page(client, "/answers/"),
        re.DOTALL,
    )
    assert box is not None
    assert 'name="q"' in box[0]
    assert page(client, "/search").count('type="search"') == 1


def test_filters_and_hits_stay_in_the_chosen_workspace(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="zz-other", name="Other")
    send(other, [record("source", f"s{n}", title=f"Marsh {n}") for n in range(8)])
    user = User.objects.create_user(username="two")
    for each in (workspace, other):
        Membership.objects.create(user=user, workspace=each, role="reader")
    client = Client()
    client.force_login(user)
    assert titles(page(client, f"/search?q=marsh&ws={workspace.slug}")) == []
    html = page(client, "/search?q=marsh&ws=zz-other")
    assert len(titles(html)) == 6
    assert 'href="/search?q=marsh&amp;kind=source&amp;ws=zz-other"' in html
    assert '<input type="hidden" name="ws" value="zz-other">' in html
