"""From a client's key to uids."""

import pytest

from lineage.nodes import resolve
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import LATER, T, record
from tests.nodes.world import ALPHA, load, source, viewer

pytestmark = pytest.mark.django_db


def test_unknown_key_kind_and_foreign_key_resolve_to_nothing(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="Other")
    load(other, source("s", ALPHA))
    assert resolve(viewer(workspace), "source", "s") == []
    assert resolve(viewer(workspace), "cheese", "s") == []
    load(workspace, [record("source", "s", namespace="n", title="In n")])
    assert resolve(viewer(workspace), "source", "s") == []
    assert len(resolve(viewer(workspace), "source", "s", "n")) == 1


def test_hidden_key_resolves_to_nothing(workspace: Workspace) -> None:
    load(workspace, source("s", ALPHA, acl=["staff"]))
    assert resolve(viewer(workspace), "document", "s-doc") == []
    assert len(resolve(viewer(workspace, "staff"), "document", "s-doc")) == 1


def test_revisions_come_newest_sighting_first(workspace: Workspace) -> None:
    def document(text: str, at: str | None) -> dict[str, object]:
        return record("document", "d", at=at, source_version="v", text=text)

    versions = [record("source", "s", title="S"), record("source_version", "v", source="s")]
    load(
        workspace, versions, [document("untimed", None), document("new", LATER), document("old", T)]
    )
    found = resolve(viewer(workspace), "document", "d")
    assert [str(each.occurred_at) for each in found] == [
        "2026-04-01 10:00:00+00:00", "2026-03-01 10:00:00+00:00", "None",
    ]  # fmt: skip
    # The old text is sent again, later than all: its revision is now the newest sighting.
    load(workspace, [document("old", "2026-05-01T10:00:00Z")])
    again = resolve(viewer(workspace), "document", "d")
    assert [each.uid for each in again] == [found[1].uid, found[0].uid, found[2].uid]
    assert all(each.resolved and each.digest for each in again)


def test_key_that_is_only_named_is_unresolved(workspace: Workspace) -> None:
    load(workspace, [record("document", "d", source_version="v", text="x")])
    (found,) = resolve(viewer(workspace), "source_version", "v")
    assert (found.resolved, found.digest, found.occurred_at) == (False, None, None)
