"""A case from draft to its end: who may, in which order, and what a second click does."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from lineage.cases import queue, workflow
from lineage.cases.errors import (
    CaseConflict,
    CaseNotFound,
    DraftRefused,
    ScopeMissing,
    TargetRefused,
)
from lineage.cases.proving_again import prove_again
from lineage.cases.view import CaseView, case_view
from lineage.models import Case, RegisterEpoch, TaskOutbox, Withdrawal
from lineage.nodes.paging import CursorInvalid
from lineage.types import NotFound, Viewer
from provexplorer import clock
from provexplorer.workspaces.models import Membership, Role, User, Workspace
from tests.cases.world import (
    approved,
    drafted,
    node,
    record,
    row,
    run_to_end,
    send,
    states,
    viewer,
    world,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def loaded(workspace: Workspace) -> Workspace:
    send(workspace, world())
    return workspace


def tasks(name: str) -> list[dict[str, int]]:
    return list(TaskOutbox.objects.filter(name=name).values_list("arguments", flat=True))


# --- drafting ---------------------------------------------------------------------------


UNFIT: list[tuple[list[object], str]] = [
    ([], "/targets"),
    (["s1"], "/targets/0"),
    ([{"key": "s1"}], "/targets/0/kind"),
    ([{"kind": "answer", "key": "cites"}], "/targets/0/kind"),
    ([{"kind": "claim", "key": "claim-cites"}], "/targets/0/kind"),
    ([{"kind": "source", "key": "s1"}, {"kind": "source", "key": "nobody"}], "/targets/1/key"),
    ([{"kind": "source", "key": ""}], "/targets/0/key"),
    ([{"kind": "source", "key": "k" * 2001}], "/targets/0/key"),
    ([{"kind": "source", "key": 7}], "/targets/0/key"),
    ([{"kind": "source", "key": "s1", "namespace": 7}], "/targets/0"),
    ([{"kind": "chunk", "key": "c1", "digest": "sha256:" + "0" * 64}], "/targets/0/key"),
    ([{"kind": "source", "key": "s1", "namespace": "elsewhere"}], "/targets/0/key"),
    ([{"uid": "src_" + "a" * 26}], "/targets/0/uid"),
    ([{"uid": "ans_" + "a" * 26}], "/targets/0/uid"),
    ([{"uid": "nonsense"}], "/targets/0/uid"),
    ([{"uid": None}], "/targets/0/uid"),
    ([{"kind": "source", "key": f"s{n}"} for n in range(201)], "/targets"),
]


def test_a_target_that_cannot_stand_is_refused_with_its_place(loaded: Workspace) -> None:
    for targets, pointer in UNFIT:
        with pytest.raises(DraftRefused) as refused:
            workflow.draft(viewer(loaded), workflow.NewCase(kind="correction", targets=targets))
        assert refused.value.pointer == pointer, targets[:2]
    assert Case.objects.count() == 0


def test_a_foreign_target_is_refused_like_an_unknown_one(loaded: Workspace) -> None:
    there = Workspace.objects.create(slug="cases-foreign", name="foreign")
    send(there, world())
    refusals = []
    for uid in (node(there, "source", "s1").uid, "src_" + "b" * 26):
        with pytest.raises(TargetRefused) as refused:
            workflow.draft(
                viewer(loaded), workflow.NewCase(kind="correction", targets=[{"uid": uid}])
            )
        refusals.append((refused.value.pointer, refused.value.detail))
    assert refusals[0] == refusals[1]


UNSAYABLE: list[tuple[dict[str, Any], str]] = [
    ({"kind": "reinstatement"}, "/kind"),
    ({"kind": "rumour"}, "/kind"),
    ({"reason": "r" * 10_001}, "/reason"),
    ({"evidence": ["e"] * 101}, "/evidence"),
    ({"evidence": ["fine", 7]}, "/evidence/1"),
]


def test_a_draft_that_says_what_cannot_be_is_refused(loaded: Workspace) -> None:
    for more, pointer in UNSAYABLE:
        targets = [{"kind": "source", "key": "s1"}]
        draft: dict[str, Any] = {"kind": "correction", "targets": targets, **more}
        with pytest.raises(DraftRefused) as refused:
            workflow.draft(viewer(loaded), workflow.NewCase(**draft))
        assert refused.value.pointer == pointer


def test_a_key_in_two_namespaces_must_be_told_apart(loaded: Workspace) -> None:
    send(loaded, [{**record("source", "s1", title="Another"), "namespace": "b"}])
    anywhere = {"kind": "source", "key": "s1", "namespace": None}
    with pytest.raises(TargetRefused):
        workflow.draft(viewer(loaded), workflow.NewCase(kind="correction", targets=[anywhere]))
    only_once = {"kind": "source", "key": "s2", "namespace": None}
    case = workflow.draft(viewer(loaded), workflow.NewCase(kind="correction", targets=[only_once]))
    assert [target.uid for target in case.targets] == [node(loaded, "source", "s2").uid]


def test_a_reused_key_means_its_latest_revision_unless_the_digest_says_which(
    loaded: Workspace,
) -> None:
    send(loaded, [{**record("document", "s1-doc", source_version="s1@1", text="New words."),
                   "occurred_at": "2026-04-01T10:00:00Z"}])  # fmt: skip
    case = drafted(loaded, "correction", ("document", "s1-doc"))
    latest = [target.uid for target in case.targets]

    first, second = sorted(
        loaded.node_set.filter(kind="document", key="s1-doc"), key=lambda one: one.recorded_at
    )
    assert latest == [second.uid]
    ref = {"kind": "document", "key": "s1-doc", "digest": first.digest}
    case = workflow.draft(viewer(loaded), workflow.NewCase(kind="correction", targets=[ref]))
    assert [target.uid for target in case.targets] == [first.uid]


def test_the_same_target_named_twice_is_one_target(loaded: Workspace) -> None:
    refs = [{"kind": "source", "key": "s1"}, {"uid": node(loaded, "source", "s1").uid}]
    case = workflow.draft(viewer(loaded), workflow.NewCase(kind="correction", targets=refs))
    assert [(target.kind, target.key) for target in case.targets] == [("source", "s1")]


# --- scopes and walls -------------------------------------------------------------------


EVERY_STEP = {
    "draft", "dry_run", "approve", "cancel", "pause", "resume", "prove_again", "reinstate",
}  # fmt: skip
REFUSED: dict[tuple[str, ...], set[str]] = {
    ("read", "ingest", "admin"): EVERY_STEP,
    ("operate",): {"approve", "pause", "resume", "prove_again", "reinstate"},
    ("edit",): {"draft", "dry_run", "cancel"},
    ("operate", "edit"): set(),
}


def refused_to(workspace: Workspace, scopes: tuple[str, ...]) -> set[str]:
    """The steps that these scopes do not carry, tried on a draft."""
    who = viewer(workspace, *scopes)
    uid = drafted(workspace, "correction", ("source", "s1")).uid
    targets = [{"kind": "source", "key": "s1"}]
    steps: dict[str, Callable[[], CaseView]] = {
        "draft": lambda: workflow.draft(who, workflow.NewCase(kind="correction", targets=targets)),
        "dry_run": lambda: workflow.dry_run(who, uid),
        "approve": lambda: workflow.approve(who, uid),
        "pause": lambda: workflow.pause(who, uid),
        "resume": lambda: workflow.resume(who, uid),
        "cancel": lambda: workflow.cancel(who, uid),
        "prove_again": lambda: prove_again(who, uid),
        "reinstate": lambda: workflow.reinstate(who, uid),
    }
    refused = set()
    for name, step in steps.items():
        try:
            step()
        except ScopeMissing:
            refused.add(name)
        except CaseConflict:
            pass
    return refused


def test_each_step_needs_its_scope(loaded: Workspace) -> None:
    assert {scopes: refused_to(loaded, scopes) for scopes in REFUSED} == REFUSED


def test_a_foreign_case_is_as_unknown_as_one_that_never_was(loaded: Workspace) -> None:
    there = Workspace.objects.create(slug="cases-wall", name="wall")
    uid = drafted(loaded, "correction", ("source", "s1")).uid
    stranger = viewer(there)
    for step in (
        case_view, workflow.dry_run, workflow.approve, workflow.cancel,
        workflow.pause, workflow.resume, workflow.reinstate, prove_again,
    ):  # fmt: skip
        for one in (uid, "cas_" + "c" * 26):
            with pytest.raises(CaseNotFound) as unknown:
                step(stranger, one)
            assert isinstance(unknown.value, NotFound)
    assert queue.queue(stranger).items == ()
    assert row(case_view(viewer(loaded), uid)).state == "draft"


# --- order of steps ---------------------------------------------------------------------


def test_a_draft_without_dry_run_is_not_approved(loaded: Workspace) -> None:
    case = drafted(loaded, "retraction", ("source", "s1"))
    with pytest.raises(CaseConflict) as conflict:
        workflow.approve(viewer(loaded), case.uid)
    assert (conflict.value.code, conflict.value.state) == ("no_dry_run", "draft")
    assert Withdrawal.objects.count() == 0


def test_a_second_approval_changes_nothing(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    before = (row(case).approved_at, row(case).epoch, Withdrawal.objects.count())
    again = workflow.approve(viewer(loaded), case.uid)
    assert again.state == "propagating"
    assert (row(case).approved_at, row(case).epoch, Withdrawal.objects.count()) == before
    assert tasks("lineage.propagate_case") == [{"case_id": row(case).pk}]


def test_an_approval_raises_the_epoch_and_registers_its_targets(loaded: Workspace) -> None:
    epoch = RegisterEpoch.objects.get(workspace=loaded).epoch
    case = approved(loaded, "retraction", ("source", "s1"), ("chunk", "c2"))
    assert row(case).epoch == epoch + 1 == RegisterEpoch.objects.get(workspace=loaded).epoch
    named = Withdrawal.objects.filter(case__uid=case.uid).values_list("node__key", flat=True)
    assert sorted(named) == ["c2", "s1"]


def test_what_is_closed_stays_closed(loaded: Workspace) -> None:
    case = drafted(loaded, "retraction", ("source", "s1"))
    assert workflow.cancel(viewer(loaded), case.uid).state == "cancelled"
    assert workflow.cancel(viewer(loaded), case.uid).state == "cancelled"
    for step in (workflow.dry_run, workflow.approve, workflow.pause, workflow.resume,
                 workflow.reinstate, prove_again):  # fmt: skip
        with pytest.raises(CaseConflict):
            step(viewer(loaded), case.uid)


def test_a_case_in_effect_is_reinstated_not_cancelled(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    with pytest.raises(CaseConflict) as conflict:
        workflow.cancel(viewer(loaded), case.uid)
    assert conflict.value.code == "in_effect"
    assert states(loaded)["cites"] == "stale"


def test_a_scheduled_case_is_cancelled_by_an_editor_and_never_takes_effect(
    loaded: Workspace,
) -> None:
    now = clock.now()
    case = approved(loaded, "expiry", ("source", "s1"), effective_at=now + timedelta(hours=1))
    with pytest.raises(ScopeMissing):
        workflow.cancel(viewer(loaded, "operate"), case.uid)
    with pytest.raises(CaseConflict):
        workflow.reinstate(viewer(loaded), case.uid)
    workflow.cancel(viewer(loaded), case.uid)
    clock.use(lambda: now + timedelta(hours=2))
    try:
        assert states(loaded)["cites"] == "current"
    finally:
        clock.use(None)


def test_reinstating_twice_gives_the_one_reinstatement(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    first = workflow.reinstate(viewer(loaded), case.uid, reason="withdrawn by mistake")
    second = workflow.reinstate(viewer(loaded), case.uid, reason="again")
    assert first.uid == second.uid
    assert (first.kind, first.reinstates, first.reason) == (
        "reinstatement", case.uid, "withdrawn by mistake",
    )  # fmt: skip
    assert case_view(viewer(loaded), case.uid).reinstated_by == first.uid
    with pytest.raises(CaseConflict) as conflict:
        workflow.reinstate(viewer(loaded), first.uid)
    assert conflict.value.code == "is_reinstatement"


def test_pausing_keeps_the_register_and_resuming_goes_on(loaded: Workspace) -> None:
    case = approved(loaded, "retraction", ("source", "s1"))
    assert workflow.pause(viewer(loaded), case.uid).state == "paused"
    assert workflow.pause(viewer(loaded), case.uid).state == "paused"
    assert run_to_end(case).state == "paused"
    assert states(loaded)["cites"] == "stale"
    assert workflow.resume(viewer(loaded), case.uid).state == "propagating"
    assert len(tasks("lineage.propagate_case")) == 2


# --- what is told -----------------------------------------------------------------------


def test_a_dry_run_counts_and_changes_nothing_else(loaded: Workspace) -> None:
    uid = drafted(loaded, "correction", ("source", "s1")).uid
    case = workflow.dry_run(viewer(loaded), uid)
    assert case.state == "ready"
    assert case.counts == {
        "cited": 1, "in_context": 1, "produced": 0, "retrieved": 1, "possible": 0, "served": 0,
    }  # fmt: skip
    assert case.states == {"stale": 1, "review": 1, "current": 1}
    assert case.claims == {"fallen": 0, "weakened": 0, "check": 1, "stands": 0}
    keys = {node(loaded, "answer", key).uid: key for key in ("cites", "context", "drops")}
    assert [(keys[one.uid], one.grade, one.state) for one in case.sample] == [
        ("cites", "cited", "stale"),
        ("context", "in_context", "review"),
        ("drops", "retrieved", "current"),
    ]
    assert case.truncated is False
    assert Withdrawal.objects.count() == 0
    assert set(states(loaded).values()) == {"current"}


def test_a_case_tells_who_by_role_and_what_may_be_done(loaded: Workspace) -> None:
    operator = User.objects.create(username="cases-operator")
    Membership.objects.create(user=operator, workspace=loaded, role=Role.OPERATOR)
    base = viewer(loaded, "read", "operate")
    who = Viewer(
        workspace_id=base.workspace_id, hash_key=base.hash_key, slug=base.slug,
        scopes=base.scopes, user_id=operator.pk,
    )  # fmt: skip
    targets = [{"kind": "source", "key": "s1"}]
    case = workflow.draft(
        who,
        workflow.NewCase(kind="correction", targets=targets, reason="A slip.", evidence=["doi"]),
    )
    assert (case.drafted_by, case.approved_by) == ("operator", None)
    assert (case.reason, case.evidence) == ("A slip.", ("doi",))
    assert case.may == {"dry_run", "cancel"}
    assert workflow.dry_run(who, case.uid).may == {"dry_run", "cancel"}
    assert "approve" in case_view(viewer(loaded), case.uid).may
    assert workflow.approve(viewer(loaded), case.uid).approved_by == "machine"


def test_a_hidden_target_shows_neither_key_nor_label(workspace: Workspace) -> None:
    send(workspace, [record("source", "secret", title="Secret plan"),
                     record("source_version", "secret@1", source="secret", acl=["board"])])  # fmt: skip
    source = node(workspace, "source", "secret")
    case = workflow.draft(
        viewer(workspace), workflow.NewCase(kind="revocation", targets=[{"uid": source.uid}])
    )
    (target,) = case.targets
    assert target == type(target)(source.uid, "source", None, None, None, hidden=True)
    # A guess at the key tells nothing: it answers as one that nobody has sent.
    for key in ("secret", "nothing"):
        with pytest.raises(TargetRefused, match="Nothing with this kind, key and digest"):
            drafted(workspace, "revocation", ("source", key))


def test_the_queue_is_paged_by_state_newest_first(loaded: Workspace) -> None:
    uids = [drafted(loaded, "correction", ("source", "s1")).uid for _ in range(3)]
    workflow.cancel(viewer(loaded), uids[1])
    first = queue.queue(viewer(loaded), states=("draft",), limit=1)
    assert ([one.uid for one in first.items], first.total) == ([uids[2]], 2)
    assert (first.by_state["draft"], first.by_state["cancelled"]) == (2, 1)
    assert first.next is not None
    rest = queue.queue(viewer(loaded), states=("draft",), limit=1, cursor=first.next)
    assert ([one.uid for one in rest.items], rest.next) == ([uids[0]], None)
    assert rest.items[0].targets == 1
    with pytest.raises(CursorInvalid):
        queue.queue(viewer(loaded), cursor="nonsense")
