"""Claims that a dry run counts, kind by kind: by hand, and as they stand once the case is approved."""

from collections import Counter

import pytest

from lineage.cases import claims_tried, workflow
from lineage.cases.standing import claim_standings
from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.cases.world import answer, drafted, record, send, undone, viewer, world

pytestmark = pytest.mark.django_db


@pytest.fixture
def loaded(workspace: Workspace) -> Workspace:
    """Of s1: `cites` cites it, so does its copy; `twice` cites two passages of it, `both` it and s2."""
    every = ["c1", "c1b", "c2"]
    send(workspace, [
        *world(),
        *answer("twice", retrieved=every, included=every, cites=["c1", "c1b"]),
        *answer("both", retrieved=every, included=every, cites=["c1", "c2"]),
        record("answer", "copy", question="What?", text="Again.", served_from="cites"),
    ])  # fmt: skip
    return workspace


def counted(workspace: Workspace, kind: str, *target: str) -> dict[str, int]:
    """The claims by standing in a dry run, those that are 0 left out."""
    case = drafted(workspace, kind, (target[0], target[1]))
    claims = workflow.dry_run(viewer(workspace), case.uid).claims
    return {word: number for word, number in claims.items() if number}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("retraction", {"fallen": 2, "weakened": 1}),
        ("revocation", {"fallen": 2, "weakened": 1}),
        ("erasure", {"fallen": 3}),
        ("concern", {"check": 3}),
        ("expiry", {"stands": 3}),
        ("license_change", {"stands": 3}),
        ("supersession", {"check": 3}),
    ],
)
def test_a_claim_is_counted_once_by_what_is_left_of_it(
    loaded: Workspace, kind: str, expected: dict[str, int]
) -> None:
    assert counted(loaded, kind, "source", "s1") == expected
    with undone():
        case = drafted(loaded, kind, ("source", "s1"))
        workflow.approve(viewer(loaded), workflow.dry_run(viewer(loaded), case.uid).uid)
        claims = Node.objects.filter(workspace=loaded, kind="claim").values_list("pk", flat=True)
        stand = Counter(claim_standings(loaded.pk, list(claims)).values())
        # Of six claims three cite s2 alone, and stand untouched.
        assert stand == Counter(expected) + Counter(stands=3)


def test_what_made_the_passages_is_looked_for_as_well(loaded: Workspace) -> None:
    assert counted(loaded, "retraction", "run", "parse") == {"fallen": 6}
    assert counted(loaded, "erasure", "chunk", "c1b") == {"fallen": 1}
    assert counted(loaded, "retraction", "chunk", "c1b") == {"fallen": 1}
    assert counted(loaded, "retraction", "run", "generate") == {}


def test_of_too_many_citing_answers_the_first_are_looked_at(
    loaded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims_tried, "MOST_COMPARED", 2)
    case = drafted(loaded, "erasure", ("source", "s1"))
    tried = workflow.dry_run(viewer(loaded), case.uid)
    # Which two of the four come first is told by their numbers.
    assert tried.claims["fallen"] in (1, 2)
    assert (tried.truncated, tried.states["stale"]) == (True, 4)
