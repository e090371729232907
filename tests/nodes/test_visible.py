"""Access groups: who sees what comes of a guarded version."""

from importlib import import_module

import pytest
from pytest_django.fixtures import DjangoAssertNumQueries

from lineage.models import Node
from lineage.nodes import visible
from lineage.nodes.visible import given_hidden
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record
from tests.nodes.world import ALPHA, answer, load, source, viewer

pytestmark = pytest.mark.django_db

GUARDED = {
    "s", "s@1", "s-doc", "s-c", "s-acq", "s-part", "s-fact", "s-emb", "q-one", "k-one",
}  # fmt: skip


def rest_of_world() -> list[dict[str, object]]:
    return [
        record("acquisition", "s-acq", source_version="s@1", uri="https://example.org/s"),
        record(
            "part", "s-part", document="s-doc", part_kind="section", interval={"start": 0, "end": 5}
        ),
        record("fact", "s-fact", subject_of="s-c", subject="Alpha", predicate="is", object="one"),
        record("embedding", "s-emb", chunk="s-c", model="m"),
    ]


def hidden(workspace: Workspace, records: list[list[dict[str, object]]], *groups: str) -> set[str]:
    nodes = load(workspace, *records)
    seen = visible(viewer(workspace, *groups), list(nodes.values()))
    assert set(seen) == {node.pk for node in nodes.values()}
    return {key for key, node in nodes.items() if not seen[node.pk]}


def test_version_for_a_group_hides_all_that_comes_of_it(workspace: Workspace) -> None:
    records = [source("s", ALPHA, acl=["staff"]), rest_of_world(), answer("one", "s-c")]
    assert hidden(workspace, records) == GUARDED
    assert hidden(workspace, records, "board") == GUARDED
    assert hidden(workspace, records, "board", "staff") == set()


def test_version_for_nobody_is_seen_by_admin_alone(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA, acl=[]))
    every = list(nodes.values())
    assert not any(visible(viewer(workspace, "staff"), every).values())
    assert all(visible(viewer(workspace, sees_all=True), every).values())


def test_version_without_groups_is_seen_by_all(workspace: Workspace) -> None:
    assert hidden(workspace, [source("s", ALPHA), rest_of_world(), answer("one", "s-c")]) == set()


def test_source_with_one_visible_version_is_visible(workspace: Workspace) -> None:
    records = source("s", ALPHA, acl=["staff"])
    open_version = [record("source_version", "s@2", source="s", version="2")]
    assert hidden(workspace, [records, open_version]) == {"s@1", "s-doc", "s-c"}


def test_source_of_hidden_and_undescribed_versions_is_hidden(workspace: Workspace) -> None:
    records = source("s", ALPHA, acl=["staff"])
    unknown = [record("document", "late", source_version="s@2", digest="sha256:" + "0" * 64)]
    assert hidden(workspace, [records, unknown]) == {"s", "s@1", "s-doc", "s-c"}


def test_what_stands_on_an_unknown_version_is_visible_until_it_arrives(
    workspace: Workspace,
) -> None:
    work, version, *rest = source("s", ALPHA, acl=["staff"])
    assert hidden(workspace, [[work], rest]) == set()
    assert hidden(workspace, [[version]]) == {"s", "s@1", "s-doc", "s-c"}


def test_citation_of_two_versions_needs_both(workspace: Workspace) -> None:
    records = [
        source("s", ALPHA, acl=["staff"]),
        source("t", "Delta is four.", acl=["board"]),
        answer("one", "s-c"),
        # A second citation of the same claim: the claim stands on both, each citation on its own.
        [record("citation", "q-two", claim="k-one", marker="[2]", chunk="t-c")],
    ]
    assert hidden(workspace, records, "staff") >= {"k-one", "q-two"}
    assert "q-one" not in hidden(workspace, records, "staff")
    assert hidden(workspace, records, "staff", "board") == set()


def agents_seen(workspace: Workspace, nodes: dict[str, Node], *groups: str) -> set[str]:
    agents = [node for node in nodes.values() if node.kind == "agent"]
    seen = visible(viewer(workspace, *groups), agents)
    return {agent.key for agent in agents if seen[agent.pk]}


