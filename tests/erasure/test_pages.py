"""The case's page: what goes is chosen before, and afterwards every place is told with its state."""

import pytest
from django.test import Client

from lineage.cases.errors import CaseConflict, ScopeMissing
from lineage.erasure import places
from lineage.erasure.certificate import erasure_part
from lineage.erasure.ledger import choose, erasure_view
from lineage.models import Case
from lineage.types import NotFound
from provexplorer.workspaces.models import Membership, User, Workspace
from tests.cases.world import approved, drafted, node, viewer
from tests.erasure.world import PASSAGE, erased, made

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("graph"), pytest.mark.one_pair]


@pytest.fixture
def member(workspace: Workspace, client: Client) -> Client:
    user = User.objects.create_user(f"editor-{workspace.slug}")
    Membership.objects.create(user=user, workspace=workspace, role="editor")
    client.force_login(user)
    return client


def test_chosen_until_it_takes_effect(workspace: Workspace, member: Client) -> None:
    made(workspace)
    uid = drafted(workspace, "erasure", ("source", "s1")).uid
    page = member.get(f"/cases/{uid}")
    assert 'name="describing" value="0" checked' in page.text
    assert member.post(f"/cases/{uid}/erasure", {"describing": "1"}).status_code == 302
    assert 'name="describing" value="1" checked' in member.get(f"/cases/{uid}").text
    member.post(f"/cases/{uid}/dry-run")
    assert member.post(f"/cases/{uid}/approve").status_code == 302
    assert erasure_view(viewer(workspace), uid).destroyed_at is not None
    assert 'name="describing"' not in member.get(f"/cases/{uid}").text
    with pytest.raises(CaseConflict):
        choose(viewer(workspace), uid, describing=False)
    assert erasure_view(viewer(workspace), uid).describing is True


def test_whoever_only_reads_chooses_nothing(workspace: Workspace) -> None:
    made(workspace)
    uid = drafted(workspace, "erasure", ("source", "s1")).uid
    with pytest.raises(ScopeMissing):
        choose(viewer(workspace, "read"), uid, describing=True)
    other = drafted(workspace, "concern", ("source", "s1")).uid
    with pytest.raises(NotFound):
        choose(viewer(workspace), other, describing=True)


def test_the_ledger_and_the_certificate_say_what_is_left(
    workspace: Workspace, member: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: object) -> int:
        raise OSError

    made(workspace)
    monkeypatch.setitem(places.WORK, "inbox", away)
    case = erased(workspace, ("chunk", "c1"))
    page = member.get(f"/cases/{case.uid}").text
    assert page.count('data-state="failed"') == 1
    assert "OSError" in page
    part = erasure_part(case)
    assert part is not None
    assert (part.complete, part.by_kind, part.again) == (False, {"chunk": 1}, False)
    told = part.as_json()
    assert {one["place"]: one["state"] for one in told["places"]}["inbox"] == "failed"
    what = [one["what"] for one in told["remains"]]
    assert what[0] == "descriptions"
    assert "backups" in what
    assert PASSAGE not in str(told)
    assert node(workspace, "chunk", "c1").key not in str(told["places"])
    concern = approved(workspace, "concern", ("source", "s2"))
    assert erasure_part(Case.objects.get(uid=concern.uid)) is None


def test_the_erased_source_shows_its_tombstone(workspace: Workspace, member: Client) -> None:
    made(workspace)
    uid = node(workspace, "source", "s1").uid
    case = erased(workspace, ("source", "s1"), describing=True)
    page = member.get(f"/sources/{uid}")
    assert page.status_code == 410
    assert case.uid in page.text
    answer = member.get(f"/answers/{node(workspace, 'answer', 'quotes').uid}")
    assert (answer.status_code, PASSAGE in answer.text) == (200, False)
