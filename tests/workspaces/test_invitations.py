"""An invitation lets in one person, once, while it is in force, and tells nobody anything else."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from provexplorer import clock
from provexplorer.workspaces import invitations
from provexplorer.workspaces.models import Invitation, Membership, User, Workspace

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]
NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _fixed_clock() -> Iterator[None]:
    clock.use(lambda: NOW)
    yield
    clock.use(None)


@pytest.fixture
def alpha() -> Workspace:
    return Workspace.objects.create(slug="alpha", name="Alpha <b>")


def account(name: str) -> User:
    return User.objects.create_user(username=name, password=PASSWORD)


def address(token: str) -> str:
    return f"/accounts/invitations/{token}"


def test_unknown_role_is_refused(alpha: Workspace) -> None:
    with pytest.raises(ValidationError):
        invitations.invite(alpha, role="owner")
    assert not Invitation.objects.exists()


def test_token_that_is_spoilt_over_used_or_withdrawn_opens_nothing(alpha: Workspace) -> None:
    invitation, token = invitations.invite(alpha, role="editor")
    assert invitations.opened(token) == invitation
    spoilt = ["", "_", token + "0", token[:-1], token.replace("_", ""), "é_é", "\0_\0", "a_" * 90]
    assert [invitations.opened(each) for each in spoilt] == [None] * len(spoilt)
    clock.use(lambda: NOW + timedelta(days=7))
    assert invitations.opened(token) is None
    clock.use(lambda: NOW + timedelta(days=7) - timedelta(seconds=1))
    assert invitations.opened(token) == invitation
    assert invitations.withdraw(alpha, invitation.public_id)
    assert not invitations.withdraw(alpha, invitation.public_id)
    assert invitations.opened(token) is None
    assert invitations.accept(token, account("ben")) is None


def test_one_comes_in_with_its_role_and_groups_and_no_second(alpha: Workspace) -> None:
    _, token = invitations.invite(alpha, role="editor", groups=["legal", "board", "legal"])
    membership = invitations.accept(token, account("ana"))
    assert membership is not None
    assert (membership.role, membership.groups) == ("editor", ["board", "legal"])
    assert invitations.accept(token, account("ben")) is None
    assert Membership.objects.count() == 1


def test_member_leaves_it_for_somebody_else(alpha: Workspace) -> None:
    _, token = invitations.invite(alpha, role="admin")
    ana = account("ana")
    Membership.objects.create(user=ana, workspace=alpha, role="reader")
    with pytest.raises(invitations.AlreadyMember):
        invitations.accept(token, ana)
    assert invitations.accept(token, account("ben")) is not None
    assert Membership.objects.get(user=ana).role == "reader"


def test_another_workspace_withdraws_nothing(alpha: Workspace) -> None:
    beta = Workspace.objects.create(slug="beta", name="Beta")
    invitation, token = invitations.invite(alpha, role="reader")
    assert not invitations.withdraw(beta, invitation.public_id)
    assert invitations.open_invitations(beta) == []
    assert invitations.opened(token) == invitation


def test_the_secret_is_kept_nowhere(alpha: Workspace) -> None:
    invitation, token = invitations.invite(alpha, role="reader")
    row = Invitation.objects.filter(pk=invitation.pk).values().get()
    assert token.partition("_")[2] not in str(row)


def test_page_of_an_invitation_that_is_over_is_that_of_none(alpha: Workspace) -> None:
    invitation, token = invitations.invite(alpha, role="reader")
    invitations.withdraw(alpha, invitation.public_id)
    over, unknown = Client().get(address(token)), Client().get(address("0_0"))
    assert (over.status_code, unknown.status_code) == (404, 404)


def test_account_is_made_and_joins(alpha: Workspace) -> None:
    _, token = invitations.invite(alpha, role="operator")
    client = Client()
    page = client.get(address(token)).content.decode()
    assert "Alpha &lt;b&gt;" in page
    weak = client.post(
        address(token), {"username": "ana", "password1": "12345", "password2": "12345"}
    )
    assert weak.status_code == 422
    assert not User.objects.exists()
    made = client.post(
        address(token), {"username": "ana", "password1": PASSWORD, "password2": PASSWORD}
    )
    assert (made.status_code, made.headers["Location"]) == (302, "/?ws=alpha")
    assert client.get("/?ws=alpha").status_code == 200
    assert Membership.objects.get().role == "operator"
    assert Client().get(address(token)).status_code == 404


def test_who_is_signed_in_joins_by_one_button(alpha: Workspace) -> None:
    _, token = invitations.invite(alpha, role="reader")
    client = Client()
    client.force_login(account("ana"))
    assert "password1" not in client.get(address(token)).content.decode()
    assert not Membership.objects.exists()
    assert client.post(address(token)).status_code == 302
    assert Membership.objects.get().user.username == "ana"
    assert client.post(address(token)).status_code == 404
