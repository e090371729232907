"""Pages that tell what changed: by address, without JavaScript, and for those who do not see colours."""

import re
import time
from typing import Any

import pytest
from django.test import Client

from citations.templatetags.differences import names_version
from citations.versions import Version
from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.nodes.world import withdraw
from tests.pages.world import PASSAGE, TEXT, htmx, member, record, send, uid, world
from tests.thorough import long_only

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

# Bug case D16 in what was added: markup, and a mark that reorders what follows it.
HOSTILE = "<script>alert(4)</script> now\u202e"


def later(text: str = TEXT.replace("revenue", HOSTILE), **version: Any) -> list[dict[str, Any]]:
    return [
        record("source_version", "s@2", source="s", version="2", published_at="2026-05-01", **version),
        record("document", "d2", source_version="s@2", text=text),
    ]  # fmt: skip


def html(client: Client, path: str, status: int = 200, **headers: Any) -> str:
    response = client.get(path, **headers)
    assert response.status_code == status
    return response.content.decode()


def difference(workspace: Workspace) -> str:
    return f"/sources/{uid(workspace, 'source', 's')}/difference"


def test_a_difference_is_told_by_elements_and_words(workspace: Workspace) -> None:
    send(workspace, [*world(), *later()])
    page = html(member(workspace), difference(workspace))
    (removed,) = re.findall(r"<del>(.*?)</del>", page)
    (added,) = re.findall(r"<ins>(.*?)</ins>", page)
    assert removed == '<span class="unseen">[removed: </span>revenue<span class="unseen">]</span>'
    assert added.startswith('<span class="unseen">[added: </span>&lt;script&gt;alert(4)')
    assert 'title="U+202E RIGHT-TO-LEFT OVERRIDE"' in added
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert 'data-state="changed"' in page


def test_any_two_versions_are_chosen_by_a_form(workspace: Workspace) -> None:
    send(workspace, [*world(), *later()])
    client, path = member(workspace), difference(workspace)
    first, second = (uid(workspace, "source_version", key) for key in ("s@1", "s@2"))
    source = html(client, path.removesuffix("/difference"))
    assert f'<form class="compare no-print" method="get" action="{path}">' in source
    assert re.findall(r'<option value="([^"]+)" selected>', source) == [first, second]
    assert f'href="{path}?from={first}&amp;to={second}"' in source
    turned = html(client, f"{path}?from={second}&to={first}")
    assert re.findall(r'<option value="([^"]+)" selected>', turned) == [second, first]
    assert "[added: </span>revenue<" in turned
    same = html(client, f"{path}?from={first}&to={first}&page=x")
    assert "It reads as it did, word for word." in same
    near = html(client, f"{path}?around={uid(workspace, 'chunk', 'c')}")
    assert "Only what stands at one passage: 1 of 1 places." in near
    for wrong in ("from=x", f"to={uid(workspace, 'document', 'd')}"):
        html(client, f"{path}?{wrong}", 404)


def test_a_difference_is_for_those_who_may_see_both_versions(workspace: Workspace) -> None:
    send(workspace, [*world(), *later(acl=["insiders"])])
    path = difference(workspace)
    outsider = html(member(workspace, groups=["x"]), path)
    assert "Nothing to compare" in outsider
    assert "alert(4)" not in outsider
    assert "alert(4)" in html(member(workspace, groups=["insiders"]), path)
    other = Workspace.objects.create(slug="elsewhere", name="elsewhere")
    html(member(other), path, 404)
    assert Client().get(path).status_code == 302


def test_what_has_become_of_a_passage_is_told_on_its_page_and_folded_in_its_card(
    workspace: Workspace,
) -> None:
    send(workspace, [*world(), *later()])
    client, citation = member(workspace), uid(workspace, "citation", "q1")
    path = f"/citations/{citation}"
    page = html(client, path)
    assert "As retrieved" in page
    assert 'data-state="changed"' in page
    assert "The marked words themselves are no longer there as they were." in page
    card = html(client, path, headers=htmx("card-1"))
    assert "As retrieved" not in card
    assert f'<a href="{path}/since" hx-get="{path}/since" hx-target="#since-{citation}"' in card
    part = html(client, f"{path}/since", headers=htmx(f"since-{citation}"))
    assert "<html" not in part
    assert "As retrieved" in part
    assert "As retrieved" in html(client, f"{path}/since")


def test_a_passage_of_the_newest_version_says_so(workspace: Workspace) -> None:
    send(workspace, world())
    page = html(member(workspace), f"/citations/{uid(workspace, 'citation', 'q1')}/since")
    assert "No newer version with a text is held here" in page
    assert "<del>" not in page


def test_a_hidden_passage_is_not_compared(workspace: Workspace) -> None:
    send(workspace, [*world(acl=["insiders"]), *later()])
    citation = uid(workspace, "citation", "q1")
    for path in (f"/citations/{citation}", f"/citations/{citation}/since"):
        page = html(member(workspace, groups=["x"]), path)
        assert "As retrieved" not in page
        assert "fell" not in page


