"""The pages of a work and of who made it."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from citations.creator import creator_page
from citations.source import source_page
from citations.status import Notice
from lineage.models import Node, Reference
from lineage.types import Erased, NotFound
from provexplorer.workspaces.models import Workspace
from tests.citations.world import corals, load, reader, reef, rivers, withdraw
from tests.ingest.sending import record

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

TEXT = "Larvae drift [1]."


def second_version(**fields: Any) -> list[dict[str, Any]]:
    return [
        record(
            "source_version", "s1@2", at="2026-03-02T10:00:00Z",
            source="s1", version="2", published_at="2004-02-17", revision_of="s1@1", **fields,
        ),
        record("acquisition", "s1@2-got", source_version="s1@2", fetched_at="2026-03-02T09:00:00Z"),
    ]  # fmt: skip


def agent(workspace: Workspace, name: str) -> Node:
    return Node.objects.get(workspace=workspace, kind="agent", fields__name=name)


def test_unknown_foreign_and_other_kinds_are_not_found_alike(workspace: Workspace) -> None:
    nodes = load(workspace, corals())
    other = Workspace.objects.create(slug="other", name="other")
    for page, uid in (
        (source_page, nodes["s1"].uid),
        (creator_page, agent(workspace, "A. Author").uid),
    ):
        with pytest.raises(NotFound):
            page(reader(other), uid)
        with pytest.raises(NotFound):
            page(reader(workspace), nodes["d1"].uid)


def test_an_erased_work_leaves_its_tombstone(workspace: Workspace) -> None:
    nodes = load(workspace, corals())
    case = withdraw(workspace, nodes["s1"], "erasure")
    with pytest.raises(Erased) as erased:
        source_page(reader(workspace), nodes["s1"].uid)
    assert (erased.value.case_uid, erased.value.reason) == (case.case.uid, "erasure")


def test_a_work_that_was_only_named_has_a_page(workspace: Workspace) -> None:
    nodes = load(workspace, [record("source_version", "v", source="never-sent")])
    source = Node.objects.get(workspace=workspace, kind="source")
    page = source_page(reader(workspace), source.uid)
    assert (page.resolved, page.hidden) == (False, False)
    assert page.bibliography is not None
    assert page.bibliography.title is None
    assert [row.uid for row in page.versions] == [nodes["v"].uid]


def test_versions_stand_newest_first_with_what_they_ground(workspace: Workspace) -> None:
    nodes = load(
        workspace, corals(), rivers(), second_version(), reef(TEXT, [(0, 12)], [{"chunk": "c1"}])
    )
    page = source_page(reader(workspace), nodes["s1"].uid)
    assert [(row.version, row.published_at, dict(row.answers)) for row in page.versions] == [
        ("2", "2004-02-17", {}),
        ("1", "2003-10-17", {"cited": 1}),
    ]
    assert dict(page.answers) == {"cited": 1}
    assert page.versions_total == 2
    assert page.bibliography is not None
    assert (page.bibliography.title, page.bibliography.version) == ("Dispersal of corals", "2")
    assert [creator.name for creator in page.bibliography.creators] == [
        "A. Author",
        "B. Author",
        "E. Editor",
    ]
    assert [(row.version_uid, row.fetched_at, row.http_status) for row in page.acquisitions] == [
        (nodes["s1@2"].uid, "2026-03-02T09:00:00Z", None),
        (nodes["s1@1"].uid, "2026-02-01T08:00:00Z", 200),
    ]
    assert page.acquisitions_total == 2
    assert (page.status.code, page.notices) == ("not_checked", ())


def test_notices_tell_of_the_work_its_versions_and_what_was_made_of_them(
    workspace: Workspace,
) -> None:
    nodes = load(workspace, corals(), rivers(), second_version())
    on_work = withdraw(workspace, nodes["s1"], "correction")
    on_chunk = withdraw(workspace, nodes["c1"], "concern")
    withdraw(workspace, nodes["s2"], "retraction")
    page = source_page(reader(workspace), nodes["s1"].uid)
    assert page.notices == (
        Notice(on_chunk.case.uid, "concern", on_chunk.at, nodes["c1"].uid),
        Notice(on_work.case.uid, "correction", on_work.at, nodes["s1"].uid),
    )
    assert page.status.code == "corrected"
    assert [row.status.code for row in page.versions] == ["corrected", "corrected"]


def test_a_version_of_another_group_is_a_row_without_facts(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        corals(),
        rivers(),
        second_version(acl=["marine"]),
        reef(TEXT, [(0, 12)], [{"chunk": "c1"}]),
    )
    page = source_page(reader(workspace), nodes["s1"].uid)
    assert page.bibliography is not None
    assert page.bibliography.version == "1"
    assert [(row.uid, row.hidden, row.version) for row in page.versions] == [
        (nodes["s1@2"].uid, True, None),
        (nodes["s1@1"].uid, False, "1"),
    ]
    assert [row.version_uid for row in page.acquisitions] == [nodes["s1@1"].uid]


def test_a_hidden_work_shows_nothing_but_its_shape(workspace: Workspace) -> None:
    nodes = load(
        workspace, corals(acl=["marine"]), rivers(), reef(TEXT, [(0, 12)], [{"chunk": "c1"}])
    )
    withdraw(workspace, nodes["s1"], "correction")
    page = source_page(reader(workspace, "rivers"), nodes["s1"].uid)
    assert (page.hidden, page.bibliography, page.notices, page.acquisitions) == (True, None, (), ())
    assert (dict(page.answers), page.status.code) == ({}, "hidden")
    assert "Dispersal" not in repr(page)
    assert source_page(reader(workspace, "marine"), nodes["s1"].uid).hidden is False


def test_creator_page_lists_works_by_role(workspace: Workspace) -> None:
    nodes = load(workspace, corals(), rivers(publisher={"name": "Open Press"}))
    author = creator_page(reader(workspace), agent(workspace, "A. Author").uid)
    assert (author.name, author.orcid, author.hidden) == ("A. Author", "0000-0002-1825-0097", False)
    assert [(w.title, w.roles, w.source_uid, w.version_uid) for w in author.works] == [
        ("Dispersal of corals", ("creator",), nodes["s1"].uid, None)
    ]
    publishers = Reference.objects.filter(workspace=workspace, relation="publisher.agent")
    (of_version,) = [r.to_node for r in publishers if r.from_node == nodes["s2@1"]]
    assert of_version is not None
    works = creator_page(reader(workspace), of_version.uid).works
    assert [(w.title, w.roles, w.version_uid) for w in works] == [
        ("Silt", ("publisher",), nodes["s2@1"].uid)
    ]


def test_the_maker_of_nothing_but_hidden_works_is_hidden(workspace: Workspace) -> None:
    load(workspace, corals(acl=["marine"]))
    uid = agent(workspace, "A. Author").uid
    page = creator_page(reader(workspace), uid)
    assert (page.hidden, page.name, page.orcid) == (True, None, None)
    assert [(work.hidden, work.title) for work in page.works] == [(True, None)]
    assert creator_page(reader(workspace, "marine"), uid).name == "A. Author"


def test_many_versions_cost_as_much_as_one(
    workspace: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    load(workspace, corals())
    uid = Node.objects.get(workspace=workspace, kind="source").uid
    for _ in range(2):
        with django_assert_num_queries(15):
            source_page(reader(workspace, "x"), uid)
        load(workspace, *(second_version(media_type=f"text/{n}", text=f"{n}") for n in range(4)))
