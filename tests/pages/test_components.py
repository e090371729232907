"""Pages of components, runs and comparisons: who may ask, what they show, how they page."""

import re
from typing import Any

import pytest
from django.test import Client

from provexplorer.workspaces.models import Workspace
from tests.comparison.test_compare import load
from tests.pages.world import htmx, member, record, send, uid

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

MARKUP = "<b>3.2</b>"


def main(client: Client, path: str, status: int = 200, **more: Any) -> str:
    response = client.get(path, **more)
    assert response.status_code == status, path
    return response.content.decode().partition("<main")[2] or response.content.decode()


def compare_path(workspace: Workspace, *more: str) -> str:
    old, new = uid(workspace, "component", "old"), uid(workspace, "component", "new")
    return f"/compare/?old={old}&new={new}" + "".join(f"&{each}" for each in more)


def test_what_is_foreign_or_no_component_is_not_found(workspace: Workspace) -> None:
    load(workspace)
    stranger = member(Workspace.objects.create(slug="other", name="other"), "admin")
    owner = member(workspace)
    component, run = uid(workspace, "component", "old"), uid(workspace, "run", "run-old")
    document = uid(workspace, "document", "d-same-old")
    for path in (
        f"/components/{component}", f"/runs/{run}", compare_path(workspace),
        f"/compare/?new={component}", f"/differences/{document}/{document}",
    ):  # fmt: skip
        assert stranger.get(path).status_code == 404, path
        assert owner.get(path).status_code == 200, path
    for path in (
        f"/components/{document}", f"/runs/{component}", f"/compare/?new={document}",
        f"/compare/?old={document}&new={component}", f"/differences/{component}/{component}",
        f"/differences/{document}/{uid(workspace, 'chunk', 'c-same-old-0')}",
    ):  # fmt: skip
        assert owner.get(path).status_code == 404, path


def test_the_other_end_of_a_comparison_may_not_be_of_another_workspace(
    workspace: Workspace,
) -> None:
    """A member of both walls: neither shows what stands in the other."""
    other = Workspace.objects.create(slug=f"{workspace.slug}-2", name="other")
    load(workspace)
    load(other)
    client = member(workspace, "admin")
    ours = uid(workspace, "component", "old")
    theirs, nobodys = uid(other, "component", "new"), "cmp_" + "a" * 26
    for pair in ("old={}&new=" + ours, "old=" + ours + "&new={}"):
        foreign, absent = (
            main(client, f"/compare/?{pair.format(each)}", 404) for each in (theirs, nobodys)
        )
        assert foreign.replace(theirs, nobodys) == absent


@pytest.mark.parametrize("query", ["runs=x", "versions=x"])
def test_a_cursor_of_another_list_offers_the_page_anew(workspace: Workspace, query: str) -> None:
    load(workspace)
    path = f"/components/{uid(workspace, 'component', 'old')}"
    assert f'href="{path}">' in main(member(workspace), f"{path}?{query}", 400)


def test_an_unknown_stage_or_cursor_offers_the_comparison_anew(workspace: Workspace) -> None:
    load(workspace)
    for more in ("stage=cheese", "stage=facts&cursor=x"):
        page = main(member(workspace), compare_path(workspace, more), 400)
        assert f'href="{compare_path(workspace).replace("&", "&amp;")}"' in page


def test_components_are_listed_by_name_with_their_versions(workspace: Workspace) -> None:
    load(workspace)
    send(
        workspace,
        [
            record("component", "m", component_kind="model", name="Zeta", version=MARKUP),
            record("run", "r-bad", run_kind="parse", component="old", status="FAILED"),
            record("run", "r-good", run_kind="parse", component="old", status="ok"),
        ],
    )
    page = main(member(workspace), "/components/")
    assert page.index(">p</a>") < page.index(">Zeta</a>")
    assert MARKUP not in page
    assert page.count('class="family"') == 2
    assert "50%" in page
    kinds = r'kind=(\w+)" hx-get[^>]*>[^<]+<span class="count">(\d+)<'
    assert re.findall(kinds, page) == [("parser", "1"), ("model", "1")]
    asked = main(member(workspace), "/components/?kind=ocr")
    assert re.findall(kinds, asked) == [("parser", "1"), ("ocr", "0"), ("model", "1")]
    assert re.findall(kinds, main(member(workspace), "/components/?q=zeta")) == [("model", "1")]
    assert "Zeta" not in main(member(workspace), "/components/?kind=parser")
    assert "3.1" not in main(member(workspace), "/components/?q=zeta")
    assert "Your filters hide every component" in main(member(workspace), "/components/?kind=ocr")


