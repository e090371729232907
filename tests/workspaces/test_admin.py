"""Django's admin: no secret is shown, none can be set, and a revocation holds at once."""

import pytest
from django.test import Client

from provexplorer.workspaces.keys import create_key, viewer_of_key
from provexplorer.workspaces.models import ApiKey, User, Workspace

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.workspaces.urls")]


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root", password="correct horse battery"))
    return client


def test_member_without_staff_rights_is_kept_out(client: Client) -> None:
    client.force_login(User.objects.create_user("ana"))
    assert client.get("/admin/workspaces/apikey/").status_code == 302


def test_secrets_are_neither_shown_nor_changed(staff: Client, workspace: Workspace) -> None:
    key, plaintext = create_key(workspace=workspace, scopes=["read"], label="loader")
    pages = [
        staff.get("/admin/workspaces/apikey/"),
        staff.get(f"/admin/workspaces/apikey/{key.pk}/change/"),
        staff.get(f"/admin/workspaces/workspace/{workspace.pk}/change/"),
    ]
    for page in pages:
        assert page.status_code == 200
        content = page.content.decode()
        assert key.secret_hash not in content
        assert plaintext.rsplit("_", 1)[1] not in content
        assert workspace.uid_key not in content
    assert "loader" in pages[0].content.decode()
    assert staff.get("/admin/workspaces/apikey/add/").status_code == 403
    change = staff.post(f"/admin/workspaces/apikey/{key.pk}/change/", {"scopes": '["admin"]'})
    assert change.status_code == 403
    assert ApiKey.objects.get().scopes == ["read"]


def test_revocation_holds_at_once(staff: Client, workspace: Workspace) -> None:
    key, plaintext = create_key(workspace=workspace, scopes=["read"])
    form = {"action": "revoke", "_selected_action": [key.pk]}
    assert staff.post("/admin/workspaces/apikey/", form).status_code == 302
    assert viewer_of_key(f"Bearer {plaintext}") is None
