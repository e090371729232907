"""Explaining chains, followed along prepared rows: cut, circling and side by side."""

import pytest

from lineage.impact import chains as module
from lineage.impact.chains import chains_of
from lineage.models import Node, RestsOn
from lineage.vocabulary import Grade
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def nodes(workspace: Workspace) -> dict[str, Node]:
    """Nodes by their letter; x and y are answers."""
    return {
        letter: Node.objects.create(
            workspace=workspace, kind="chunk", key=letter, uid=f"chk_{letter * 26}",
            recorded_at=clock.now(),
        )
        for letter in "abcdxy"
    }  # fmt: skip


def rest(nodes: dict[str, Node], answer: str, *steps: str) -> None:
    """Rows of one answer; "ab": a rests by way of b."""
    for step in steps:
        RestsOn.objects.create(
            answer=nodes[answer], target=nodes[step[0]], via=nodes[step[1]], grade=Grade.CITED
        )


def letters(nodes: dict[str, Node], target: str, *answers: str) -> list[str]:
    found = chains_of({nodes[answer].pk: nodes[target].pk for answer in answers})
    return ["".join(uid[4] for uid in found[nodes[answer].pk]) for answer in answers]


def test_no_answers_no_chains(nodes: dict[str, Node]) -> None:
    assert chains_of({}) == {}


def test_more_answers_than_one_statement_can_name(nodes: dict[str, Node]) -> None:
    """As an export asks: some hundred at once, beyond what SQLite puts together in one statement."""
    rest(nodes, "x", "ab", "bx")
    nobody = range(10**9, 10**9 + 1_200)
    found = chains_of({nodes["x"].pk: nodes["a"].pk} | dict.fromkeys(nobody, nodes["c"].pk))
    assert found == {nodes["x"].pk: (nodes["a"].uid, nodes["b"].uid)} | dict.fromkeys(
        nobody, (nodes["c"].uid,)
    )


def test_answer_without_a_row_has_the_target_alone(nodes: dict[str, Node]) -> None:
    assert letters(nodes, "a", "x") == ["a"]


def test_chain_whose_middle_is_missing_ends_there(nodes: dict[str, Node]) -> None:
    rest(nodes, "x", "ab", "cx")
    assert letters(nodes, "a", "x") == ["ab"]


def test_chain_that_circles_ends(nodes: dict[str, Node]) -> None:
    rest(nodes, "x", "ab", "bc", "ca")
    assert letters(nodes, "a", "x") == ["abc"]


def test_chain_that_is_too_long_is_cut(
    nodes: dict[str, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    rest(nodes, "x", "ab", "bc", "cd", "dx")
    monkeypatch.setattr(module, "MOST_STEPS", 2)
    assert letters(nodes, "a", "x") == ["abc"]


def test_each_answer_follows_its_own_rows(nodes: dict[str, Node]) -> None:
    rest(nodes, "x", "ab", "bd", "dx", "cx")
    rest(nodes, "y", "ac", "cb", "by", "dy")
    assert letters(nodes, "a", "x", "y") == ["abd", "acb"]
