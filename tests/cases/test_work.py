"""Working on cases: comments, files, who has one, the queue by damage, and mail."""

import smtplib
from dataclasses import replace
from typing import Any

import pytest
from django.core import mail as django_mail
from django.test import override_settings

from lineage.cases import discussion, files, queue, rules, workflow
from lineage.cases.errors import CaseNotFound, DraftRefused, ScopeMissing
from lineage.cases.history import history
from lineage.cases.mail import mail_event
from lineage.content import apart
from lineage.content.keys import keys_of
from lineage.models import Blob, Case, CaseEvent, CaseFile, TaskOutbox
from lineage.nodes.paging import CursorInvalid
from provexplorer.workspaces.models import Role, Workspace
from tests.cases.test_deciding import person
from tests.cases.world import TEXT, answer, drafted, send, viewer, work

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


@pytest.fixture
def loaded(workspace: Workspace) -> Workspace:
    send(
        workspace,
        [
            *work("s1", TEXT, {"c1": (0, 13)}),
            *answer("cites", retrieved=["c1"], included=["c1"], cites=["c1"]),
        ],
    )
    return workspace


# --- comments and who has it ----------------------------------------------------------------


def test_a_comment_is_for_those_who_work_on_cases_and_lies_encrypted(loaded: Workspace) -> None:
    uid = drafted(loaded, "correction", ("source", "s1")).uid
    ann, reader = person(loaded, "ann", Role.OPERATOR), viewer(loaded, "read")
    with pytest.raises(ScopeMissing):
        discussion.comment(reader, uid, "Hello")
    for text in ("", " \n ", "c" * 10_001, "nul \0"):
        with pytest.raises(DraftRefused):
            discussion.comment(ann, uid, text)
    discussion.comment(ann, uid, "The publisher has written.")
    assert [one.text for one in history(ann, uid).items] == ["The publisher has written.", None]
    assert [one.what for one in history(reader, uid).items] == ["drafted"]
    case = Case.objects.get(uid=uid)
    assert case.owner_id is not None
    kept = Blob.objects.filter(owner_id=case.owner_id).values_list("ciphertext", flat=True)
    assert b"publisher" not in b"".join(bytes(each) for each in kept)
    assert "publisher" not in str(list(CaseEvent.objects.values()))
    apart.destroy([case.owner_id])
    assert [one.text for one in history(ann, uid).items] == [None, None]
    stranger = viewer(Workspace.objects.create(slug="cases-comments", name="x"))
    with pytest.raises(CaseNotFound):
        discussion.comment(stranger, uid, "Hello")


def test_a_case_is_given_to_somebody_who_may_work_on_it(loaded: Workspace) -> None:
    uid = drafted(loaded, "correction", ("source", "s1")).uid
    ann, rea = person(loaded, "ann"), person(loaded, "rea", Role.READER)
    for name in ("nobody-of-this-name", f"{loaded.slug}-rea"):
        with pytest.raises(DraftRefused) as refused:
            discussion.assign(ann, uid, name)
        assert refused.value.pointer == "/assignee"
    for _ in range(2):
        discussion.assign(ann, uid, f"{loaded.slug}-ann")
    assert [one.uid for one in queue.queue(ann, whose="mine").items] == [uid]
    assert queue.queue(ann, whose="nobody").items == ()
    assert queue.queue(ann).items[0].assignee == f"{loaded.slug}-ann"
    assert queue.queue(rea).items[0].assignee == ""
    for _ in range(2):
        discussion.assign(ann, uid, "")
    told = [(one.what, one.assigned) for one in history(ann, uid).items]
    assert told == [("assigned", ""), ("assigned", f"{loaded.slug}-ann"), ("drafted", "")]


# --- files ----------------------------------------------------------------------------------


REFUSED: list[tuple[str, bytes, str]] = [
    ("page.html", b"<p>", "/file"),
    ("run.exe", b"MZ", "/file"),
    ("photo.svg", b"<svg>", "/file"),
    ("photo.png", b"GIF89a", "/file"),
    ("notice.pdf", b"<html>", "/file"),
    ("notes.txt", b"a\0b", "/file"),
    ("notes.txt", b"\xff\xfe", "/file"),
    ("empty.txt", b"", "/file"),
    ("no-ending", b"x", "/file"),
    ("large.txt", b"x" * (10 * 2**20 + 1), "/file"),
    ("", b"x", "/name"),
    ("n" * 200 + ".txt", b"x", "/name"),
]


