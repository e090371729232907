"""A corrected text that another case is on: nothing stands because of it while that case is in effect."""

from datetime import timedelta
from typing import Any

import pytest

from lineage import tasks
from lineage.cases import schedule, workflow
from lineage.cases.standing import explained_claims
from lineage.models import AnswerChange, TaskOutbox
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import approved, node, record, run_to_end, send, states, viewer, world

pytestmark = pytest.mark.django_db

V2 = "Alpha is one. Beta is two and a half. Gamma is three."


@pytest.fixture
def standing(workspace: Workspace) -> Workspace:
    """`cites` is in review only: the corrected version s1@2 has its passage as it was."""
    send(workspace, [
        *world(),
        record("component", "parser-2", component_kind="parser", name="parser", version="2"),
        record("run", "parse-2", run_kind="parse", component="parser-2"),
        {**record("source_version", "s1@2", source="s1", published_at="2025-06-01"), "occurred_at": None},
        record("document", "s1-doc-2", source_version="s1@2", text=V2, run="parse-2"),
    ])  # fmt: skip
    run_to_end(approved(workspace, "correction", ("source_version", "s1@1")), runs=2)
    assert told(workspace) == ("stands", "unchanged", "review")
    TaskOutbox.objects.all().delete()
    return workspace


def told(workspace: Workspace) -> tuple[str, str, str]:
    """The claim's standing and why, and the answer's state."""
    pk = node(workspace, "claim", "claim-cites").pk
    found = explained_claims(workspace.pk, [pk])[pk]
    return found.word, found.because, states(workspace, "cites")["cites"]


def compared() -> int:
    """Deliver the comparisons that were asked for; how many."""
    asked = list(TaskOutbox.objects.filter(name="lineage.compare_again").order_by("pk"))
    for one in asked:
        tasks.compare_again(**one.arguments)
        one.delete()
    return len(asked)


DOUBTED = ("check", "uncompared", "stale")
STANDS = ("stands", "unchanged", "review")


@pytest.mark.parametrize(
    ("kind", "target", "expected"),
    [
        ("retraction", ("source_version", "s1@2"), DOUBTED),
        ("revocation", ("source_version", "s1@2"), DOUBTED),
        ("erasure", ("source_version", "s1@2"), DOUBTED),
        ("concern", ("document", "s1-doc-2"), DOUBTED),
        ("correction", ("source_version", "s1@2"), DOUBTED),
        ("defective_component", ("component", "parser-2"), DOUBTED),
        ("retraction", ("run", "parse-2"), DOUBTED),
        ("expiry", ("source_version", "s1@2"), STANDS),
        ("license_change", ("source_version", "s1@2"), STANDS),
        ("retraction", ("source_version", "s2@1"), STANDS),
    ],
)  # fmt: skip
def test_nothing_stands_on_a_text_from_the_approval_of_a_case_on_it(
    standing: Workspace, kind: str, target: tuple[str, str], expected: Any
) -> None:
    approved(standing, kind, target)
    assert told(standing) == expected
    compared()
    assert told(standing) == expected


def test_a_case_that_was_there_before_keeps_a_claim_from_standing(workspace: Workspace) -> None:
    send(workspace, [
        *world(),
        record("source_version", "s1@2", source="s1", published_at="2025-06-01", text=V2),
    ])  # fmt: skip
    approved(workspace, "retraction", ("source_version", "s1@2"))
    run_to_end(approved(workspace, "correction", ("source_version", "s1@1")), runs=2)
    assert told(workspace) == DOUBTED


def test_lifting_the_later_case_lets_it_stand_again_and_each_change_is_kept(
    standing: Workspace,
) -> None:
    case = approved(standing, "retraction", ("source_version", "s1@2"))
    assert (compared(), told(standing)) == (1, DOUBTED)
    workflow.reinstate(viewer(standing), case.uid)
    # Never better than what has been compared.
    assert told(standing) == ("stands", "unchanged", "stale")
    assert (compared(), told(standing)) == (1, STANDS)
    answer = node(standing, "answer", "cites").pk
    kept = AnswerChange.objects.filter(answer=answer).order_by("sequence")
    assert list(kept.values_list("became", flat=True)) == ["review", "stale", "review"]


def test_a_case_that_is_scheduled_counts_from_its_instant(standing: Workspace) -> None:
    later = clock.now() + timedelta(hours=1)
    approved(standing, "retraction", ("source_version", "s1@2"), effective_at=later)
    assert (compared(), told(standing)) == (0, STANDS)
    try:
        clock.use(lambda: later + timedelta(minutes=1))
        assert schedule.start_due() == 1
        assert told(standing) == DOUBTED
        assert (compared(), told(standing)) == (1, DOUBTED)
    finally:
        clock.use(None)


def test_a_version_that_a_creator_under_a_case_gains_corrects_nothing(standing: Workspace) -> None:
    send(standing, [record("agent", "ann", name="Ann"),
                    record("source", "s3", title="S3", creators=[{"agent": "ann"}])])  # fmt: skip
    approved(standing, "retraction", ("agent", "ann"))
    assert told(standing) == STANDS
    send(standing, [{**record("source_version", "s1@2", source="s1", published_at="2025-06-01",
                              creators=[{"agent": "ann"}]), "occurred_at": "2026-04-01T10:00:00Z"}])  # fmt: skip
    assert told(standing) == DOUBTED


def test_each_of_several_cases_on_the_passage_is_compared_for_itself(standing: Workspace) -> None:
    send(standing, [{**record("document", "s1-again", source_version="s1@1", text=V2, run="parse-2"),
                     "occurred_at": "2026-05-01T10:00:00Z"}])  # fmt: skip
    # The new document of s1@1 is under the correction as the passage is: that is no new doubt.
    approved(standing, "defective_component", ("component", "parser"))
    assert told(standing)[:2] == ("stands", "unchanged")
