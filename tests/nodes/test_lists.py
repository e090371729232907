"""The lists of pages: scoped, filtered, joined up page by page, and no costlier for more rows."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage.nodes.lists import AnswerPage, ComponentPage, SourcePage, answers, components, sources
from lineage.nodes.paging import CursorInvalid
from lineage.types import Viewer
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import LATER, record
from tests.nodes.world import ALPHA, answer, load, source, viewer, withdraw

pytestmark = pytest.mark.django_db

ANA = {"name": "Ana Silva", "orcid": "0000-0002-1825-0097", "role": "creator"}


def parser(key: str, **fields: Any) -> dict[str, Any]:
    return record("component", key, component_kind="parser", name="p", version=key, **fields)


@pytest.mark.parametrize("listed", [answers, sources, components])
def test_foreign_rows_are_not_listed_nor_counted(
    workspace: Workspace, listed: Callable[[Viewer], AnswerPage | SourcePage | ComponentPage]
) -> None:
    other = Workspace.objects.create(slug="other", name="Other")
    load(other, source("s", ALPHA), answer("one", "s-c"), [parser("1")])
    found = listed(viewer(workspace))
    assert (found.items, found.next, found.total) == ((), None, 0)
    assert listed(viewer(other)).total == 1


@pytest.mark.parametrize("listed", [answers, sources, components])
def test_cursor_of_another_make_is_refused(
    workspace: Workspace, listed: Callable[..., object]
) -> None:
    with pytest.raises(CursorInvalid):
        listed(viewer(workspace), cursor="nonsense")


def test_answers_are_filtered_by_state_as_they_are_shown(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        source("s", ALPHA),
        source("t", ALPHA),
        answer("cites", "s-c"),
        answer("other", "t-c", beside=("s-c",)),
        answer("far", "t-c"),
    )
    withdraw(workspace, nodes["s"])

    def keyed(state: str | None) -> dict[str, str]:
        found = answers(viewer(workspace), state=state)
        assert found.total == len(found.items)
        return {each.key: each.state for each in found.items}

    assert keyed(None) == {"a-cites": "stale", "a-other": "review", "a-far": "current"}
    assert keyed("stale") == {"a-cites": "stale"}
    assert keyed("review") == {"a-other": "review"}
    assert keyed("current") == {"a-far": "current"}
    assert keyed("cheese") == {}


def test_answers_are_found_by_words_and_show_their_question(workspace: Workspace) -> None:
    load(
        workspace,
        source("s", ALPHA),
        answer("one", "s-c", question="Why alpha?", model="m1", provider="p"),
        answer("two", "s-c", question="Why beta?", abstained=True),
    )
    (found,) = answers(viewer(workspace), q="ALPHA").items
    assert (found.key, found.question) == ("a-one", "Why alpha?")
    assert (found.model, found.provider, found.abstained) == ("m1", "p", False)
    (found,) = answers(viewer(workspace), q="beta").items
    assert (found.model, found.abstained) == (None, True)
    assert answers(viewer(workspace), q="gamma").items == ()


def test_pages_join_up_newest_first_and_unknown_times_last(workspace: Workspace) -> None:
    load(
        workspace,
        [parser("old"), parser("new", at=LATER), parser("timeless", at=None)],
        [parser("newer", at="2026-05-01T10:00:00Z"), parser("unknown", at=None)],
    )
    pages: list[list[str]] = []
    cursor: str | None = None
    while True:
        page = components(viewer(workspace), limit=2, cursor=cursor)
        pages.append([each.key for each in page.items])
        assert page.total == 5
        cursor = page.next
        if cursor is None:
            break
    assert pages[:1] == [["newer", "new"]]
    assert pages[1][0] == "old"
    assert {pages[1][1], *pages[2]} == {"timeless", "unknown"}
    assert len(pages) == 3


def test_source_tells_what_it_states_and_no_more(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        source(
            "s", ALPHA,
            title="Alpha", doi="10.1/a", container_title="Journal",
            creators=[ANA, {"name": "Editor", "role": "editor"}], publisher={"name": "Press"},
        ),
        [record("source_version", "s@0", source="s", license="CC0-1.0", published_at="2001-01-01")],
        [record("source_version", "s@2", source="s", license="MIT", published_at="2004-02-03")],
        [record("source", "bare", title="Bare", at=None)],
    )  # fmt: skip
    row = withdraw(workspace, nodes["s"], "concern")
    stated, bare = sources(viewer(workspace)).items
    assert (stated.uid, stated.title, stated.doi) == (nodes["s"].uid, "Alpha", "10.1/a")
    assert stated.container_title == "Journal"
    assert [(each.name, each.role) for each in stated.creators] == [
        ("Ana Silva", "creator"), ("Editor", "editor"),
    ]  # fmt: skip
    assert stated.creators[0].uid == nodes["orcid:0000-0002-1825-0097"].uid
    assert stated.publisher is not None
    assert (stated.publisher.name, stated.publisher.role) == ("Press", "publisher")
    assert (stated.versions, stated.licence, stated.published_at) == (3, "MIT", "2004-02-03")
    assert (stated.state, stated.cases) == ("withdrawn", (row.case.kind,))
    assert (bare.title, bare.doi, bare.creators, bare.publisher) == ("Bare", None, (), None)
    assert (bare.versions, bare.licence, bare.state) == (0, None, "active")


def test_hidden_source_is_listed_bare_and_not_found_by_words(workspace: Workspace) -> None:
    load(workspace, source("s", ALPHA, ["staff"], title="Alpha", doi="10.1/a", creators=[ANA]))
    (row,) = sources(viewer(workspace)).items
    assert row.hidden is True
    assert (row.title, row.doi, row.creators, row.versions, row.licence) == (
        None,
        None,
        (),
        0,
        None,
    )
    assert sources(viewer(workspace), q="alpha").total == 0
    assert sources(viewer(workspace, "staff"), q="alpha").total == 1
    assert sources(viewer(workspace, sees_all=True), q="alpha").total == 1


def test_hidden_version_does_not_count(workspace: Workspace) -> None:
    load(
        workspace,
        source("s", ALPHA),
        [record("source_version", "s@2", source="s", acl=["staff"], license="MIT",
                published_at="2020-01-01")],
    )  # fmt: skip
    (row,) = sources(viewer(workspace)).items
    assert (row.hidden, row.versions, row.licence) == (False, 1, "CC-BY-4.0")
    (row,) = sources(viewer(workspace, "staff")).items
    assert (row.versions, row.licence) == (2, "MIT")


def test_erased_source_is_listed_bare(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA, title="Alpha"))
    withdraw(workspace, nodes["s"], "erasure")
    (row,) = sources(viewer(workspace, sees_all=True)).items
    assert (row.state, row.hidden, row.title, row.versions) == ("erased", False, None, 0)


def test_components_count_the_answers_that_rest_on_them(workspace: Workspace) -> None:
    load(
        workspace,
        [
            parser("1", config_digest="sha256:" + "0" * 64),
            record("component", "m", component_kind="model", name="m", version="9"),
            record("run", "r", run_kind="parse", component="1"),
        ],
        source("s", ALPHA),
        [record("document", "s-doc", source_version="s@1", text=ALPHA, run="r", at=LATER)],
        answer("one", "s-c"),
        answer("two", "s-c"),
    )
    (found,) = components(viewer(workspace), component_kind="parser").items
    assert (found.key, found.name, found.version, found.answers) == ("1", "p", "1", 2)
    assert found.config_digest == "sha256:" + "0" * 64
    rows = components(viewer(workspace))
    assert {each.key: each.answers for each in rows.items} == {"1": 2, "m": 0}
    for unknown in ("cheese", "\0"):
        assert components(viewer(workspace), component_kind=unknown).total == 0
        assert answers(viewer(workspace), state=unknown, q=unknown).total == 0
    assert [each.key for each in components(viewer(workspace), q="model").items] == ["m"]


@pytest.mark.parametrize("listed", [answers, sources, components])
def test_queries_do_not_grow_with_the_rows(
    workspace: Workspace, listed: Callable[[Viewer], object]
) -> None:
    nodes = load(
        workspace, source("s", ALPHA, ["staff"], creators=[ANA]), answer("0", "s-c"), [parser("0")]
    )
    withdraw(workspace, nodes["s"])
    with CaptureQueriesContext(connection) as few:
        listed(viewer(workspace, "staff"))
    for n in range(1, 4):
        load(
            workspace,
            source(f"s{n}", ALPHA, ["staff"], creators=[ANA]),
            answer(str(n), f"s{n}-c"),
            [parser(str(n))],
        )
    with CaptureQueriesContext(connection) as many:
        listed(viewer(workspace, "staff"))
    assert len(few) == len(many)
