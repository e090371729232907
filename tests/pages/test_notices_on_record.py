"""A notice that is known but has no case yet: readers of what it concerns learn of it."""

import re
from typing import Any

import pytest
from django.test import Client

from lineage.cases import workflow
from lineage.models import Case, CaseTarget, Node
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import viewer
from tests.pages.world import htmx, member, record, send, uid, world

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

ON_RECORD = "A notice is on record:"
NO_CASE = "No case has been filed."


def notice(concerns: str = "s", **more: Any) -> dict[str, Any]:
    said = {
        "notice_kind": "correction", "concerns": concerns,
        "recorded_at": "2020-04-08T03:33:10Z", "recorded_by": "Open Retractions", **more,
    }  # fmt: skip
    return record(
        "source", "n", title="Erratum", source_kind="notice", doi="10.1/n", attributes=said
    )


def pages(workspace: Workspace, client: Client) -> dict[str, str]:
    """The pages of the source, of the citation (whole and in place) and of the answer."""
    citation = f"/citations/{uid(workspace, 'citation', 'q1')}"
    answers = {
        "source": client.get(f"/sources/{uid(workspace, 'source', 's')}"),
        "citation": client.get(citation),
        "card": client.get(citation, headers=htmx("card-1")),
        "answer": client.get(f"/answers/{uid(workspace, 'answer', 'cites')}"),
    }
    return {name: answer.content.decode() for name, answer in answers.items()}


def test_a_notice_about_another_source_is_not_told(workspace: Workspace) -> None:
    send(workspace, [*world(), notice("another")])
    told = {name for name, page in pages(workspace, member(workspace)).items() if ON_RECORD in page}
    assert told == set()


def test_a_notice_about_a_hidden_source_is_not_told(workspace: Workspace) -> None:
    send(workspace, [*world(acl=["board"]), notice()])
    told = {name for name, page in pages(workspace, member(workspace)).items() if ON_RECORD in page}
    assert told == set()


def test_a_notice_without_a_case_is_told_wherever_its_source_stands(workspace: Workspace) -> None:
    send(workspace, [*world(), notice()])
    link = f'href="/sources/{uid(workspace, "source", "n")}">10.1/n</a>'
    for name, page in pages(workspace, member(workspace)).items():
        assert page.count(ON_RECORD) == 1, name
        assert link in page, name
        assert NO_CASE in page, name
        assert re.search(r"recorded <time[^>]*>8 April 2020</time> by Open Retractions", page), name
        assert "/cases/new" not in page, name


def test_those_who_may_file_the_case_from_there(workspace: Workspace) -> None:
    send(workspace, [*world(), notice()])
    path = f"/cases/new?target={uid(workspace, 'source', 's')}&amp;kind=correction&amp;evidence=10.1%2Fn"
    for name, page in pages(workspace, member(workspace, "operator")).items():
        assert path in page, name


def test_the_notice_leads_to_what_it_concerns(workspace: Workspace) -> None:
    send(workspace, [*world(), notice()])
    page = member(workspace).get(f"/sources/{uid(workspace, 'source', 'n')}").content.decode()
    assert (
        f'this notice concerns <a class="written" href="/sources/{uid(workspace, "source", "s")}"'
        in page
    )


def test_a_draft_is_told_as_a_case_that_is_not_in_effect(workspace: Workspace) -> None:
    send(workspace, [*world(), notice()])
    case = Case.objects.create(
        workspace=workspace, uid="cas_" + "b" * 26, kind="correction", created_at=clock.now()
    )
    CaseTarget.objects.create(case=case, node=Node.objects.get(workspace=workspace, key="s@1"))
    for name, page in pages(workspace, member(workspace)).items():
        assert (
            f'<a href="/cases/{case.uid}">A case has been filed; it is not in effect.</a>' in page
        ), name
        assert NO_CASE not in page, name


def test_a_lifted_case_is_told_as_lifted_and_another_can_be_filed(workspace: Workspace) -> None:
    send(workspace, [*world(), notice()])
    editor, source = viewer(workspace), uid(workspace, "source", "s")
    case = workflow.draft(
        editor, workflow.NewCase(kind="correction", targets=[{"uid": source}])
    ).uid
    workflow.dry_run(editor, case)
    workflow.approve(editor, case)
    lifted = workflow.reinstate(editor, case, reason="Filed in error.").approved_at
    assert lifted
    day = f"{lifted.day} {lifted:%B %Y}"
    again = f"/cases/new?target={source}&amp;kind=correction&amp;evidence=10.1%2Fn"
    operator, reader = member(workspace, "operator"), member(workspace)
    shown = pages(workspace, operator)
    path = f"/sources/{uid(workspace, 'source', 'n')}"
    shown["notice"] = operator.get(path).content.decode()
    link = rf'<a href="/cases/{case}">The case about it was lifted on <time[^>]*>{day}</time>.</a>'
    for name, page in shown.items():
        assert re.search(link, page), name
        assert again in page, name
        assert "not in effect" not in page, name
        assert NO_CASE not in page, name
    for name, page in pages(workspace, reader).items():
        assert re.search(link, page), name
        assert "/cases/new" not in page, name
    # A new draft is what counts from then on.
    workflow.draft(editor, workflow.NewCase(kind="correction", targets=[{"uid": source}]))
    for name, page in pages(workspace, operator).items():
        assert "A case has been filed; it is not in effect." in page, name
        assert again not in page, name
