"""An erasure takes what the audit log's details say of it; the entries and their chain stay."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from lineage.erasure.ledger import view_of
from lineage.models import DataKey
from provexplorer.workspaces.audit.erasing import erase_details_naming
from provexplorer.workspaces.audit.models import AuditDetail, AuditEntry
from provexplorer.workspaces.audit.recording import details_of, record
from provexplorer.workspaces.audit.sealing import seal_some
from provexplorer.workspaces.audit.verifying import verify
from provexplorer.workspaces.models import Workspace
from tests.cases.world import node, viewer
from tests.erasure.world import PASSAGE, TITLE_SENTINEL, erased, made

pytestmark = pytest.mark.django_db


def said(workspace: Workspace) -> list[dict[str, Any]]:
    """The details that can still be read, in the order of their entries."""
    rows = AuditEntry.objects.filter(workspace_id=workspace.pk).order_by("pk")
    told = details_of(workspace, list(rows.values_list("pk", flat=True)))
    return [told[pk] for pk in sorted(told)]


ABOUT: dict[str, Any] = {"target": "src_other"}
NAMING = {"asked": {"q": f"Tides of {TITLE_SENTINEL}", "grades": ["cited"]}}
REPEATING = {"asked": [{"q": PASSAGE}]}
BESIDE = {"label": "Ada's laptop"}


def deeds(workspace: Workspace) -> None:
    source = node(workspace, "source", "s1")
    record("match.accepted", viewer(workspace), object_uid=source.uid, details=ABOUT)
    for details in (NAMING, REPEATING, BESIDE):
        record("export.made", viewer(workspace), details=details)


@pytest.mark.usefixtures("graph")
@pytest.mark.parametrize(
    ("describing", "left"), [(False, [ABOUT, NAMING, BESIDE]), (True, [BESIDE])]
)
def test_what_details_say_of_it_goes(
    workspace: Workspace, *, describing: bool, left: list[dict[str, Any]]
) -> None:
    made(workspace)
    deeds(workspace)
    owners = set(AuditDetail.objects.values_list("owner_id", flat=True))
    case = erased(workspace, ("source", "s1"), describing=describing)

    assert view_of(case).state == "done"
    assert said(workspace) == left
    gone = 4 - len(left)
    assert {one.name: one.cleared for one in view_of(case).places}["audit"] == gone
    # Not the rows alone: nothing opens them in backups either.
    assert DataKey.objects.filter(owner_id__in=owners).count() == len(owners) - gone
    (told,) = AuditEntry.objects.filter(workspace_id=workspace.pk, verb="audit.details_erased")
    assert (told.object_uid, told.actor_kind) == (case.uid, "product")
    seal_some(workspace.pk)
    assert verify(workspace.pk).broken is None


def erase(workspace: Workspace, *arguments: str, words: str = "") -> str:
    out = StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", StringIO(words))
        call_command("erase_audit_details", *arguments, "--workspace", workspace.slug, stdout=out)
    return out.getvalue()


def test_the_command_erases_what_names_somebody(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug=f"{workspace.slug}-2", name="other")
    by = viewer(workspace)
    named = [
        {"label": "Ada Lovelace, laptop"},
        {"url": "https://example.org/?mail=ADA@example.org"},
        {"label": "adapter"},
    ]
    for number, details in enumerate(named):
        record("key.made", by, object_uid=f"k{number}", details=details)
    record("key.made", viewer(other), object_uid="k0", details=named[0])

    with pytest.raises(CommandError, match="fewer than 4 characters"):
        erase(workspace, "--naming", words="Ada\n")
    assert len(said(workspace)) == 3
    assert erase(workspace, "--naming", words="\n") == "0 details erased\n"
    words = "ada lovelace\nada@example.org\n"
    assert erase(workspace, "--naming", words=words) == "2 details erased\n"
    assert said(workspace) == [{"label": "adapter"}]
    assert erase(workspace, "--naming", words=words) == "0 details erased\n"
    assert erase(workspace, "--object", "k2") == "1 details erased\n"
    # Another workspace's log is its own.
    assert (said(workspace), said(other)) == ([], [named[0]])
    with pytest.raises(CommandError):
        erase(Workspace(slug="no-such"), "--object", "k2")


def test_batches_go_to_the_end(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("provexplorer.workspaces.audit.erasing._BATCH", 2)
    for number in range(5):
        record("key.made", viewer(workspace), details={"label": f"Somebody {number % 2}"})
    assert erase_details_naming(workspace, ["Somebody 0"]) == 3
    assert said(workspace) == [{"label": "Somebody 1"}] * 2
