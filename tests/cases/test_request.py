"""Requests for corrections: anybody who may read asks, nothing happens by itself, and there is a limit."""

from dataclasses import replace

import pytest

from lineage.cases import request, workflow
from lineage.cases.errors import CaseConflict, CaseNotFound, DraftRefused, ScopeMissing
from lineage.cases.request import TooManyOpen, ask, mine, requests_of, withdraw
from lineage.models import Case, CaseTarget, CorrectionRequest, Node, Withdrawal
from lineage.nodes.paging import CursorInvalid
from lineage.types import Viewer
from provexplorer.workspaces.models import Membership, Role, User, Workspace
from provexplorer.workspaces.roles import scopes_of
from tests.nodes.world import ALPHA, load, source

pytestmark = pytest.mark.django_db


def member(workspace: Workspace, role: str = Role.READER, name: str = "ann") -> Viewer:
    user = User.objects.create_user(f"{name}-{workspace.slug}", first_name=name.title())
    Membership.objects.create(user=user, workspace=workspace, role=role)
    return Viewer(
        workspace_id=workspace.pk,
        hash_key=workspace.hash_key,
        slug=workspace.slug,
        scopes=scopes_of(role),
        user_id=user.pk,
    )


@pytest.fixture
def work(workspace: Workspace) -> Node:
    return load(workspace, source("s", ALPHA))["s"]


def asked(viewer: Viewer, work: Node, wrong: str = "attribution", **fields: str) -> str:
    given = {"reason": "It was Cy.", **fields}
    return ask(viewer, wrong=wrong, about_uid=work.uid, targets=[work.uid], **given)[0]


def test_a_reader_asks_and_nothing_takes_effect(workspace: Workspace, work: Node) -> None:
    ann = member(workspace)
    uid, new = ask(
        ann, wrong="outdated", about_uid=work.uid, targets=[work.uid],
        reason="  There is a second edition. ", evidence=" https://example.org/2 ",
    )  # fmt: skip
    case = Case.objects.get(uid=uid)
    assert new
    assert (case.kind, case.state, case.reason, case.evidence) == (
        "supersession", "draft", "There is a second edition.", ["https://example.org/2"],
    )  # fmt: skip
    assert (case.drafted_by_id, case.approved_at) == (ann.user_id, None)
    assert list(CaseTarget.objects.values_list("node_id", flat=True)) == [work.pk]
    assert not Withdrawal.objects.exists()
    # It is tried out and approved as any other, by those who may.
    for step in (workflow.dry_run, workflow.approve):
        with pytest.raises(ScopeMissing):
            step(ann, uid)
    editor = member(workspace, Role.EDITOR, "eve")
    workflow.dry_run(editor, uid)
    assert workflow.approve(editor, uid).state == "propagating"


def test_what_is_wrong_says_what_kind_of_case_it_is(workspace: Workspace, work: Node) -> None:
    ann = member(workspace)
    kinds = {
        "attribution": "correction",
        "misquoted": "concern",
        "outdated": "supersession",
        "licence": "license_change",
        "withdraw": "revocation",
        "other": "concern",
    }
    drafted = {wrong: Case.objects.get(uid=asked(ann, work, wrong)).kind for wrong in kinds}
    assert drafted == kinds


def test_a_faulty_request_is_refused(workspace: Workspace, work: Node) -> None:
    ann = member(workspace)
    faulty: list[tuple[dict[str, str], str]] = [
        ({"wrong": "retraction"}, "/wrong"),
        ({"wrong": ""}, "/wrong"),
        ({"reason": " \n"}, "/reason"),
        ({"reason": "x" * 4_001}, "/reason"),
        ({"evidence": "x" * 2_001}, "/evidence"),
    ]
    for fields, pointer in faulty:
        with pytest.raises(DraftRefused) as refused:
            asked(ann, work, **fields)
        assert refused.value.pointer == pointer
    assert not Case.objects.exists()


def test_who_is_no_member_cannot_ask(workspace: Workspace, work: Node) -> None:
    ann = member(workspace)
    for stranger in (
        replace(ann, user_id=None, key_id=1),
        replace(ann, scopes=frozenset({"ingest"})),
        replace(ann, user_id=User.objects.create_user("stranger").pk),
    ):
        with pytest.raises(ScopeMissing):
            asked(stranger, work)
    assert not Case.objects.exists()


def test_a_target_of_others_is_unknown_and_leaves_no_trace(workspace: Workspace) -> None:
    elsewhere = Workspace.objects.create(slug=f"{workspace.slug}-2", name="other")
    theirs = load(elsewhere, source("s", ALPHA))["s"]
    with pytest.raises(DraftRefused):
        asked(member(workspace), theirs)
    assert not CorrectionRequest.objects.exists()