def test_a_component_shows_configuration_versions_runs_and_where_to_go(
    workspace: Workspace,
) -> None:
    load(workspace)
    send(
        workspace,
        [
            record("component", "new", component_kind="parser", name="p", version="3.2",
                   config={"ocr": {"lang": "<i>en</i>"}}),
            record("run", "run-new", run_kind="parse", component="new", status="completed",
                   started_at="2026-03-01T10:00:00Z", ended_at="2026-03-01T10:00:12Z"),
        ],
    )  # fmt: skip
    component, old = uid(workspace, "component", "new"), uid(workspace, "component", "old")
    page = main(member(workspace, "operator"), f"/components/{component}")
    assert "ocr.lang" in page
    assert "<i>en</i>" not in page
    for href in (
        f"/runs/{uid(workspace, 'run', 'run-new')}", f"/components/{old}", f"/lineage/{component}/impact",
        f"/cases/new?target={component}&amp;kind=defective_component",
    ):  # fmt: skip
        assert f'href="{href}"' in page, href
    assert f'<option value="{old}">3.1</option>' in page
    assert "12 s" in page
    assert "0 of 1 ended run (0%)" in page
    assert 'title="0 of 1 run with a status">0</span>' in page
    # Of the other version no run states how it ended.
    assert re.search(
        r'<a href="/components/[^"]+">3\.1</a>.*?"Failed"><span[^>]*>—<', page, re.DOTALL
    )
    assert "File as defective" not in main(member(workspace), f"/components/{component}")


def test_what_adapters_write_for_no_version_is_shown_as_no_version(workspace: Workspace) -> None:
    load(workspace)
    plain = record("component", "plain", component_kind="parser", name="p", version="unstated")
    send(workspace, [plain])
    beside = main(member(workspace), f"/components/{uid(workspace, 'component', 'old')}")
    component = uid(workspace, "component", "plain")
    assert f'<option value="{component}">not stated</option>' in beside
    page = main(member(workspace), f"/components/{component}")
    assert re.findall(r'name="version_(?:from|to)"[^>]* value="([^"]*)"', page) == ["", ""]


def test_a_plot_says_in_words_what_it_draws(workspace: Workspace) -> None:
    load(workspace)
    send(workspace, [record("run", "bad", run_kind="parse", component="old", status="error")])
    page = main(member(workspace), f"/components/{uid(workspace, 'component', 'old')}")
    assert re.search(r'<svg class="bars"[^>]* role="img" aria-labelledby="plot-runs"', page)
    assert re.findall("<title>(.*)</title>", page) == 2 * [
        "1 March 2026, 10:00 UTC: 2 runs, 1 failed, 3 outputs"
    ]
    table = page.partition("The same as a table")[2]
    assert re.findall(r'<td class="number">(\d+)</td>', table)[:3] == ["2", "1", "3"]


def test_a_component_that_nobody_described_says_so(workspace: Workspace) -> None:
    send(workspace, [record("run", "r", run_kind="parse", component="missing")])
    page = main(member(workspace), f"/components/{uid(workspace, 'component', 'missing')}")
    assert "nobody has described it yet" in page
    assert "None of its runs states when it ran" not in page


def test_a_run_shows_what_it_used_and_made_and_pages_on(workspace: Workspace) -> None:
    load(workspace)
    send(
        workspace,
        [record("component", "c9", component_kind="chunker", name="c", version="1"),
         record("run", "many", run_kind="chunk", component="c9", parameters={"size": 512},
                used=[{"kind": "document", "key": "d-same-old"}])]
        + [record("part", f"p{n}", document="d-same-old", part_kind="page", page_index=n, run="many")
           for n in range(25)],
    )  # fmt: skip
    client, path = member(workspace), f"/runs/{uid(workspace, 'run', 'many')}"
    page = main(client, path)
    assert f'href="/components/{uid(workspace, "component", "c9")}"' in page
    assert ("512" in page, "What it made (25)" in page, "What it used (1)" in page) == (True,) * 3
    assert f'href="/passages/{uid(workspace, "document", "d-same-old")}"' in page
    (more,) = re.findall(r'href="(\?made=[^#"]+)#made"', page)
    first, rest = (
        set(re.findall(r"/passages/(prt_\w+)", text)) for text in (page, main(client, path + more))
    )
    assert (len(first), len(rest), first & rest) == (20, 5, set())
    assert client.get(f"{path}?used=x").status_code == 400


