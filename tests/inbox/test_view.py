"""The inbox as operators see it: only their workspace, counted, paged, without clients' words."""

import pytest

from lineage.inbox.view import inbox, payload, waiting
from lineage.nodes.paging import CursorInvalid
from lineage.types import NotFound, Viewer
from provexplorer.workspaces.keys import create_key
from provexplorer.workspaces.models import Workspace
from tests.inbox.conftest import Clock, Failing
from tests.inbox.world import REFUSED, SOURCE, body, row, send

pytestmark = pytest.mark.django_db


def viewer(workspace: Workspace, *, sees_all: bool = False) -> Viewer:
    return Viewer(workspace.pk, workspace.hash_key, workspace.slug, sees_all=sees_all)


def test_payloads_of_others_are_neither_listed_counted_nor_found(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="elsewhere", name="Elsewhere")
    theirs = send(other, SOURCE)
    found = inbox(viewer(workspace))
    assert (found.items, found.behind, set(found.by_state.values())) == ((), 0, {0})
    with pytest.raises(NotFound):
        payload(viewer(workspace), theirs.uid)


@pytest.mark.parametrize("cursor", ["nonsense", "W251bGxd", "WyJ4Il0"])
def test_a_cursor_of_another_list_is_refused(workspace: Workspace, cursor: str) -> None:
    with pytest.raises(CursorInvalid):
        inbox(viewer(workspace), cursor=cursor)


def test_the_list_is_counted_filtered_and_paged(
    workspace: Workspace, failing: Failing, time: Clock
) -> None:
    sent = []
    for records in ((SOURCE,), (SOURCE, REFUSED), (SOURCE, REFUSED)):
        sent.append(send(workspace, *records).uid)
        time.pass_(seconds=1)
    failing(KeyError("x"))
    sent.append(send(workspace, SOURCE).uid)

    first = inbox(viewer(workspace), limit=3)
    assert [each.uid for each in first.items] == sent[:0:-1]
    rest = inbox(viewer(workspace), limit=3, cursor=first.next)
    assert ([each.uid for each in rest.items], rest.next) == ([sent[0]], None)
    assert first.by_state == {
        "received": 1, "applied": 1, "partly_applied": 2, "quarantined": 0,
    }  # fmt: skip
    assert first.by_format == {"native": 4}
    assert first.behind > 0
    partly = inbox(viewer(workspace), states=("partly_applied",), formats=("native",))
    assert [each.uid for each in partly.items] == [sent[2], sent[1]]
    assert partly.by_format == {"native": 2}
    assert inbox(viewer(workspace), formats=("otlp",)).items == ()
    assert waiting()["payloads"] == 1


def test_only_administrators_read_what_a_client_wrote(workspace: Workspace) -> None:
    secret, unknown = {"kind": "source", "key": "private key"}, {"kind": "private", "key": "x"}
    receipt = send(workspace, secret, SOURCE, unknown)
    seen = payload(viewer(workspace), receipt.uid)
    assert (seen.body, seen.may_read) == (None, False)
    outcome, other = seen.outcomes
    assert outcome.problem is not None
    assert (outcome.index, outcome.kind, outcome.key) == (0, "source", "")
    assert (outcome.problem.slug, outcome.problem.detail) == ("field-missing", "")
    assert (other.index, other.kind, other.key) == (2, "", "")

    whole = payload(viewer(workspace, sees_all=True), receipt.uid)
    assert whole.body == body(secret, SOURCE, unknown).decode()
    assert [(each.kind, each.key) for each in whole.outcomes] == [
        ("source", "private key"), ("private", "x"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "shown", "cut"),
    [
        (b'{"records": []}' + b" " * 70_000, b'{"records": []}' + b" " * 65_521, True),
        (b'{"records": []}\xff'[:15], b'{"records": []}', False),
    ],
    ids=["long", "short"],
)
def test_a_long_body_is_shown_from_its_beginning(
    workspace: Workspace, data: bytes, shown: bytes, cut: bool
) -> None:
    receipt = send(workspace, body=data)
    found = payload(viewer(workspace, sees_all=True), receipt.uid)
    assert (found.body, found.cut) == (shown.decode(), cut)


def test_the_key_is_named_by_its_label(workspace: Workspace) -> None:
    key, _ = create_key(workspace=workspace, scopes=["ingest"], label="Nightly loader")
    receipt = send(workspace, SOURCE, key_id=key.pk)
    assert inbox(viewer(workspace)).items[0].key_label == "Nightly loader"
    key.delete()
    assert payload(viewer(workspace), receipt.uid).row.key_label is None
    assert row(receipt).api_key_id is None