def test_what_is_no_file_of_the_kinds_that_are_kept_is_refused(loaded: Workspace) -> None:
    uid = drafted(loaded, "correction", ("source", "s1")).uid
    for name, data, pointer in REFUSED:
        with pytest.raises(DraftRefused) as refused:
            files.add_file(viewer(loaded), uid, name=name, data=data)
        assert refused.value.pointer == pointer, name
    with pytest.raises(ScopeMissing):
        files.add_file(viewer(loaded, "read"), uid, name="a.txt", data=b"x")
    assert CaseFile.objects.count() == 0


def test_a_file_is_kept_once_encrypted_read_again_and_destroyed(loaded: Workspace) -> None:
    uid = drafted(loaded, "erasure", ("source", "s1")).uid
    editor = viewer(loaded)
    first = files.add_file(editor, uid, name="/tmp/Letter of the author.PNG", data=PNG)
    assert (first.name, first.media_type, first.size) == (
        "Letter of the author.PNG",
        "image/png",
        48,
    )
    assert files.add_file(editor, uid, name="copy.png", data=PNG) == first
    other = files.add_file(editor, uid, name="mail.eml", data=b"From: somebody\n\nErase me.")
    assert [one.number for one in files.files(editor, uid)] == [first.number, other.number]
    assert files.read_file(editor, uid, first.number) == (first, PNG)
    owner_id = Case.objects.get(uid=uid).owner_id
    assert owner_id is not None
    kept = b"".join(bytes(b) for b in Blob.objects.filter(owner_id=owner_id).values_list("ciphertext", flat=True))  # fmt: skip
    assert b"Erase me" not in kept
    assert b"Letter" not in kept
    reader, stranger = (
        viewer(loaded, "read"),
        viewer(Workspace.objects.create(slug="c-f", name="x")),
    )
    for step in (files.files, lambda v, u: files.read_file(v, u, first.number)):
        with pytest.raises(ScopeMissing):
            step(reader, uid)
        with pytest.raises(CaseNotFound):
            step(stranger, uid)
    elsewhere = drafted(loaded, "correction", ("chunk", "c1")).uid
    with pytest.raises(CaseNotFound):
        files.read_file(editor, elsewhere, first.number)
    with pytest.raises(ScopeMissing):
        files.remove_file(viewer(loaded, "operate"), uid, first.number)
    for _ in range(2):
        files.remove_file(editor, uid, first.number)
    with pytest.raises(CaseNotFound):
        files.read_file(editor, uid, first.number)
    assert Blob.objects.filter(owner_id=owner_id).count() == 2
    assert keys_of([owner_id])
    removed = [one.numbers.get("removed", 0) for one in history(editor, uid).items]
    assert removed == [1, 0, 0, 0]


# --- the queue --------------------------------------------------------------------------------


def test_the_queue_has_the_greatest_damage_first_and_pages_by_it(loaded: Workspace) -> None:
    damage = [(5, 0, 9), (5, 2, 0), (5, 2, 3), (0, 0, 0), (7, 0, 0), (5, 2, 3), (0, 0, 0)]
    uids = []
    for stale, review, readers in damage:
        uid = drafted(loaded, "correction", ("source", "s1")).uid
        Case.objects.filter(uid=uid).update(stale=stale, review=review, readers=readers)
        uids.append(uid)
    expected = sorted(uids, key=lambda uid: (*(-n for n in damage[uids.index(uid)]), uid))
    got: list[str] = []
    cursor: str | None = None
    while True:
        page = queue.queue(viewer(loaded), order="damage", limit=2, cursor=cursor)
        got += [one.uid for one in page.items]
        cursor = page.next
        if cursor is None:
            break
    assert got == expected
    newest = queue.queue(viewer(loaded), limit=1).next
    with pytest.raises(CursorInvalid):
        queue.queue(viewer(loaded), order="damage", cursor=newest)


