"""Notices as they are shown: by damage, narrowed, nothing of what the viewer may not see; and what people decide."""

import pytest

from lineage.cases.errors import DraftRefused, ScopeMissing
from lineage.models import Notice, NoticeMatch
from lineage.nodes.paging import CursorInvalid
from lineage.notices import deciding
from lineage.notices.drafting import count_answers
from lineage.notices.view import notice_view, notices
from lineage.types import NotFound, Viewer
from provexplorer.workspaces.models import Workspace
from tests.cases.world import record, world
from tests.notices.world import cases, kept, lines, load, row, send, source, table, viewer

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


def shown(workspace: Workspace, **narrowed: str) -> list[tuple[str | None, int]]:
    found = notices(viewer(workspace), **narrowed)  # type: ignore[arg-type]
    return [(row.subject_doi, row.answers) for row in found.items]


def test_those_with_the_most_answers_come_first(workspace: Workspace) -> None:
    send(workspace, [*world(), source("s1", doi="10.5555/one"), source("s2", doi="10.5555/two")])
    load(
        workspace,
        table(
            row(OriginalPaperDOI="10.5555/one", RetractionDOI="10.5555/n1"),
            row(
                OriginalPaperDOI="10.5555/two",
                RetractionDOI="10.5555/n2",
                RetractionNature="Correction",
            ),
            row(OriginalPaperDOI="10.5555/none", RetractionDOI="10.5555/n3"),
        )
        + b"",
    )
    # Of s1 three answers know, of s2 all four.
    expected = [("10.5555/two", 4), ("10.5555/one", 3), ("10.5555/none", 0)]
    assert shown(workspace) == expected
    assert shown(workspace, standing="unmatched") == [("10.5555/none", 0)]
    assert shown(workspace, kind="correction") == [("10.5555/two", 4)]
    assert shown(workspace, provider="publisher") == []
    assert len(shown(workspace, provider="retraction-watch")) == 3
    assert shown(workspace, kind="nonsense") == shown(workspace, standing="x") == []
    pages, cursor = [], None
    while True:
        page = notices(viewer(workspace), limit=1, cursor=cursor)
        pages += [(each.subject_doi, each.answers) for each in page.items]
        cursor = page.next
        if cursor is None:
            break
    assert pages == expected
    assert page.by_standing == {"matched": 2, "suggested": 0, "unmatched": 1, "contradictory": 0}
    with pytest.raises(CursorInvalid):
        notices(viewer(workspace), cursor="nonsense")
    # Answers that went are counted out.
    Notice.objects.update(answers=9)
    count_answers(list(Notice.objects.values_list("pk", flat=True)))
    assert shown(workspace)[0] == ("10.5555/none", 9)


def test_nothing_is_told_of_a_work_that_the_viewer_may_not_see(workspace: Workspace) -> None:
    send(
        workspace,
        [
            source("s", "Secret words of a work", doi="10.5555/work"),
            record("source_version", "v", source="s", acl=["board"], text="x"),
        ],
    )
    load(workspace, table(row(Title="Secret words of a work")))
    outsider = Viewer(
        workspace_id=workspace.pk, hash_key=workspace.hash_key, slug=workspace.slug,
        scopes=frozenset({"read", "operate"}),
    )  # fmt: skip
    (row_,) = notices(outsider).items
    assert (row_.hidden, row_.title, row_.subject_doi, row_.notice_doi) == (True, None, None, None)
    found = notice_view(outsider, row_.uid)
    assert (found.evidence, found.matches[0].title, found.year) == ((), None, None)
    assert "Secret" not in repr(found)
    for decide in (deciding.accept, deciding.reject):
        with pytest.raises(NotFound):
            decide(outsider, row_.uid, found.matches[0].source_uid)
    assert notices(viewer(workspace)).items[0].title == "Secret words of a work"


def test_a_suggestion_is_decided_by_a_person(workspace: Workspace) -> None:
    title = "A long and telling title of a work about mountain rivers"
    send(workspace, [source("a", title), source("b", title)])
    load(workspace, table(row(Title=title, OriginalPaperDOI="")))
    notice = Notice.objects.get()
    assert (notice.state, cases(workspace)) == ("suggested", [])
    a, b = NoticeMatch.objects.order_by("source__key")
    with pytest.raises(ScopeMissing):
        deciding.accept(viewer(workspace, "read"), notice.uid, a.source.uid)
    uid = deciding.accept(viewer(workspace), notice.uid, a.source.uid)
    assert uid == deciding.accept(viewer(workspace), notice.uid, a.source.uid)
    assert cases(workspace) == [("retraction", "draft", ["a"])]
    deciding.reject(viewer(workspace), notice.uid, b.source.uid)
    with pytest.raises(DraftRefused):
        deciding.reject(viewer(workspace), notice.uid, a.source.uid)
    # What was said is not asked again.
    load(workspace, table(row(Title=title, OriginalPaperDOI="", Record_ID="1", Notes="More.")))
    assert [m.state for m in NoticeMatch.objects.order_by("source__key")] == ["matched", "rejected"]
    assert [each.title for each in notice_view(viewer(workspace), notice.uid).matches] == [title]


def test_a_contradictory_one_is_filed_by_hand_alone(workspace: Workspace) -> None:
    send(workspace, [source("s", doi="10.5555/work")])
    load(workspace, lines(kept("10.5555/work", "10.5555/work", "correction")))
    notice = Notice.objects.get()
    assert (notice.doubtful, cases(workspace)) == (True, [])
    assert shown(workspace, standing="contradictory") == [("10.5555/work", 0)]
    uid = deciding.file_case(viewer(workspace), notice.uid)
    assert uid == deciding.file_case(viewer(workspace), notice.uid)
    assert cases(workspace) == [("correction", "draft", ["s"])]


def test_notices_of_others_are_unknown(workspace: Workspace) -> None:
    load(workspace, table(row()))
    other = Workspace.objects.create(slug="other-view", name="other")
    for call in (notice_view, deciding.file_case):
        with pytest.raises(NotFound):
            call(viewer(other), Notice.objects.get().uid)
