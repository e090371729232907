"""A queryset composed once gives what Django gives, whatever values a call binds."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models import Q

from lineage.compiled import Compiled, by_their_ids
from lineage.models import Node
from provexplorer.workspaces.models import Workspace

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 1, 12, 0, 0, 250, tzinfo=UTC)
CHILDREN = Compiled(
    lambda given: Node.objects.filter(
        workspace_id=given.id("workspace"),
        parent_id__in=given.ids("parents"),
        kind=given.text("kind"),
    ).order_by("pk")
)
SINCE = Compiled(
    lambda given: (
        Node.objects.filter(recorded_at__gte=given.instant("since"))
        .order_by("uid")
        .values_list("uid", "fields", "recorded_at", "occurred_at", "resolved", "fields__acl")
    )
)
EITHER = Compiled(
    lambda given: (
        Node.objects.filter(
            Q(pk__in=given.ids("pks")) | Q(uid__in=given.texts("uids"), kind="claim")
        )
        .order_by("pk")
        .values_list("uid")
    )
)
OF_A_WORKSPACE = Compiled(
    lambda given: (
        by_their_ids(Node.objects.filter(uid__in=given.texts("uids")), given.id("workspace"))
        .only("uid", "fields")
        .order_by("uid")
    )
)


def node(workspace: Workspace, uid: str, **fields: Any) -> Node:
    return Node.objects.create(
        workspace=workspace, uid=uid, kind=fields.pop("kind", "claim"), namespace="", key=uid,
        address=uid, recorded_at=fields.pop("recorded_at", NOON), **fields,
    )  # fmt: skip


def test_instances_are_those_of_the_queryset(workspace: Workspace) -> None:
    answer = node(workspace, "a", kind="answer")
    first = node(workspace, "k1", parent=answer, fields={"x": [1, None, "é"]}, occurred_at=NOON)
    second = node(workspace, "k2", parent=answer, resolved=False)
    node(workspace, "k3")
    node(workspace, "q", kind="citation", parent=answer)
    found = CHILDREN.instances(workspace=workspace.pk, parents=[answer.pk, 0], kind="claim")
    assert [vars(each) | {"_state": None} for each in found] == [
        vars(Node.objects.get(pk=each.pk)) | {"_state": None} for each in (first, second)
    ]
    assert found == [first, second]
    assert found[0].parent == answer


def test_an_instance_can_be_saved(workspace: Workspace) -> None:
    answer = node(workspace, "a", kind="answer")
    node(workspace, "k", parent=answer)
    (found,) = CHILDREN.instances(workspace=workspace.pk, parents=[answer.pk], kind="claim")
    found.label = "changed"
    found.save(update_fields=["label"])
    assert Node.objects.get(uid="k").label == "changed"


def test_rows_are_converted_as_django_does(workspace: Workspace) -> None:
    node(workspace, "k1", fields={"acl": ["staff"], "n": 1.5}, occurred_at=NOON)
    node(workspace, "k2", fields={"acl": None}, resolved=False)
    node(workspace, "k3", recorded_at=NOON - timedelta(microseconds=1))
    assert SINCE.rows(since=NOON) == [
        ("k1", {"acl": ["staff"], "n": 1.5}, NOON, NOON, True, ["staff"]),
        ("k2", {"acl": None}, NOON, None, False, None),
    ]
    assert SINCE.rows(since=NOON + timedelta(seconds=1)) == []


def test_an_empty_list_matches_nothing_and_leaves_the_rest(workspace: Workspace) -> None:
    first, second = node(workspace, "k1"), node(workspace, "k2")
    assert EITHER.rows(pks=[], uids=[]) == []
    assert EITHER.rows(pks=[], uids=["k1"]) == [("k1",)]
    assert EITHER.rows(pks=[first.pk, second.pk], uids=[]) == [("k1",), ("k2",)]
    assert EITHER.rows(pks={second.pk}, uids=("k1", "%s", "k'1")) == [("k1",), ("k2",)]


def test_rows_of_other_workspaces_are_not_found_by_their_ids(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="other")
    node(workspace, "k1", fields={"x": 1}, label="later")
    node(other, "k2")
    (found,) = OF_A_WORKSPACE.instances(workspace=workspace.pk, uids=["k1", "k2"])
    assert found.uid == "k1"
    assert found.get_deferred_fields() >= {"label", "key"}
    assert found.label == "later"


def test_a_value_that_was_not_given_is_an_error(workspace: Workspace) -> None:
    with pytest.raises(KeyError, match="kind"):
        CHILDREN.instances(workspace=workspace.pk, parents=[1])
