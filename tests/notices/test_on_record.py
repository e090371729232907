"""Readers learn of a published notice at once, before its case has any effect; nothing is hidden by it."""

import pytest
from django.test import Client

from lineage.cases import workflow
from lineage.models import Case, Notice
from lineage.notices.deciding import reject
from provexplorer.workspaces.models import Workspace
from tests.api.caller import caller
from tests.notices.world import lines as json_lines
from tests.notices.world import load, row, send, source, table, update, viewer, work
from tests.pages.world import htmx, member, uid, world

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

ON_RECORD = "A notice is on record:"
DOI = "10.5555/work"


def cited(workspace: Workspace, **version: list[str]) -> None:
    """The source `s` of the small world has a DOI."""
    records = world(acl=version.get("acl"))
    send(workspace, [{**one, "doi": DOI} if one["kind"] == "source" else one for one in records])


def pages(workspace: Workspace, client: Client) -> dict[str, str]:
    citation = f"/citations/{uid(workspace, 'citation', 'q1')}"
    answers = {
        "source": client.get(f"/sources/{uid(workspace, 'source', 's')}"),
        "citation": client.get(citation),
        "card": client.get(citation, headers=htmx("card-1")),
        "answer": client.get(f"/answers/{uid(workspace, 'answer', 'cites')}"),
        "print": client.get(f"/answers/{uid(workspace, 'answer', 'cites')}/print"),
    }
    return {name: answer.content.decode() for name, answer in answers.items()}


def status(workspace: Workspace) -> tuple[str, str | None]:
    card = caller(workspace).get(f"/citations/{uid(workspace, 'citation', 'q1')}").body
    return card["status"], card["reason"]


def test_nothing_is_told_of_what_nothing_was_published_about(workspace: Workspace) -> None:
    cited(workspace)
    load(workspace, table(row(OriginalPaperDOI="10.5555/other"), row(OriginalPaperDOI=DOI, RetractionNature="Reinstatement")))  # fmt: skip
    assert status(workspace) == ("not_checked", None)
    assert not any(ON_RECORD in page for page in pages(workspace, member(workspace)).values())


def test_nothing_is_told_of_a_source_that_is_hidden(workspace: Workspace) -> None:
    cited(workspace, acl=["board"])
    load(workspace, table(row(OriginalPaperDOI=DOI)))
    for name, page in pages(workspace, member(workspace)).items():
        assert ON_RECORD not in page, name
        assert "10.5555/notice" not in page, name


def test_what_is_contradictory_is_not_told_before_somebody_opens_its_case(
    workspace: Workspace,
) -> None:
    cited(workspace)
    own = work(DOI, **{"updated-by": [update(DOI, "retraction")]})
    load(workspace, json_lines(own))
    assert Notice.objects.get(workspace=workspace).doubtful
    assert status(workspace) == ("not_checked", None)
    assert not any(ON_RECORD in page for page in pages(workspace, member(workspace)).values())


def test_a_published_retraction_is_told_as_under_review(workspace: Workspace) -> None:
    cited(workspace)
    load(workspace, table(row(OriginalPaperDOI=DOI)))
    case, notice = Case.objects.get(workspace=workspace), Notice.objects.get(workspace=workspace)
    assert status(workspace) == ("under_review", "retraction")
    shown = pages(workspace, member(workspace))
    assert {name: page.count(ON_RECORD) for name, page in shown.items()} == dict.fromkeys(shown, 1)
    for name in ("source", "citation", "card"):
        assert "Under review" in shown[name], name
    for name in ("source", "citation", "card", "answer"):
        page = shown[name]
        assert 'href="https://doi.org/10.5555/notice"' in page, name
        assert "12 July 2023" in page, name
        assert "told by Retraction Watch" in page, name
        assert f'href="/cases/{case.uid}"' in page, name
        assert f'href="/notices/{notice.uid}"' not in page, name
    # The answer is what it was, and so is the passage.
    assert "src=x onerror" in shown["citation"]
    answer = caller(workspace).get(f"/answers/{uid(workspace, 'answer', 'cites')}").body
    assert (answer["state"], answer["reasons"]) == ("current", [])
    operator = pages(workspace, member(workspace, "operator"))
    assert f'href="/notices/{notice.uid}"' in operator["citation"]


def test_what_becomes_of_the_case_is_told(workspace: Workspace) -> None:
    cited(workspace)
    load(workspace, table(row(OriginalPaperDOI=DOI)))
    case, editor = Case.objects.get(workspace=workspace).uid, viewer(workspace)
    workflow.dry_run(editor, case)
    assert status(workspace) == ("under_review", "retraction")
    workflow.approve(editor, case)
    assert status(workspace) == ("retracted", "retraction")
    assert ON_RECORD not in pages(workspace, member(workspace))["citation"]
    workflow.reinstate(editor, case, reason="The notice was of another work.")
    assert status(workspace) == ("not_checked", None)
    assert "The case about it was lifted" in pages(workspace, member(workspace))["citation"]


def test_a_case_that_was_turned_down_is_no_longer_told(workspace: Workspace) -> None:
    cited(workspace)
    load(workspace, table(row(OriginalPaperDOI=DOI)))
    workflow.cancel(viewer(workspace), Case.objects.get(workspace=workspace).uid)
    assert status(workspace) == ("not_checked", None)
    assert not any(ON_RECORD in page for page in pages(workspace, member(workspace)).values())


def test_a_suggestion_is_not_told_and_neither_is_what_was_rejected(workspace: Workspace) -> None:
    send(workspace, [source("s", "On the motion of things in general", doi="10.5555/another")])
    load(workspace, table(row(Title="On the motion of things in general", OriginalPaperDOI="")))
    page = member(workspace).get(f"/sources/{uid(workspace, 'source', 's')}").content.decode()
    assert ON_RECORD not in page
    notice = Notice.objects.get(workspace=workspace)
    reject(viewer(workspace), notice.uid, uid(workspace, "source", "s"))
    page = member(workspace).get(f"/sources/{uid(workspace, 'source', 's')}").content.decode()
    assert ON_RECORD not in page
