"""A session lets in whom Django's own would: a valid one, of an account that is there and active."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from provexplorer import clock
from provexplorer.workspaces.models import Membership, User, Workspace

pytestmark = pytest.mark.django_db
SIGNED_IN, SENT_AWAY = 200, 302


@pytest.fixture
def ana(workspace: Workspace) -> User:
    user = User.objects.create_user("ana", password="a password of ana's")
    Membership.objects.create(user=user, workspace=workspace)
    return user


@pytest.fixture
def signed_in(client: Client, ana: User) -> Client:
    client.force_login(ana)
    return client


def test_member_stays_signed_in(signed_in: Client) -> None:
    assert signed_in.get("/").status_code == SIGNED_IN


def test_expired_session_is_none(signed_in: Client) -> None:
    Session.objects.update(expire_date=clock.now() - timedelta(seconds=1))
    assert signed_in.get("/").status_code == SENT_AWAY


def test_session_that_was_deleted_is_none(signed_in: Client) -> None:
    Session.objects.all().delete()
    assert signed_in.get("/").status_code == SENT_AWAY


def test_inactive_account_is_signed_out(signed_in: Client, ana: User) -> None:
    ana.is_active = False
    ana.save()
    assert signed_in.get("/").status_code == SENT_AWAY


def test_account_that_is_gone_is_signed_out(signed_in: Client, ana: User) -> None:
    ana.delete()
    assert signed_in.get("/").status_code == SENT_AWAY


def test_a_new_password_ends_the_sessions_of_the_old_one(signed_in: Client, ana: User) -> None:
    ana.set_password("another password of ana's")
    ana.save()
    assert signed_in.get("/").status_code == SENT_AWAY
