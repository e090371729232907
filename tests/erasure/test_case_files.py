"""What case files and published notices hold of an erased source goes with it; what proves the erasure stays."""

from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from urllib.parse import urlencode

import pytest

from lineage.cases import discussion, files, workflow
from lineage.cases.errors import CaseNotFound
from lineage.cases.history import history
from lineage.erasure import evidence, places, run
from lineage.erasure.certificate import erasure_part
from lineage.erasure.evidence import text_of
from lineage.erasure.ledger import view_of
from lineage.erasure.restore import reapply
from lineage.impact.question import Question
from lineage.incidents import saved_views
from lineage.incidents.workflow import open_incident
from lineage.models import (
    Case,
    CaseFile,
    DataKey,
    ErasurePlace,
    Incident,
    Notice,
    NoticeShelf,
    SavedView,
)
from lineage.notices import shelf
from lineage.notices.pieces import places_of
from lineage.notices.view import notice_view
from provexplorer import clock
from provexplorer.workspaces.models import User, Workspace
from tests.cases.world import drafted, node, send, undone, viewer, work
from tests.erasure.world import PASSAGE, SENTINEL, TITLE_SENTINEL, erased, made
from tests.notices.world import load, row, table

pytestmark = [pytest.mark.django_db]
PDF = b"%PDF-1.7 anything"
KEPT = "The ticket says that it was wrong."
REPEATS = f"They wrote:\n{PASSAGE.upper()}"


