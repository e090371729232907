"""Home, lists and search: which of three causes left them empty, filters in the address, bad cursors."""

import re

import pytest
from django.test import Client

from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.nodes.world import withdraw
from tests.pages.world import htmx, member, record, send, uid, world

pytestmark = pytest.mark.django_db

LISTS = ("/answers/", "/sources/", "/components/", "/cases/")


@pytest.mark.parametrize("path", [*LISTS, "/search?q=revenue&"])
def test_a_cursor_of_another_list_offers_the_beginning(workspace: Workspace, path: str) -> None:
    send(workspace, world())
    joint = "" if path.endswith("&") else "?"
    response = member(workspace).get(f"{path}{joint}cursor=nonsense")
    assert response.status_code == 400
    assert f'href="{path.partition("?")[0]}">Open the page anew' in response.content.decode()


@pytest.mark.parametrize("path", LISTS[:3])
def test_an_empty_workspace_says_that_nothing_was_ingested(workspace: Workspace, path: str) -> None:
    reader = member(workspace).get(path).content.decode()
    assert "Nothing has been ingested yet" in reader
    assert "Ask an operator" in reader
    assert "POST /api/v1/records" in member(workspace, "operator").get(path).content.decode()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/answers/?state=stale", "Your filters hide every answer"),
        ("/sources/?q=nowhere", "Your words hide every source"),
        ("/components/?kind=ocr", "Your filters hide every component"),
        ("/cases/?state=paused", "Your filters hide every case"),
        ("/search?q=nowhere", "Nothing has these words"),
    ],
)
def test_filters_that_hide_all_offer_the_whole_list(
    workspace: Workspace, path: str, words: str
) -> None:
    send(workspace, world())
    page = member(workspace).get(path).content.decode()
    assert words in page
    assert '<p class="buttons"><a class="button" href=' in page


def test_a_list_is_a_fragment_for_htmx(workspace: Workspace) -> None:
    send(workspace, world())
    page = member(workspace).get("/answers/?state=current", headers=htmx("list")).content.decode()
    assert "<html" not in page
    assert uid(workspace, "answer", "cites") in page


def test_lists_page_on_by_a_link(workspace: Workspace) -> None:
    send(
        workspace,
        [record("answer", f"a{n:02}", question=f"Question {n}", text="Yes.") for n in range(35)],
    )
    client = member(workspace)
    first = client.get("/answers/").content.decode()
    assert first.count('class="answer-row"') == 30
    (older,) = [line for line in first.split('"') if line.startswith("/answers/?cursor=")]
    assert client.get(older).content.decode().count('class="answer-row"') == 5


@pytest.mark.parametrize(
    ("role", "shown", "missing"),
    [
        ("reader", ["Latest answers"], ["Components, the latest first", "Cases to decide"]),
        ("operator", ["Latest answers", "Components, the latest first"], ["Cases to decide"]),
        ("editor", ["Latest answers", "Components, the latest first", "Cases to decide"], []),
    ],
)
def test_home_shows_what_the_role_comes_for(
    workspace: Workspace, role: str, shown: list[str], missing: list[str]
) -> None:
    send(workspace, world())
    page = member(workspace, role).get("/").content.decode()
    assert [words for words in shown if words not in page] == []
    assert [words for words in missing if words in page] == []


def test_home_joins_a_notice_with_the_source_it_concerns(workspace: Workspace) -> None:
    notice = {"notice_kind": "correction", "concerns": "s"}
    elsewhere = {"notice_kind": "correction", "concerns": "unknown"}
    send(
        workspace,
        [
            *world(),
            record("source", "n", title="Erratum", source_kind="notice", doi="10.1/n", attributes=notice),
            record("source", "m", title="Other", source_kind="notice", attributes=elsewhere),
        ],
    )  # fmt: skip
    page = member(workspace, "editor").get("/").content.decode()
    source = uid(workspace, "source", "s")
    assert page.count("/cases/new?target=") == 1
    assert f"/cases/new?target={source}&amp;kind=correction&amp;evidence=10.1%2Fn" in page


def test_sources_name_the_creators_of_their_version_and_say_what_they_are(
    workspace: Workspace,
) -> None:
    creators = [{"name": "Lee Ethan"}, {"name": "Salic Adrian"}]
    send(
        workspace,
        [
            record("source", "a", title="Guideline"),
            record(
                "source_version", "a@1", source="a", creators=creators, valid_until="1999-12-31"
            ),
            record("source", "n", title="Erratum", source_kind="notice"),
        ],
    )
    client = member(workspace)
    page = client.get("/sources/").content.decode()
    guideline, notice = sorted(
        page.split('class="answer-row"')[1:], key=lambda row: "Erratum" in row
    )
    assert "Lee Ethan; Salic Adrian" in guideline
    assert "no longer valid since" in guideline
    assert '<span class="badge tone-calm">' not in guideline
    assert '<span class="badge tone-calm">' in notice
    assert "no longer valid" not in notice
    source = client.get(f"/sources/{uid(workspace, 'source', 'a')}").content.decode()
    assert '<p class="line written">Lee Ethan; Salic Adrian</p>' in source
    assert "No creator is stated." not in source
    assert source.count('data-state="lapsed"') == 2


def test_of_an_erased_source_the_list_says_no_more_than_that(workspace: Workspace) -> None:
    send(workspace, [record("source", "s", title="Guideline", publisher={"name": "Press"})])
    withdraw(workspace, Node.objects.get(workspace=workspace, key="s"), "erasure")
    page = member(workspace).get("/sources/").content.decode()
    assert "A source that was erased</a>" in page
    assert [each for each in ("Guideline", "not stated", "0 versions") if each in page] == []


def test_browsers_find_the_icon_where_they_ask_for_it() -> None:
    response = Client().get("/favicon.ico")
    assert response.status_code == 302
    assert response["Location"].endswith(".svg")


def test_sources_stand_by_title_and_hidden_ones_do_not_give_theirs_away(
    workspace: Workspace,
) -> None:
    titled = [record("source", f"k{n:02}", title=f"{n:02} title") for n in range(35, 0, -1)]
    secret = [
        record("source", "x", title="02 a secret"),
        record("source_version", "x@1", source="x", acl=["board"]),
    ]
    send(workspace, [*titled, *secret])
    client = member(workspace)
    first = client.get("/sources/").content.decode()
    (older,) = [line for line in first.split('"') if line.startswith("/sources/?cursor=")]
    second = client.get(older).content.decode()
    shown = [re.findall(r">(\d\d) title</a>", page) for page in (first, second)]
    assert [int(number) for number in shown[0]] == [*range(1, 31)]
    assert [int(number) for number in shown[1]] == [*range(31, 36)]
    assert "not visible to you" not in first
    assert second.count("A source that is not visible to you") == 1
    insider = member(workspace, groups=["board"]).get("/sources/").content.decode()
    assert insider.index("01 title") < insider.index("02 a secret") < insider.index("02 title")
