"""The licences of an answer's sources together: groups, what they ask, conflicts, what is not told."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from citations.answer import Opened, answer_page
from citations.answer_rights import AnswerRights, answer_rights
from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.citations.world import corals, load, reader, reef, rivers, withdraw
from tests.ingest.sending import record
from tests.pages.world import member

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

TEXT = "Larvae drift [1]."


def told(workspace: Workspace, first: str, second: str | None, **version: Any) -> dict[str, Node]:
    """An answer that cites a work under `first` and had one under `second` in context."""
    works = corals(**version)
    next(each for each in works if each["kind"] == "source_version")["license"] = first
    citations = [{"claim": "k0", "marker": "[1]", "chunk": "c1"}]
    other = rivers(**({"license": second} if second else {}))
    return load(workspace, works, other, reef(TEXT, [(0, 12)], citations))


def rights(workspace: Workspace, nodes: dict[str, Node], *groups: str) -> AnswerRights:
    viewer = reader(workspace, *groups)
    return answer_rights(viewer, answer_page(viewer, nodes["a"].uid, Opened()))


def test_sources_stand_under_their_licences_cited_ones_first(
    workspace: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    nodes = told(workspace, "CC BY 4.0", "CC-BY-4.0")
    found = rights(workspace, nodes)
    (group,) = found.groups
    assert (group.named, group.family) == ("CC-BY-4.0", "attribution")
    assert [(each.title, each.cited) for each in group.works] == [
        ("Dispersal of corals", True),
        ("Silt", False),
    ]
    assert (found.asks, found.conflicts, found.unclear) == (("attribution", "changes"), (), 0)
    viewer = reader(workspace)
    page = answer_page(viewer, nodes["a"].uid, Opened())
    with django_assert_num_queries(1):
        answer_rights(viewer, page)


def test_the_pair_that_conflicts_is_named(workspace: Workspace) -> None:
    found = rights(workspace, told(workspace, "CC-BY-SA-4.0", "CC-BY-NC-4.0"))
    (conflict,) = found.conflicts
    assert (conflict.first.named, conflict.second.named, conflict.clash) == (
        "CC-BY-SA-4.0",
        "CC-BY-NC-4.0",
        "share_alike_non_commercial",
    )


def test_what_nobody_stated_is_unclear_and_never_free(workspace: Workspace) -> None:
    found = rights(workspace, told(workspace, "CC-BY-4.0", None))
    assert [group.family for group in found.groups] == ["attribution", "none"]
    assert (found.unclear, found.conflicts) == (1, ())


def test_where_no_rights_are_claimed_nothing_is_unclear(workspace: Workspace) -> None:
    found = rights(workspace, told(workspace, "LicenseRef-public-domain-US", "CC-BY-4.0"))
    assert [group.family for group in found.groups] == ["own", "attribution"]
    assert found.unclear == 0


def test_of_a_hidden_source_nothing_is_told(workspace: Workspace) -> None:
    found = rights(workspace, told(workspace, "CC-BY-SA-4.0", "CC-BY-NC-4.0", acl=["board"]))
    assert [group.named for group in found.groups] == ["CC-BY-NC-4.0"]
    assert (found.hidden, found.conflicts) == (1, ())


def test_of_an_erased_source_nothing_is_told(workspace: Workspace) -> None:
    nodes = told(workspace, "CC-BY-SA-4.0", "CC-BY-NC-4.0")
    withdraw(workspace, nodes["s1"], "erasure")
    found = rights(workspace, nodes)
    assert [group.named for group in found.groups] == ["CC-BY-NC-4.0"]


def test_the_pages_tell_it_and_give_attribution(workspace: Workspace) -> None:
    nodes = told(workspace, "CC-BY-SA-4.0", "CC-BY-NC-4.0")
    client = member(workspace)
    page = client.get(f"/answers/{nodes['a'].uid}").content.decode()
    assert "cannot go into one adaptation" in page
    assert "Text of these sources is not for commercial use." in page
    for kind, key in (("answers", "a"), ("citations", "q0"), ("sources", "s1")):
        address = f"/{kind}/{nodes[key].uid}/attribution"
        assert "CC BY-SA 4.0</a>" in client.get(address).content.decode()
        text = client.get(f"{address}.txt")
        assert text["Content-Type"] == "text/plain; charset=utf-8"
        assert text.content.decode() == (
            "“Dispersal of corals” (https://doi.org/10.1234/corals) by A. Author and B. Author "
            "(version 1, 2003-10-17), Journal of Reefs. Licence: CC BY-SA 4.0 "
            "(https://creativecommons.org/licenses/by-sa/4.0/). Retrieved 2026-02-01.\n"
        )
        assert client.get(f"{address}.md").content.startswith(b"- [")
        assert client.get(f"{address}.pdf").status_code == 404


def test_an_answer_that_only_lists_names_has_no_rights_to_tell(workspace: Workspace) -> None:
    nodes = load(workspace, [record("answer", "a", text="Nothing.")])
    assert rights(workspace, nodes).groups == ()
