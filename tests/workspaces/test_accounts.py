"""Accounts and workspaces: no default password, no silent overwrite."""

import pytest
from django.core.exceptions import ValidationError

from provexplorer.workspaces.accounts import add_member, create_demo, create_workspace
from provexplorer.workspaces.models import Membership, User, Workspace
from provexplorer.workspaces.roles import scopes_of

pytestmark = pytest.mark.django_db


def test_unknown_role_has_no_scopes() -> None:
    assert scopes_of("root") == frozenset()


@pytest.mark.parametrize(
    ("role", "scopes"),
    [
        ("reader", {"read"}),
        ("operator", {"read", "operate"}),
        ("editor", {"read", "operate", "edit"}),
        ("admin", {"read", "operate", "edit", "admin", "ingest"}),
    ],
)
def test_role_has_the_scopes_of_those_before_it(role: str, scopes: set[str]) -> None:
    assert scopes_of(role) == scopes


@pytest.mark.parametrize("password", [None, "", "short", "password1234"])
def test_new_account_with_a_weak_password_is_refused(password: str | None) -> None:
    workspace = create_workspace(slug="alpha", name="Alpha")
    with pytest.raises(ValidationError):
        add_member(workspace=workspace, username="ana", role="reader", password=password)
    assert User.objects.count() == 0


def test_unknown_role_is_refused() -> None:
    workspace = create_workspace(slug="alpha", name="Alpha")
    with pytest.raises(ValidationError):
        add_member(
            workspace=workspace, username="ana", role="root", password="correct horse battery"
        )
    assert User.objects.count() == 0


def test_slug_taken_or_malformed_is_refused() -> None:
    create_workspace(slug="alpha", name="Alpha")
    for slug in ("alpha", "with space", ""):
        with pytest.raises(ValidationError):
            create_workspace(slug=slug, name="Other")
    assert Workspace.objects.count() == 1


def test_existing_account_keeps_its_password_and_gets_the_new_role() -> None:
    workspace = create_workspace(slug="alpha", name="Alpha")
    add_member(workspace=workspace, username="ana", role="reader", password="correct horse battery")
    add_member(workspace=workspace, username="ana", role="editor", password="x", groups=["b", "a"])
    assert User.objects.get(username="ana").check_password("correct horse battery")
    assert list(Membership.objects.values_list("role", "groups")) == [("editor", ["a", "b"])]


def test_demo_has_one_account_without_password_per_role_and_is_made_once() -> None:
    first, second = create_demo(), create_demo()
    assert first.pk == second.pk
    assert (first.slug, first.is_demo) == ("demo", True)
    rows = Membership.objects.order_by("pk").values_list("user__username", "role")
    assert list(rows) == [(role, role) for role in ("reader", "operator", "editor", "admin")]
    assert not any(user.has_usable_password() for user in User.objects.all())


def test_demo_leaves_the_password_of_an_account_of_that_name_alone() -> None:
    User.objects.create_user("admin", password="correct horse battery")
    create_demo()
    assert User.objects.get(username="admin").check_password("correct horse battery")


def test_workspaces_have_keys_of_their_own() -> None:
    first = create_workspace(slug="alpha", name="Alpha")
    second = create_workspace(slug="beta", name="Beta")
    assert first.hash_key != second.hash_key
    assert len(first.hash_key) == 32
