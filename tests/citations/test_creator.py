"""The page of a creator: their works by role, newest first, each with what it supports."""

import pytest

from citations.creator import creator_page
from lineage.nodes.paging import CursorInvalid
from provexplorer.workspaces.models import Workspace
from tests.citations.credited_world import ORCID, credited_world
from tests.citations.world import reader, withdraw
from tests.ingest.sending import record
from tests.nodes.world import ALPHA, load, source

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


def test_who_it_is_and_what_rests_on_their_works(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    page = creator_page(reader(workspace), nodes["ann"].uid)
    assert (page.name, page.agent_kind, page.orcid, page.ror, page.resolved) == (
        "Ann Author", "person", ORCID, None, True,
    )  # fmt: skip
    assert dict(page.answers) == {"cited": 2, "in_context": 2, "retrieved": 1}
    assert (page.status.code, page.notices) == ("not_checked", ())
    case = withdraw(workspace, nodes["ann"], "revocation")
    page = creator_page(reader(workspace), nodes["ann"].uid)
    assert page.status.code == "revoked"
    assert [notice.case_uid for notice in page.notices] == [case.case.uid]


def test_works_tell_what_they_support(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    works = {
        work.source_uid: work for work in creator_page(reader(workspace), nodes["ann"].uid).works
    }
    assert set(works) == {nodes[key].uid for key in ("w1", "w3", "w4", "w5")}
    one, four, five = (works[nodes[key].uid] for key in ("w1", "w4", "w5"))
    assert (one.title, one.roles, one.claims, dict(one.answers)) == (
        "On w1", ("creator",), 1, {"cited": 1, "in_context": 1, "retrieved": 1},
    )  # fmt: skip
    assert (four.hidden, four.title, four.claims, dict(four.answers), four.licence) == (
        True, None, 0, {}, None,
    )  # fmt: skip
    assert (five.roles, five.version_uid, five.published_at, five.licence and five.licence.spdx) == (
        ("editor",), nodes["w5@1"].uid, "2020-05-01", "MIT",
    )  # fmt: skip


def test_works_of_one_role(workspace: Workspace) -> None:
    nodes = credited_world(workspace)
    viewer, uid = reader(workspace), nodes["ann"].uid
    every = creator_page(viewer, uid)
    assert dict(every.works_by_role) == {"": 4, "creator": 3, "editor": 1}
    editor = creator_page(viewer, uid, role="editor")
    assert ([work.source_uid for work in editor.works], editor.works_total) == (
        [nodes["w5"].uid], 1,
    )  # fmt: skip
    assert creator_page(viewer, uid, role="publisher").works == ()
    # A word that is no role narrows nothing.
    assert creator_page(viewer, uid, role="owner").works == every.works


def test_works_are_paged_newest_first(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citations.creator.WORKS_ON_A_PAGE", 2)
    nodes = load(
        workspace,
        *(
            [record("source", f"s{day}", at=f"2026-03-0{day}T00:00:00Z", title=f"{day}",
                    creators=[{"agent": "ann"}])]
            for day in (2, 5, 3, 1, 4)
        ),
        [record("source", "undated", at=None, title="?", creators=[{"agent": "ann"}])],
    )  # fmt: skip
    viewer, uid = reader(workspace), nodes["ann"].uid
    pages = [creator_page(viewer, uid)]
    while pages[-1].next is not None:
        pages.append(creator_page(viewer, uid, cursor=pages[-1].next))
    assert [[work.title for work in page.works] for page in pages] == [
        ["5", "4"], ["3", "2"], ["1", "?"],
    ]  # fmt: skip
    assert {page.works_total for page in pages} == {6}
    with pytest.raises(CursorInvalid):
        creator_page(viewer, uid, cursor="x")


def test_an_erased_work_keeps_its_place_without_a_title(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA, title="Secret", creators=[{"agent": "ann"}]))
    withdraw(workspace, nodes["s"], "erasure")
    page = creator_page(reader(workspace), nodes["ann"].uid)
    (work,) = page.works
    assert (work.erased, work.title, work.licence, work.status.code) == (True, None, None, "erased")
    assert "Secret" not in repr(page)
