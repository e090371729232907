"""What is said about a node that leaves is said about its heir."""

import pytest
from pytest_django import Settings

from lineage.cases import workflow
from lineage.cases.register import withdrawals_of
from lineage.cases.view import CaseView
from lineage.models import CaseTarget, Node, Reference, UidAlias
from lineage.nodes import node as node_view
from lineage.types import Moved
from provexplorer.workspaces.models import Workspace
from tests.cases.world import states, viewer
from tests.ingest.sending import node, record, send

pytestmark = pytest.mark.django_db

EARLY, FIRST, SECOND, AFTER = (f"2026-01-{day:02}T00:00:00Z" for day in (3, 5, 20, 25))


@pytest.fixture(autouse=True)
def _graph_away(settings: Settings) -> None:
    settings.NEO4J_URI = "bolt://127.0.0.1:9"


def revoked(workspace: Workspace, target: Node) -> CaseView:
    case = workflow.draft(
        viewer(workspace), workflow.NewCase(kind="revocation", targets=[{"uid": target.uid}])
    )
    workflow.dry_run(viewer(workspace), case.uid)
    return workflow.approve(viewer(workspace), case.uid)


def named_whatever_its_namespace() -> list[dict[str, object]]:
    """A citation of a chunk that nobody has sent, in whatever namespace it may come."""
    return [
        record("answer", "a", text="One. [1]"),
        record("claim", "k", answer="a", interval={"start": 0, "end": 4}),
        record("citation", "q", claim="k", marker="[1]", chunk={"key": "ghost", "namespace": None}),
    ]


def in_a_namespace() -> list[dict[str, object]]:
    return [
        record("source", "s", title="S"),
        record("source_version", "v", source="s"),
        record("document", "d", source_version="v", text="Alpha."),
        record(
            "chunk", "ghost", namespace="shelf",
            document={"key": "d", "namespace": ""}, interval={"start": 0, "end": 5},
        ),
    ]  # fmt: skip


def test_case_on_a_placeholder_is_on_what_arrives_for_it(workspace: Workspace) -> None:
    send(workspace, named_whatever_its_namespace())
    placeholder = node(workspace, "chunk", "ghost")
    case = revoked(workspace, placeholder)
    assert {outcome.status for outcome in send(workspace, in_a_namespace())} == {"accepted"}
    chunk = node(workspace, "chunk", "ghost")
    assert (chunk.resolved, chunk.namespace) == (True, "shelf")
    assert list(CaseTarget.objects.values_list("node_id", flat=True)) == [chunk.pk]
    assert [row.case_uid for row in withdrawals_of(workspace.pk, [chunk.pk])[chunk.pk]] == [
        case.uid
    ]
    assert states(workspace) == {"a": "stale"}
    with pytest.raises(Moved, match=chunk.uid):
        node_view(viewer(workspace), placeholder.uid)


def test_placeholder_that_only_a_case_names_stays(workspace: Workspace) -> None:
    send(workspace, [record("retrieval", "r", candidates=[{"chunk": "ghost", "rank": 1}])])
    revoked(workspace, node(workspace, "chunk", "ghost"))
    send(workspace, [record("retrieval", "r", at=AFTER, candidates=[])])
    assert not node(workspace, "chunk", "ghost").resolved


def two_revisions_of_a_document(workspace: Workspace) -> list[Node]:
    """The same text under two versions of one key, by the times at which it was seen."""
    send(
        workspace,
        [
            record("source", "s", title="S"),
            record("source_version", "v", source="s", text="one", at="2026-01-01T00:00:00Z"),
            record("source_version", "v", source="s", text="two", at=SECOND),
            record("document", "d", source_version="v", text="Alpha.", at=FIRST),
            record("document", "d", source_version="v", text="Alpha.", at=AFTER),
        ],
    )
    found = Node.objects.filter(workspace=workspace, kind="document")
    return list(found.order_by("occurred_at"))


def test_case_on_a_revision_that_becomes_another_is_on_that_one(workspace: Workspace) -> None:
    early, late = two_revisions_of_a_document(workspace)
    first, second = revoked(workspace, early), revoked(workspace, late)
    both = workflow.draft(
        viewer(workspace),
        workflow.NewCase(kind="correction", targets=[{"uid": early.uid}, {"uid": late.uid}]),
    )
    send(workspace, [record("source_version", "v", source="s", text="two", at=EARLY)])
    only = node(workspace, "document", "d")
    assert only.uid == late.uid
    found = withdrawals_of(workspace.pk, [only.pk])[only.pk]
    assert {row.case_uid for row in found} == {first.uid, second.uid}
    targets = CaseTarget.objects.filter(case__uid=both.uid).values_list("node_id", flat=True)
    assert list(targets) == [only.pk]


def test_uids_of_revisions_that_became_one_lead_to_it(workspace: Workspace) -> None:
    early, late = two_revisions_of_a_document(workspace)
    text = "three"
    send(
        workspace,
        [
            record("source_version", "v", source="s", text=text, at=at)
            for at in ("2026-01-04T00:00:00Z", "2026-01-24T00:00:00Z")
        ],
    )
    only = node(workspace, "document", "d")
    assert only.uid not in {early.uid, late.uid}
    leading = UidAlias.objects.filter(node=only).values_list("uid", flat=True)
    assert {early.uid, late.uid} <= set(leading)


def test_reference_by_uid_to_a_revision_that_became_another_follows(workspace: Workspace) -> None:
    _, late = two_revisions_of_a_document(workspace)
    send(workspace, [record("run", "r", run_kind="chunk", used=[{"uid": late.uid}])])
    send(workspace, [record("source_version", "v", source="s", text="two", at=EARLY)])
    (row,) = Reference.objects.filter(workspace=workspace, relation="used")
    assert row.to_node_id == node(workspace, "document", "d").pk


@pytest.mark.django_db(transaction=True)
def test_claim_that_a_citation_named_whatever_its_namespace_is_stored(workspace: Workspace) -> None:
    """The edge leads from the claim to the citation: the placeholder at its start goes."""
    anywhere = {"key": "k", "namespace": None}
    send(workspace, [record("citation", "q", claim=anywhere, marker="[1]", position=1)])
    own = {"key": "a", "namespace": ""}
    outcomes = send(
        workspace,
        [
            record("answer", "a", text="One."),
            record("claim", "k", namespace="x", answer=own, interval={"start": 0, "end": 3}),
        ],
    )
    assert {outcome.status for outcome in outcomes} == {"accepted"}
    (cites,) = Reference.objects.filter(workspace=workspace, relation="claim")
    assert cites.from_node_id == node(workspace, "claim", "k").pk
