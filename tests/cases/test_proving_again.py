"""A case that ended incomplete because the graph was wrong is proved again, and by nobody twice."""

import pytest
from django.test import Client

from lineage.cases import workflow
from lineage.cases.errors import CaseConflict, ScopeMissing
from lineage.cases.history import history
from lineage.cases.proving_again import prove_again
from lineage.cases.view import CaseView, case_view
from lineage.graph import client, mark
from lineage.graph.repair import keep_right
from lineage.models import Case, TaskOutbox
from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.workspaces.models import Workspace
from tests.cases.world import approved, row, run_to_end, send, states, viewer, world
from tests.pages.world import member

pytestmark = pytest.mark.django_db


@pytest.fixture
def incomplete(graph: GraphAddress, workspace: Workspace) -> CaseView:
    """A case that the graph did not prove: an edge was lost there."""
    send(workspace, world())
    case = approved(workspace, "retraction", ("source", "s1"))
    client.execute(
        "MATCH (:Context)<-[edge:WAS_DERIVED_FROM]-(answer:Answer) DELETE edge", name=__name__
    )
    assert run_to_end(case).state == "incomplete"
    assert case_view(viewer(workspace), case.uid).shortfall["code"] == "proof_differs"  # type: ignore[index]
    return case


def what(workspace: Workspace, case: CaseView) -> list[str]:
    return [step.what for step in history(viewer(workspace), case.uid).items][::-1]


def asked(case: CaseView) -> int:
    """How often its propagation was asked for."""
    named = TaskOutbox.objects.filter(name="lineage.propagate_case")
    return sum(task.arguments["case_id"] == row(case).pk for task in named)


def test_it_is_proved_when_the_graph_has_been_written_anew(
    workspace: Workspace, incomplete: CaseView
) -> None:
    mark.distrust()
    before = asked(incomplete)
    assert prove_again(viewer(workspace), incomplete.uid).state == "propagating"
    assert prove_again(viewer(workspace), incomplete.uid).state == "propagating"
    assert asked(incomplete) == before + 1
    # What a graph says that is known to be wrong is no proof: the case waits.
    assert run_to_end(incomplete).state == "propagating"
    assert states(workspace)["cites"] == "stale"
    assert keep_right()
    ended = run_to_end(incomplete)
    assert (ended.state, ended.counts["shortfall"]) == (Case.State.VERIFIED, None)
    steps = ["drafted", "tried", "approved", "incomplete", "reproved", "verified"]
    assert what(workspace, incomplete) == steps
    with pytest.raises(CaseConflict):
        prove_again(viewer(workspace), incomplete.uid)


def test_it_ends_incomplete_again_where_the_graph_is_as_wrong_as_before(
    workspace: Workspace, incomplete: CaseView
) -> None:
    prove_again(viewer(workspace), incomplete.uid)
    assert run_to_end(incomplete).state == "incomplete"
    assert case_view(viewer(workspace), incomplete.uid).may >= {"prove_again"}


@pytest.mark.parametrize("code", ["gave_up", "text_not_erased", "reinstated"])
def test_what_falls_short_of_something_else_is_not(
    workspace: Workspace, incomplete: CaseView, code: str
) -> None:
    Case.objects.filter(uid=incomplete.uid).update(counts={"shortfall": {"code": code}})
    assert "prove_again" not in case_view(viewer(workspace), incomplete.uid).may
    with pytest.raises(CaseConflict):
        prove_again(viewer(workspace), incomplete.uid)


def test_nor_is_one_that_was_reinstated(workspace: Workspace, incomplete: CaseView) -> None:
    workflow.reinstate(viewer(workspace), incomplete.uid)
    assert "prove_again" not in case_view(viewer(workspace), incomplete.uid).may
    with pytest.raises(CaseConflict):
        prove_again(viewer(workspace), incomplete.uid)
    assert row(incomplete).state == "incomplete"


def test_editors_ask_for_it_by_a_button(workspace: Workspace, incomplete: CaseView) -> None:
    with pytest.raises(ScopeMissing):
        prove_again(viewer(workspace, "operate"), incomplete.uid)
    address, step = f"/cases/{incomplete.uid}", f"/cases/{incomplete.uid}/prove-again"

    def offered(who: Client) -> bool:
        return f'action="{step}"' in who.get(address).content.decode()

    operator, editor = member(workspace, "operator"), member(workspace, "editor")
    assert (offered(operator), offered(editor)) == (False, True)
    editor.post(step)
    assert row(incomplete).state == "propagating"
    assert not offered(editor)