def test_the_queue_is_narrowed_by_kind_and_by_who_drafted(loaded: Workspace) -> None:
    who = viewer(loaded)
    targets = [{"kind": "source", "key": "s1"}]
    feed = workflow.draft(
        who, workflow.NewCase(kind="retraction", targets=targets), key="10.1/x"
    ).uid
    own = drafted(loaded, "correction", ("source", "s1")).uid
    tried = workflow.dry_run(who, own).uid
    assert [one.uid for one in queue.queue(who, whose="feed").items] == [feed]
    of_kind = queue.queue(who, kinds=("correction",))
    assert [(one.uid, one.damage) for one in of_kind.items] == [(tried, queue.Damage(1, 0, 0))]
    assert (of_kind.by_state["ready"], of_kind.by_state["draft"], of_kind.total) == (1, 0, 1)
    assert queue.queue(who, kinds=("retraction",)).items[0].damage is None
    # A key is nobody: it has no cases of its own.
    assert queue.queue(replace(who, key_id=1), whose="mine").items == ()


# --- mail -------------------------------------------------------------------------------------


def mailed(case_uid: str) -> list[int]:
    """Run the tasks of mail that the case has asked for; how many were told by each."""
    ids = set(CaseEvent.objects.filter(case__uid=case_uid).values_list("pk", flat=True))
    asked = TaskOutbox.objects.filter(name="lineage.mail_case_event").order_by("pk")
    wanted = [row["event_id"] for row in asked.values_list("arguments", flat=True)]
    return [mail_event(pk) for pk in wanted if pk in ids]


@override_settings(EMAIL_HOST="mail.example.org", SITE_ADDRESS="https://p.example.org")
def test_who_may_approve_is_told_of_what_waits_and_who_drafted_of_what_became_of_it(
    loaded: Workspace, mailoutbox: list[Any]
) -> None:
    oda, ann, bob = (person(loaded, n, r) for n, r in (
        ("oda", Role.OPERATOR), ("ann", Role.EDITOR), ("bob", Role.ADMIN)))  # fmt: skip
    rea = person(loaded, "rea", Role.READER)
    targets = [{"kind": "source", "key": "s1"}]
    uid = workflow.draft(
        oda, workflow.NewCase(kind="retraction", targets=targets, reason="Secret words")
    ).uid
    workflow.dry_run(oda, uid)
    rules.set_mail(bob, wanted=False)
    rules.set_mail(bob, wanted=False)
    assert mailed(uid) == [1]
    assert mailed(uid) == [0]
    workflow.approve(ann, uid)
    mailed(uid)
    assert [(m.to, m.subject) for m in mailoutbox] == [
        (["ann@example.org"], "A case waits for approval (retraction)"),
        (["oda@example.org"], "A case was approved (retraction)"),
    ]
    assert f"https://p.example.org/cases/{uid}" in mailoutbox[0].body
    assert "1 answer stale" in mailoutbox[0].body
    for told in mailoutbox:
        assert "Secret" not in told.body
        assert "Work s1" not in told.body
    assert rules.wants_mail(rea)
    assert not rules.wants_mail(bob)
    rules.set_mail(bob, wanted=True)
    assert rules.wants_mail(bob)


@override_settings(EMAIL_HOST="mail.example.org")
def test_mail_that_cannot_be_handed_over_is_tried_again(
    loaded: Workspace, mailoutbox: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    oda = person(loaded, "oda", Role.OPERATOR)
    person(loaded, "ann")
    uid = workflow.draft(
        oda, workflow.NewCase(kind="retraction", targets=[{"kind": "source", "key": "s1"}])
    ).uid
    workflow.dry_run(oda, uid)
    with override_settings(EMAIL_HOST=""):
        assert mailed(uid) == [0]
    away = lambda *_, **__: (_ for _ in ()).throw(smtplib.SMTPServerDisconnected())  # noqa: E731
    with monkeypatch.context() as broken:
        broken.setattr(django_mail.EmailMessage, "send", away)
        with pytest.raises(OSError):
            mailed(uid)
    assert mailed(uid) == [1]
    assert len(mailoutbox) == 1


def test_what_waits_for_another_person_is_not_told_to_who_drafted_it(
    loaded: Workspace, mailoutbox: list[Any]
) -> None:
    ann = person(loaded, "ann")
    person(loaded, "bob")
    rules.set_another_person(viewer(loaded, "admin"), demanded=True)
    uid = workflow.draft(
        ann, workflow.NewCase(kind="retraction", targets=[{"kind": "source", "key": "s1"}])
    ).uid
    workflow.dry_run(viewer(loaded), uid)
    with override_settings(EMAIL_HOST="mail.example.org"):
        assert mailed(uid) == [1]
    assert mailoutbox[0].to == ["bob@example.org"]
