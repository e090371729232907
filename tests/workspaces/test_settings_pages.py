"""Members, invitations and keys by their pages: admins alone, one workspace alone, never without an admin."""

import re

import pytest
from django.test import Client

from provexplorer.workspaces.keys import viewer_of_key
from provexplorer.workspaces.models import ApiKey, Invitation, Membership, User, Workspace

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]
PAGES = ("/settings/members/", "/settings/keys/")
POSTS = (
    *PAGES, "/settings/members/change", "/settings/members/remove", "/settings/members/withdraw",
    "/settings/keys/revoke",
)  # fmt: skip


@pytest.fixture
def alpha() -> Workspace:
    return Workspace.objects.create(slug="alpha", name="Alpha")


def join(workspace: Workspace, name: str, role: str) -> Membership:
    user, _ = User.objects.get_or_create(username=name)
    return Membership.objects.create(user=user, workspace=workspace, role=role)


def as_member(membership: Membership) -> Client:
    client = Client()
    client.force_login(membership.user)
    return client


def member_of(text: str) -> list[str]:
    return re.findall(r'name="member" value="(\d+)"', text)


@pytest.mark.parametrize("role", ["reader", "operator", "editor"])
def test_who_is_no_admin_sees_and_changes_nothing(alpha: Workspace, role: str) -> None:
    client = as_member(join(alpha, "ana", role))
    other = join(alpha, "ben", "reader")
    assert [client.get(f"{page}?ws=alpha").status_code for page in PAGES] == [403, 403]
    form = {"member": other.pk, "role": "admin", "scope": "admin", "invitation": "x", "key": "x"}
    assert [client.post(f"{page}?ws=alpha", form).status_code for page in POSTS] == [403] * 6
    assert not Invitation.objects.exists()
    assert not ApiKey.objects.exists()
    assert set(Membership.objects.values_list("role", flat=True)) == {role, "reader"}


def test_the_last_admin_stays_one(alpha: Workspace) -> None:
    ana = join(alpha, "ana", "admin")
    client = as_member(ana)
    for step in ("change", "remove"):
        client.post(f"/settings/members/{step}?ws=alpha", {"member": ana.pk, "role": "editor"})
    ana.refresh_from_db()
    assert ana.role == "admin"
    ben = join(alpha, "ben", "admin")
    client.post("/settings/members/change?ws=alpha", {"member": ana.pk, "role": "editor"})
    assert client.get("/settings/members/?ws=alpha").status_code == 403
    as_member(ben).post("/settings/members/remove?ws=alpha", {"member": ana.pk})
    assert client.get("/?ws=alpha").status_code == 404


def test_inactive_admin_does_not_count(alpha: Workspace) -> None:
    ana, ben = join(alpha, "ana", "admin"), join(alpha, "ben", "admin")
    User.objects.filter(pk=ben.user_id).update(is_active=False)
    as_member(ana).post("/settings/members/remove?ws=alpha", {"member": ana.pk})
    assert Membership.objects.filter(pk=ana.pk).exists()


@pytest.mark.parametrize("member", ["", "x", "-1", "9" * 40])
def test_member_of_another_workspace_is_as_unknown_as_none(alpha: Workspace, member: str) -> None:
    client = as_member(join(alpha, "ana", "admin"))
    beta = Workspace.objects.create(slug="beta", name="Beta")
    other = join(beta, "ben", "reader")
    for step in ("change", "remove"):
        form = {"member": other.pk, "role": "admin"}
        foreign = client.post(f"/settings/members/{step}?ws=alpha", form)
        unknown = client.post(f"/settings/members/{step}?ws=alpha", form | {"member": member})
        assert (foreign.status_code, unknown.status_code) == (404, 404)
    other.refresh_from_db()
    assert other.role == "reader"
    assert "ben" not in client.get("/settings/members/?ws=alpha").content.decode()


def test_member_is_given_role_and_groups_from_the_next_request_on(alpha: Workspace) -> None:
    client = as_member(join(alpha, "ana", "admin"))
    ben = join(alpha, "ben", "reader")
    form = {"member": ben.pk, "role": "editor", "groups": " legal,, board \n legal"}
    client.post("/settings/members/change?ws=alpha", form)
    ben.refresh_from_db()
    assert (ben.role, ben.groups) == ("editor", ["board", "legal"])
    unknown = client.post("/settings/members/change?ws=alpha", form | {"role": "owner"})
    assert unknown.status_code == 404