def test_the_maker_of_nothing_but_hidden_works_is_hidden_however_known(
    workspace: Workspace,
) -> None:
    orcid = "0000-0002-1825-0097"
    nodes = load(
        workspace,
        source(
            "s", ALPHA, acl=["staff"],
            creators=[{"name": "Ann"}, {"agent": "bob"}, {"name": "Cy", "orcid": orcid}],
            publisher={"name": "Press", "agent": "press"},
        ),
        source("o", ALPHA, creators=[{"name": "Ann"}], publisher={"agent": "press"}),
        [record("agent", "bob", name="Bob"), record("agent", "idle", name="Idle")],
    )  # fmt: skip
    (by_orcid,) = {key for key in nodes if orcid in key}
    always = {"name:Ann@o", "press", "idle"}
    assert agents_seen(workspace, nodes) == always
    assert agents_seen(workspace, nodes, "staff") == always | {"name:Ann@s", "bob", by_orcid}


def test_an_agent_whom_only_a_hidden_version_names_is_hidden(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        source("s", ALPHA),
        [
            record("source_version", "s@2", source="s", acl=["staff"], creators=[{"agent": "bob"}]),
            record("agent", "bob", name="Bob"),
        ],
    )
    assert agents_seen(workspace, nodes) == set()
    assert agents_seen(workspace, nodes, "staff") == {"bob"}


def test_one_visible_work_is_found_behind_many_hidden_ones(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The package has a function of the module's name.
    reading = import_module("lineage.nodes.visible")
    monkeypatch.setattr(reading, "_CREDITS_AT_ONCE", 2)
    monkeypatch.setattr(reading, "_MOST_CREDITS", 8)
    hidden_works = [
        source(f"s{at}", ALPHA, acl=["staff"], creators=[{"agent": "bob"}, {"agent": "eve"}])
        for at in range(3)
    ]
    nodes = load(workspace, *hidden_works, source("z", ALPHA, creators=[{"agent": "bob"}]))
    assert agents_seen(workspace, nodes) == {"bob"}
    assert agents_seen(workspace, nodes, "staff") == {"bob", "eve"}
    # Beyond what is read nobody is shown.
    monkeypatch.setattr(reading, "_MOST_CREDITS", 0)
    assert agents_seen(workspace, nodes) == set()


def test_queries_do_not_grow_with_the_nodes(
    workspace: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    records = [source("s", ALPHA, acl=["staff"]), rest_of_world(), answer("one", "s-c")]
    few = load(workspace, *records)
    many = load(workspace, source("t", ALPHA, acl=["staff"]), answer("two", "t-c"))
    for nodes in (few, many):
        with django_assert_num_queries(2):
            visible(viewer(workspace), list(nodes.values()))
    few = load(workspace, source("u", ALPHA, acl=["staff"], creators=[{"agent": "bob"}]))
    many = load(workspace, source("w", ALPHA, creators=[{"agent": "bob"}, {"agent": "eve"}]))
    for nodes in (few, many):
        with django_assert_num_queries(4):
            visible(viewer(workspace), list(nodes.values()))
    with django_assert_num_queries(0):
        visible(viewer(workspace, sees_all=True), list(many.values()))
        visible(viewer(workspace), [])


def test_answers_given_something_hidden_are_told_alike_few_or_many(workspace: Workspace) -> None:
    guarded = [source("s", ALPHA, acl=["staff"]), source("t", ALPHA, acl=["board"])]
    asked = [answer(f"g{n}", "s-c") for n in range(3)] + [answer(f"b{n}", "t-c") for n in range(2)]
    open_ones = [source("u", ALPHA), *(answer(f"o{n}", "u-c") for n in range(25))]
    nodes = load(workspace, *guarded, *asked, *open_ones)
    answers = {key: node for key, node in nodes.items() if node.kind == "answer"}
    assert len(answers) == 30
    of_staff = viewer(workspace, "staff")
    many = given_hidden(of_staff, list(answers.values()))
    assert many == {answers["a-b0"].pk, answers["a-b1"].pk}
    assert given_hidden(of_staff, [answers["a-b0"], answers["a-g0"]]) == {answers["a-b0"].pk}
    assert given_hidden(viewer(workspace, "staff", "board"), list(answers.values())) == set()
    without_groups = given_hidden(viewer(workspace), list(answers.values()))
    assert without_groups == {node.pk for key, node in answers.items() if key[2] in "gb"}