@pytest.fixture(autouse=True)
def _graph_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No place of these tests is in the graph."""
    monkeypatch.setitem(places.WORK, "graph", lambda _work: 0)


def mail(*, attached: bool) -> bytes:
    message = EmailMessage()
    message["Subject"] = "About the harbour"
    message.set_content("Please look.")
    if attached:
        message.add_attachment(PDF, maintype="application", subtype="pdf", filename="a.pdf")
    return message.as_bytes()


def with_files(workspace: Workspace, uid: str) -> None:
    for name, data in {
        "scan.pdf": PDF, "kept.txt": KEPT.encode(), "repeats.md": REPEATS.encode(),
        "plain.eml": mail(attached=False), "attached.eml": mail(attached=True),
    }.items():  # fmt: skip
        files.add_file(viewer(workspace), uid, name=name, data=data)


def names(workspace: Workspace, uid: str) -> set[str]:
    return {one.name or "" for one in files.files(viewer(workspace), uid)}


def place(case: Case, name: str) -> tuple[str, int]:
    (found,) = [one for one in view_of(case).places if one.name == name]
    return found.state, found.cleared


def test_files_that_may_hold_it_go_and_the_rest_stays(workspace: Workspace) -> None:
    made(workspace)
    links = ["https://example.org/zxqvlink", {"notice": "ntc_x", "address": "https://doi.org/10/x"}]
    about = drafted(workspace, "retraction", ("source", "s1"), evidence=links).uid
    passage = drafted(workspace, "concern", ("chunk", "c1"), ("source", "s2")).uid
    beside = drafted(workspace, "concern", ("source", "s2"), evidence=links).uid
    for uid in (about, passage, beside):
        with_files(workspace, uid)
    (gone,) = [f for f in files.files(viewer(workspace), about) if f.name == "scan.pdf"]
    owner_id = Case.objects.get(uid=about).owner_id
    assert owner_id is not None
    key_before = bytes(DataKey.objects.get(owner_id=owner_id).wrapped)

    case = erased(workspace, ("source", "s1"))

    left = {"kept.txt", "plain.eml"}
    assert (names(workspace, about), names(workspace, passage)) == (left, left)
    assert len(names(workspace, beside)) == 5
    assert place(case, "evidence") == ("done", 6)
    # Two in each case are no text; the certificate says that nobody has read them.
    part = erasure_part(case)
    assert part is not None
    assert {one.name: one.unread for one in part.places if one.unread} == {"evidence": 4}
    (told,) = [one for one in part.as_json()["places"] if one["place"] == "evidence"]
    assert (told["cleared"], told["unread"]) == (6, 4)
    assert "files_unread" not in [one.what for one in part.remains]
    # In backups neither: what stays lies under a key that is new.
    key_after = DataKey.objects.get(owner_id=owner_id)
    assert bytes(key_after.wrapped) != key_before
    assert bytes(key_after.following) == b""
    with pytest.raises(CaseNotFound):
        files.read_file(viewer(workspace), about, gone.number)
    (kept,) = [f for f in files.files(viewer(workspace), about) if f.name == "kept.txt"]
    assert files.read_file(viewer(workspace), about, kept.number)[1] == KEPT.encode()
    # The case says so itself, and nobody asked for what describes it.
    by = [one.by for one in history(viewer(workspace), about).items if "erased" in one.numbers]
    assert by == ["product"] * 3
    assert Case.objects.get(uid=about).evidence == links


def test_the_erasures_own_evidence_stays_but_for_what_repeats_it(workspace: Workspace) -> None:
    made(workspace)
    ours = drafted(workspace, "erasure", ("source", "s1"), evidence=["Letter of 3 March"])
    earlier = drafted(workspace, "erasure", ("chunk", "c1")).uid
    for uid in (ours.uid, earlier):
        with_files(workspace, uid)
    workflow.dry_run(viewer(workspace), ours.uid)
    workflow.approve(viewer(workspace), ours.uid)
    case = Case.objects.get(uid=ours.uid)
    run.erase(case.pk)
    for uid in (ours.uid, earlier):
        assert names(workspace, uid) == {"scan.pdf", "kept.txt", "plain.eml", "attached.eml"}
    part = erasure_part(case)
    assert part is not None
    assert {"evidence", "files_unread"} <= {one.what for one in part.remains}
    assert [one.unread for one in part.places if one.unread] == []
    assert Case.objects.get(uid=ours.uid).evidence == ["Letter of 3 March"]
    bare = erased(workspace, ("source", "s2"))
    Case.objects.filter(pk=bare.pk).update(reason="")
    other = erasure_part(Case.objects.get(pk=bare.pk))
    assert other is not None
    assert not {"evidence", "files_unread"} & {one.what for one in other.remains}


def test_links_go_with_what_describes_it(workspace: Workspace) -> None:
    made(workspace)
    notice = {"notice": "ntc_x", "kind": "retraction", "address": "https://doi.org/10.5555/n"}
    about = drafted(workspace, "retraction", ("source", "s1"), evidence=["https://example.org/w", notice]).uid  # fmt: skip
    case = erased(workspace, ("source", "s1"), describing=True)
    assert Case.objects.get(uid=about).evidence == [{"notice": "ntc_x", "kind": "retraction"}]
    assert place(case, "evidence")[0] == "done"


def test_a_file_that_comes_back_is_found_by_the_probe(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(workspace)
    about = drafted(workspace, "retraction", ("source", "s1")).uid
    with_files(workspace, about)
    with monkeypatch.context() as patch:
        patch.setitem(places.WORK, "evidence", lambda _work: 0)
        case = erased(workspace, ("source", "s1"))
    found = {one.name: one.found for one in view_of(case).probes}
    assert (found["by_file"], found["by_notice"]) == (1, 0)
    states = {one.name: (one.state, one.error) for one in view_of(case).places}
    assert states["probes"] == ("failed", "text_found")


def test_interrupted_between_two_keys_nothing_that_stays_is_lost(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(workspace)
    about = drafted(workspace, "retraction", ("source", "s1")).uid
    with_files(workspace, about)
    with monkeypatch.context() as patch:
        patch.setattr(evidence, "take_next_keys", _stop)
        case = erased(workspace, ("source", "s1"))
    assert place(case, "evidence")[0] == "failed"
    assert len(files.files(viewer(workspace), about)) == 2
    ErasurePlace.objects.filter(erasure_id=case.pk, next_at__isnull=False).update(
        next_at=clock.now() - timedelta(seconds=1)
    )
    run.erase(case.pk)
    assert place(case, "evidence")[0] == "done"
    (kept,) = [f for f in files.files(viewer(workspace), about) if f.name == "kept.txt"]
    assert files.read_file(viewer(workspace), about, kept.number)[1] == KEPT.encode()


def _stop(_: object) -> None:
    raise OSError


@pytest.mark.parametrize(
    ("media_type", "data", "says"),
    [
        ("text/plain", b"A\xffb", "A\ufffdb"),
        ("application/json", b'{"a": 1}', '{"a": 1}'),
        ("application/pdf", PDF, None),
        ("image/png", b"", None),
        ("message/rfc822", mail(attached=True), None),
    ],
)
def test_what_a_file_says(media_type: str, data: bytes, says: str | None) -> None:
    assert text_of(media_type, data) == says


def test_mail_is_read_as_it_was_written() -> None:
    message = EmailMessage()
    message["Subject"] = "Größe"
    message.set_content("Déjà vu, " * 30, cte="base64")
    said = text_of("message/rfc822", message.as_bytes())
    assert said is not None
    assert "Größe" in said
    assert "Déjà vu, Déjà vu" in said


def test_where_what_describes_it_goes_people_do_not_name_it_either(workspace: Workspace) -> None:
    made(workspace)
    reason = f"About the tides of {TITLE_SENTINEL}, and of nothing else."
    about = drafted(workspace, "retraction", ("source", "s2")).uid
    Case.objects.filter(uid=about).update(reason=reason)
    discussion.comment(viewer(workspace), about, f"See Tides of {TITLE_SENTINEL}.")
    asked = Question(nodes=(node(workspace, "source", "s2").uid,))
    incident = open_incident(viewer(workspace), title=f"Lost: Tides of {TITLE_SENTINEL}!", question=asked)  # fmt: skip
    ada = User.objects.create_user("ada", password="only for tests")
    maker = replace(viewer(workspace), user_id=ada.pk)
    for name, address in (
        (f"tides of {TITLE_SENTINEL}", "/answers/?state=current"),
        ("Ours", f"/sources/?q=Tides+of+{TITLE_SENTINEL}&sort=title"),
        ("Others", "/sources/?q=salt%26sea"),
    ):
        saved_views.save(maker, name=name, address=address, pages=("/answers/", "/sources/"))
    erased(workspace, ("chunk", "c1"))
    assert Case.objects.get(uid=about).reason == reason
    case = erased(workspace, ("source", "s1"), describing=True)
    mask = "█" * len(f"Tides of {TITLE_SENTINEL}")
    assert Case.objects.get(uid=about).reason == f"About the {mask}, and of nothing else."
    assert history(viewer(workspace), about).items[0].text == f"See {mask}."
    assert Incident.objects.get(uid=incident).title == f"Lost: {mask}!"
    searched = urlencode({"q": mask, "sort": "title"})
    assert [*SavedView.objects.order_by("pk").values_list("name", "address")] == [
        (mask, "/answers/?state=current"),
        ("Ours", f"/sources/?{searched}"),
        ("Others", "/sources/?q=salt%26sea"),
    ]
    assert place(case, "notes") == ("done", 5)


# --- notices ------------------------------------------------------------------------------


def noticed(workspace: Workspace) -> tuple[Notice, Notice]:
    """Two notices that lie in one block: about s1, and about a work that nobody has here."""
    records = work("s1", PASSAGE, {"c1": (0, len(PASSAGE))})
    records[0] |= {"title": f"Tides of {TITLE_SENTINEL}", "doi": "10.5555/work"}
    send(workspace, records)
    load(workspace, ABOUT)
    mine = Notice.objects.get(workspace=workspace, subject_doi="10.5555/work")
    other = Notice.objects.get(workspace=workspace, subject_doi="10.5555/other")
    return mine, other


ABOUT = table(
    row(Record_ID="1", Title=f"Tides of {TITLE_SENTINEL}", Reason=f"+{SENTINEL};"),
    row(Record_ID="2", OriginalPaperDOI="10.5555/other", RetractionDOI="10.5555/notice2",
        Title="Another work"),
)  # fmt: skip


def texts(workspace: Workspace, notice: Notice) -> list[str]:
    notice.refresh_from_db()
    return [str(one) for one in shelf.texts_at(workspace, workspace.pk, set(places_of(notice))).values()]  # fmt: skip


def test_what_was_published_about_it_goes(workspace: Workspace) -> None:
    mine, other = noticed(workspace)
    block, at = places_of(mine)[0]
    owner = NoticeShelf.objects.get(workspace=workspace).owner_id
    before = bytes(DataKey.objects.get(owner_id=owner).wrapped)
    assert TITLE_SENTINEL in texts(workspace, mine)[0]
    case = erased(workspace, ("source", "s1"))
    assert place(case, "notices") == ("done", 1)
    part = erasure_part(case)
    assert part is not None
    assert "notices_in_backups" in [one.what for one in part.remains]
    assert texts(workspace, mine) == []
    assert shelf.texts_at(workspace, workspace.pk, {(block, at)}) == {}
    # The others of its block stay, under the same key: a backup has them yet.
    assert "Another work" in texts(workspace, other)[0]
    assert bytes(DataKey.objects.get(owner_id=owner).wrapped) == before
    # That there was one stays; nobody asked for what describes the work.
    mine.refresh_from_db()
    assert (mine.kind, mine.subject_doi) == ("retraction", "10.5555/work")
    assert {one["digest"] for one in mine.evidence} == {""}
    assert notice_view(viewer(workspace), mine.uid).row.title is None


def test_after_a_restore_they_go_again_and_the_others_are_there(workspace: Workspace) -> None:
    mine, other = noticed(workspace)
    with undone():
        erased(workspace, ("source", "s1"))
    assert texts(workspace, mine)
    assert reapply() == 1
    assert texts(workspace, mine) == []
    assert "Another work" in texts(workspace, other)[0]


@pytest.mark.parametrize("describing", [False, True])
def test_told_again_it_stays_away(workspace: Workspace, describing: bool) -> None:
    mine, other = noticed(workspace)
    erased(workspace, ("source", "s1"), describing=describing)
    changed = ABOUT.replace(SENTINEL.encode(), b"Another reason " + SENTINEL.encode())  # fmt: skip
    assert changed != ABOUT
    again = load(workspace, changed)
    assert again.counts["new"] == again.counts["changed"] == 0
    assert texts(workspace, mine) == []
    assert texts(workspace, other)
    mine.refresh_from_db()
    named = (mine.subject_doi, mine.notice_doi, mine.title_word, mine.year)
    assert (named == ("", "", "", None)) == describing


def test_another_places_failure_leaves_the_notices_probe_honest(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    noticed(workspace)
    with monkeypatch.context() as patch:
        patch.setitem(places.WORK, "notices", lambda _work: 0)
        case = erased(workspace, ("source", "s1"))
    assert {one.name: one.found for one in view_of(case).probes}["by_notice"] == 1
    assert node(workspace, "source", "s1")
    assert CaseFile.objects.count() == 0