def test_a_comparison_leads_from_its_numbers_to_the_words_that_changed(
    workspace: Workspace,
) -> None:
    load(workspace)
    client = member(workspace)
    page = main(client, compare_path(workspace))
    lists = re.findall(r'href="([^"]*stage=chunks&amp;change=changed)#pairs"[^>]*>1</a>', page)
    assert len(lists) == 1
    listed = main(client, "/compare/" + lists[0].replace("&amp;", "&"))
    assert ("Result -5." in listed, "Result 5." in listed) == (True, True)
    (difference,) = re.findall(r'href="(/differences/[^"]+)"', listed)
    shown = main(client, difference)
    assert "</span>-<span" in shown.partition("<del>")[2]
    for stage in ("documents", "facts", "retrieved", "answers"):
        assert (
            main(client, compare_path(workspace, f"stage={stage}")).count('class="badge tone-') >= 3
        )


def test_a_list_of_pairs_is_a_fragment_for_htmx(workspace: Workspace) -> None:
    load(workspace)
    page = member(workspace).get(compare_path(workspace, "stage=chunks"), headers=htmx("pairs"))
    assert "<html" not in page.content.decode()
    assert "Result -5." in page.content.decode()


def test_a_comparison_without_an_old_one_offers_the_others_of_its_kind(
    workspace: Workspace,
) -> None:
    load(workspace)
    send(workspace, [record("index_snapshot", f"i{n}", collection="c") for n in range(2)])
    client = member(workspace)
    new, old = uid(workspace, "component", "new"), uid(workspace, "component", "old")
    assert f'href="?old={old}&amp;new={new}"' in main(client, f"/compare/?new={new}")
    one, other = (uid(workspace, "index_snapshot", f"i{n}") for n in range(2))
    assert f'href="?old={other}&amp;new={one}"' in main(client, f"/compare/?new={one}")
    assert "cannot be compared" in main(client, f"/compare/?old={new}&new={new}")
    assert client.get("/compare/")["Location"] == "/components/"


def test_the_latest_snapshots_stand_below_the_components(workspace: Workspace) -> None:
    load(workspace)
    send(workspace, [record("index_snapshot", "i0", collection="Books")])
    client = member(workspace)
    page = main(client, "/components/")
    assert ("Books" in page, "What changed since" in page) == (True, False)
    send(workspace, [record("index_snapshot", "i1", collection="<i>Maps</i>")])
    page = main(client, "/components/")
    assert f'href="/compare/?new={uid(workspace, "index_snapshot", "i1")}"' in page
    assert ("&lt;i&gt;Maps&lt;/i&gt;" in page, "<i>Maps" in page) == (True, False)
    assert "Books" not in main(client, "/components/?kind=parser")


def test_what_is_hidden_or_under_a_case_shows_no_word_in_a_difference(workspace: Workspace) -> None:
    load(workspace, acl={"sign": ["staff"]})
    one, other = (uid(workspace, "chunk", f"c-sign-{side}-0") for side in ("old", "new"))
    for reader, sees in ((member(workspace), False), (member(workspace, groups=["staff"]), True)):
        page = main(reader, f"/differences/{other}/{one}")
        assert ("Result" in page) is sees
        assert ("you may not read it" in page) is not sees


def test_answers_to_one_question_are_compared_though_neither_revises_the_other(
    workspace: Workspace,
) -> None:
    load(workspace)
    one, other = (uid(workspace, "answer", f"a-sign-{side}") for side in ("old", "new"))
    shown = main(member(workspace), f"/differences/{other}/{one}")
    assert "</span>-<span" in shown.partition("<del>")[2]


def test_a_component_that_has_moved_is_compared_where_it_is_now(workspace: Workspace) -> None:
    load(workspace)
    send(workspace, [record("run", "early", run_kind="parse", component="late")])
    before = uid(workspace, "component", "late")
    send(
        workspace,
        [record("component", "late", component_kind="parser", name="p", version="4",
                config_digest="sha256:" + "0" * 64)],
    )  # fmt: skip
    now, client = uid(workspace, "component", "late"), member(workspace)
    assert now != before
    new = uid(workspace, "component", "new")
    reply = client.get(f"/compare/?old={before}&new={new}&stage=facts")
    assert (reply.status_code, reply["Location"]) == (
        302,
        f"/compare/?old={now}&new={new}&stage=facts",
    )
    assert client.get(f"/components/{before}")["Location"] == f"/components/{now}"