def test_versions_of_an_answer_lead_to_what_changed(workspace: Workspace) -> None:
    send(workspace, [
        *world(),
        record("answer", "again", context="x1", question="?", text=f"<b>Revenue</b> rose. {HOSTILE}", revision_of="cites"),
    ])  # fmt: skip
    client = member(workspace)
    old, new = (uid(workspace, "answer", key) for key in ("cites", "again"))
    path = f"/answers/{new}/since/{old}"
    for answer in (old, new):
        assert f'href="{path}"' in html(client, f"/answers/{answer}")
    page = html(client, path)
    assert "&lt;script&gt;alert(4)" in page
    assert "<b>Revenue" not in page
    html(client, f"/answers/{new}/since/{uid(workspace, 'answer', 'drops')}", 404)


def test_a_tombstone_says_what_may_be_read_instead(workspace: Workspace) -> None:
    send(workspace, [*world(), *later()])
    document = Node.objects.get(workspace=workspace, kind="document", key="d")
    erased = withdraw(workspace, Node.objects.get(workspace=workspace, key="s@1"), "erasure")
    source, second = uid(workspace, "source", "s"), uid(workspace, "source_version", "s@2")
    page = html(member(workspace), f"/passages/{document.uid}", 410)
    assert "<code>erasure</code>" in page
    assert f'href="/cases/{erased.case.uid}"' in page
    assert f'<a href="/sources/{source}#{second}">2, ' in page
    assert PASSAGE not in page
    withdraw(workspace, Node.objects.get(workspace=workspace, key="s@2"), "erasure")
    assert "can be read" not in html(member(workspace), f"/passages/{document.uid}", 410)


def test_acquisitions_tell_what_the_origin_said(workspace: Workspace) -> None:
    said = {"tdm-reservation": 1, "robots": "noai <b>", "policy": ["a"]}
    send(workspace, [
        *world(),
        record(
            "acquisition", "got", source_version="s@1", http_status=304, etag='"<i>"',
            last_modified="Sun, 01 Mar 2026 10:00:00 GMT", rights_signals=said,
        ),
    ])  # fmt: skip
    page = html(member(workspace), difference(workspace).removesuffix("/difference"))
    assert ">policy: [&quot;a&quot;]; robots: noai &lt;b&gt;; tdm-reservation: 1</td>" in page
    assert "<code>&quot;&lt;i&gt;&quot;</code>" in page
    assert ">Sun, 01 Mar 2026 10:00:00 GMT</td>" in page
    assert ">304</td>" in page


@pytest.mark.parametrize(
    ("name", "at", "expected"),
    [
        ("2", "2026-05-01", "2, 1 May 2026"),
        ("2026-05-01", "2026-05-01", "2026-05-01"),
        (None, "2026", "2026"),
        ("v\u202e1", None, "vU+202E1"),
        ("x" * 70, None, "x" * 59 + "\u2026"),
        (None, None, "Version without a name"),
    ],
)
def test_versions_have_a_name_to_choose_them_by(
    name: str | None, at: str | None, expected: str
) -> None:
    assert names_version(Version("srv_" + "a" * 26, name, at)) == expected


def many(number: int) -> list[dict[str, Any]]:
    """A source whose versions all have a text and a date."""
    rows = []
    for at in range(number):
        day = f"{2000 + at // 28}-02-{at % 28 + 1:02}"
        rows += [
            record("source_version", f"m@{at}", source="m", version=f"v{at}", modified_at=day),
            record("document", f"md{at}", source_version=f"m@{at}", text=f"It is {at}."),
        ]
    return [record("source", "m", title="Often changed"), *rows]


def test_versions_are_paged_newest_first(workspace: Workspace) -> None:
    send(workspace, many(51))
    client, path = member(workspace), f"/sources/{uid(workspace, 'source', 'm')}"
    first, last = html(client, path), html(client, f"{path}?page=99")
    assert (first.count('id="srv_'), last.count('id="srv_')) == (50, 1)
    assert 'href="?page=2#versions"' in first
    assert 'href="?page=1#versions"' in last
    assert uid(workspace, "source_version", "m@50") in first
    assert f'id="{uid(workspace, "source_version", "m@0")}"' in last
    assert first.count("<option") == 102


@long_only
def test_long_histories_and_texts_stay_within_the_bounds(workspace: Workspace) -> None:
    long = " ".join(f"word{at % 7001}" for at in range(110_000))
    send(workspace, [*many(300), *world(), *later(long.replace("word77 ", "other "))])
    send(workspace, [
        record("source_version", "s@3", source="s", version="3", published_at="2026-06-01"),
        record("document", "d3", source_version="s@3", text=long),
    ])  # fmt: skip
    client = member(workspace)
    for path in (f"/sources/{uid(workspace, 'source', 'm')}", difference(workspace)):
        client.get(path)
        began = time.process_time()
        page = html(client, path)
        assert time.process_time() - began < (0.6 if "difference" not in path else 2.5)
        assert page.count("<") - page.count("</") < 5_000