def test_invitation_is_shown_once_and_lets_in(alpha: Workspace) -> None:
    client = as_member(join(alpha, "ana", "admin"))
    made = client.post("/settings/members/?ws=alpha", {"role": "editor"}).content.decode()
    (address,) = re.findall(r"http://testserver(/accounts/invitations/[0-9a-f_]+)", made)
    again = client.get("/settings/members/?ws=alpha").content.decode()
    assert "/accounts/invitations/" not in again
    guest = Client()
    guest.force_login(User.objects.create_user(username="cleo"))
    assert guest.post(address).status_code == 302
    assert Membership.objects.get(user__username="cleo").role == "editor"


def test_members_are_paged_and_found_by_their_beginnings(alpha: Workspace) -> None:
    client = as_member(join(alpha, "zoe", "admin"))
    for number in range(104):
        join(alpha, f"m{number:03}", "reader")
    first = client.get("/settings/members/?ws=alpha").content.decode()
    assert len(set(member_of(first))) == 100
    second = client.get("/settings/members/?ws=alpha&after=m099").content.decode()
    assert len(set(member_of(second))) == 5
    found = client.get("/settings/members/?ws=alpha&q=M10").content.decode()
    assert len(set(member_of(found))) == 4


def test_key_is_shown_once_does_what_was_chosen_and_ends(alpha: Workspace) -> None:
    client = as_member(join(alpha, "ana", "admin"))
    nothing = client.post("/settings/keys/?ws=alpha", {"label": "Loader", "scope": "root"})
    assert nothing.status_code == 422
    assert not ApiKey.objects.exists()
    form = {"label": "Loader", "scope": ["ingest:otlp", "read"], "days": "30", "groups": "legal"}
    made = client.post("/settings/keys/?ws=alpha", form).content.decode()
    (plaintext,) = re.findall(r"pvx_[0-9a-f]{16}_[0-9a-f]{64}", made)
    found = viewer_of_key(f"Bearer {plaintext}")
    assert found is not None
    assert (set(found.scopes), set(found.groups)) == ({"ingest:otlp", "read"}, {"legal"})
    key = ApiKey.objects.get()
    assert key.expires_at is not None
    assert (key.expires_at - key.created_at).days in (29, 30)
    assert plaintext not in client.get("/settings/keys/?ws=alpha").content.decode()
    client.post("/settings/keys/revoke?ws=alpha", {"key": key.public_id})
    assert viewer_of_key(f"Bearer {plaintext}") is None


def test_key_of_another_workspace_is_not_shown_and_not_revoked(alpha: Workspace) -> None:
    beta = Workspace.objects.create(slug="beta", name="Beta")
    as_member(join(beta, "ben", "admin")).post(
        "/settings/keys/?ws=beta", {"label": "Theirs", "scope": "read"}
    )
    key = ApiKey.objects.get()
    client = as_member(join(alpha, "ana", "admin"))
    assert "Theirs" not in client.get("/settings/keys/?ws=alpha").content.decode()
    client.post("/settings/keys/revoke?ws=alpha", {"key": key.public_id})
    key.refresh_from_db()
    assert key.revoked_at is None


def test_what_cannot_be_in_a_name_is_as_unknown_as_any(alpha: Workspace) -> None:
    client = as_member(join(alpha, "ana", "admin"))
    assert client.get("/settings/members/?ws=alpha&q=a%00na&after=%00").status_code == 200
    for path, field in (("members/withdraw", "invitation"), ("keys/revoke", "key")):
        answer = client.post(f"/settings/{path}?ws=alpha", {field: "a\0b"})
        assert answer.status_code == 302


def test_own_password_is_changed_and_other_sessions_end(alpha: Workspace) -> None:
    ana = join(alpha, "ana", "reader")
    ana.user.set_password("correct horse battery")
    ana.user.save()
    here, elsewhere = as_member(ana), as_member(ana)
    new = "staple battery horse"
    form = {"old_password": "wrong", "new_password1": new, "new_password2": new}
    assert here.post("/accounts/password/", form).status_code == 200
    assert elsewhere.get("/?ws=alpha").status_code == 200
    form["old_password"] = "correct horse battery"
    assert here.post("/accounts/password/", form).status_code == 302
    assert here.get("/?ws=alpha").status_code == 200
    assert elsewhere.get("/?ws=alpha").status_code == 302