def test_asking_twice_is_asking_once_while_it_is_open(workspace: Workspace, work: Node) -> None:
    ann = member(workspace)
    first = asked(ann, work)
    assert ask(
        ann, wrong="attribution", about_uid=work.uid, targets=[work.uid], reason="Again."
    ) == (first, False)  # fmt: skip
    assert asked(ann, work, "other") != first
    assert asked(member(workspace, name="bob"), work) != first
    withdraw(ann, first)
    assert asked(ann, work) != first


def test_a_person_has_so_many_open_requests_and_no_more(
    workspace: Workspace, work: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request, "MOST_OPEN", 2)
    ann = member(workspace)
    first = asked(ann, work)
    asked(ann, work, "licence")
    with pytest.raises(TooManyOpen):
        asked(ann, work, "other")
    # The same again is no further one; of others there may be some; a closed one counts no more.
    assert asked(ann, work) == first
    asked(member(workspace, name="bob"), work)
    withdraw(ann, first)
    asked(ann, work, "other")


def test_withdrawing_is_for_ones_own_that_is_not_decided(workspace: Workspace, work: Node) -> None:
    ann, editor = member(workspace), member(workspace, Role.EDITOR, "eve")
    uid = asked(ann, work)
    with pytest.raises(CaseNotFound):
        withdraw(member(workspace, name="bob"), uid)
    with pytest.raises(CaseNotFound):
        withdraw(editor, uid)
    with pytest.raises(CaseNotFound):
        withdraw(replace(ann, user_id=None), uid)
    for _ in range(2):
        withdraw(ann, uid)
    assert Case.objects.get(uid=uid).state == "cancelled"
    other = asked(ann, work, "other")
    workflow.dry_run(editor, other)
    workflow.approve(editor, other)
    with pytest.raises(CaseConflict):
        withdraw(ann, other)


def test_a_request_approved_for_later_is_no_longer_the_askers(
    workspace: Workspace, work: Node
) -> None:
    ann, editor = member(workspace), member(workspace, Role.EDITOR, "eve")
    uid = asked(ann, work)
    Case.objects.filter(uid=uid).update(effective_at="2100-01-01T00:00:00Z")
    workflow.dry_run(editor, uid)
    assert workflow.approve(editor, uid).state == "scheduled"
    with pytest.raises(CaseConflict):
        withdraw(ann, uid)


def test_who_asked_is_told_to_those_who_decide_and_to_who_asked(
    workspace: Workspace, work: Node
) -> None:
    ann = member(workspace)
    uid = asked(ann, work)
    plain = workflow.draft(
        member(workspace, Role.OPERATOR, "otto"),
        workflow.NewCase(kind="concern", targets=[{"uid": work.uid}]),
    )
    known = {
        name: requests_of(viewer, [uid, plain.uid])
        for name, viewer in (
            ("ann", ann),
            ("bob", member(workspace, name="bob")),
            ("eve", member(workspace, Role.EDITOR, "eve")),
        )
    }
    assert {name: list(found) for name, found in known.items()} == {name: [uid] for name in known}
    assert {name: (f[uid].by, f[uid].mine) for name, f in known.items()} == {
        "ann": ("Ann", True), "bob": (None, False), "eve": ("Ann", False),
    }  # fmt: skip
    elsewhere = Workspace.objects.create(slug=f"{workspace.slug}-2", name="other")
    assert requests_of(member(elsewhere, Role.ADMIN, "zoe"), [uid]) == {}
    User.objects.filter(pk__in=[ann.user_id]).delete()
    assert requests_of(member(workspace, Role.EDITOR, "ed"), [uid])[uid].by is None


def test_my_requests_are_listed_newest_first_and_follow_their_cases(
    workspace: Workspace, work: Node
) -> None:
    ann, editor = member(workspace), member(workspace, Role.EDITOR, "eve")
    uids = [asked(ann, work, wrong) for wrong in ("attribution", "outdated", "other")]
    asked(member(workspace, name="bob"), work)
    withdraw(ann, uids[0])
    workflow.dry_run(editor, uids[1])
    workflow.approve(editor, uids[1])
    workflow.reinstate(editor, uids[1])
    first = mine(ann, limit=2)
    assert (first.total, first.open) == (3, 1)
    assert [(row.case_uid, row.state, row.open, row.reinstated) for row in first.items] == [
        (uids[2], "draft", True, False), (uids[1], "incomplete", False, True),
    ]  # fmt: skip
    rest = mine(ann, limit=2, cursor=first.next)
    assert [(row.case_uid, row.state, row.wrong) for row in rest.items] == [
        (uids[0], "cancelled", "attribution")
    ]
    assert rest.next is None
    for cursor in ("", "x", "WzFd", "WyJhIiwiYiJd"):
        with pytest.raises(CursorInvalid):
            mine(ann, cursor=cursor)
    assert mine(replace(ann, user_id=None)).total == 0
