"""A key lets in exactly whom it should, until it is revoked or expires."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.test import override_settings

from provexplorer import clock
from provexplorer.workspaces.keys import UnknownScopeError, create_key, revoke_key, viewer_of_key
from provexplorer.workspaces.models import ApiKey, Workspace

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _fixed_clock() -> Iterator[None]:
    clock.use(lambda: NOW)
    yield
    clock.use(None)


@pytest.fixture
def workspace() -> Workspace:
    return Workspace.objects.create(slug="alpha", name="Alpha", uid_key="0a" * 32)


def test_key_of_unknown_scope_is_refused(workspace: Workspace) -> None:
    with pytest.raises(UnknownScopeError, match="root"):
        create_key(workspace=workspace, scopes=["read", "root"])
    assert ApiKey.objects.count() == 0


@pytest.mark.parametrize(
    "spoil",
    [
        lambda key: "",
        lambda key: "Bearer",
        lambda key: key,
        lambda key: f"Basic {key}",
        lambda key: f"Bearer {key}x",
        lambda key: f"Bearer {key[:-1]}",
        lambda key: f"Bearer {key} {key}",
        lambda key: f"Bearer {key.replace('pvx', 'pvy')}",
        lambda key: "Bearer " + key[: key.rindex("_") + 1],
        lambda key: "Bearer pvx__" + key.rsplit("_", 1)[1],
        lambda key: f"Bearer pvx_{'0' * 16}_{'0' * 64}",
        lambda key: "Bearer pvx_é_é",
        lambda key: "Bearer pvx_\0_\0",
        lambda key: "Bearer " + "_" * 10_000,
    ],
)
def test_header_that_is_no_key_has_no_viewer(workspace: Workspace, spoil: object) -> None:
    _, plaintext = create_key(workspace=workspace, scopes=["read"])
    assert callable(spoil)
    assert viewer_of_key(spoil(plaintext)) is None


def test_revoked_key_is_refused_by_the_next_call(workspace: Workspace) -> None:
    key, plaintext = create_key(workspace=workspace, scopes=["read"])
    assert viewer_of_key(f"Bearer {plaintext}") is not None
    assert revoke_key(workspace=workspace, public_id=key.public_id)
    assert viewer_of_key(f"Bearer {plaintext}") is None
    assert not revoke_key(workspace=workspace, public_id=key.public_id)


def test_key_of_another_workspace_cannot_be_revoked(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="beta", name="Beta")
    key, plaintext = create_key(workspace=workspace, scopes=["read"])
    assert not revoke_key(workspace=other, public_id=key.public_id)
    assert viewer_of_key(f"Bearer {plaintext}") is not None


def test_key_ends_at_its_expiry(workspace: Workspace) -> None:
    _, plaintext = create_key(
        workspace=workspace, scopes=["read"], expires_at=NOW + timedelta(hours=1)
    )
    assert viewer_of_key(f"Bearer {plaintext}") is not None
    clock.use(lambda: NOW + timedelta(hours=1))
    assert viewer_of_key(f"Bearer {plaintext}") is None


def test_key_is_bound_to_the_secret_of_the_installation(workspace: Workspace) -> None:
    with override_settings(SECRET_KEY="first"):
        _, plaintext = create_key(workspace=workspace, scopes=["read"])
    with override_settings(SECRET_KEY="second"):
        assert viewer_of_key(f"Bearer {plaintext}") is None
    with override_settings(SECRET_KEY="second", SECRET_KEY_FALLBACKS=["first"]):
        assert viewer_of_key(f"Bearer {plaintext}") is not None


def test_plaintext_has_its_form_and_is_kept_nowhere(workspace: Workspace) -> None:
    key, plaintext = create_key(workspace=workspace, scopes=["read"], label="loader")
    assert re.fullmatch(r"pvx_[0-9a-f]{16}_[0-9a-f]{64}", plaintext)
    secret = plaintext.rsplit("_", 1)[1]
    row = ApiKey.objects.values().get(pk=key.pk)
    assert secret not in repr(row)
    assert row["public_id"] == plaintext.split("_")[1]


def test_viewer_of_key_has_its_workspace_scopes_and_groups(workspace: Workspace) -> None:
    _, plaintext = create_key(
        workspace=workspace, scopes=["read", "ingest"], groups=["staff", "staff", "board"]
    )
    viewer = viewer_of_key(f"bearer  {plaintext} ")
    assert viewer is not None
    assert (viewer.workspace_id, viewer.slug) == (workspace.pk, "alpha")
    assert viewer.hash_key == b"\x0a" * 32
    assert viewer.scopes == {"ingest", "read"}
    assert viewer.groups == {"board", "staff"}
    assert viewer.sees_all is False
    assert viewer.user_id is None


def test_key_with_scope_admin_sees_all(workspace: Workspace) -> None:
    _, plaintext = create_key(workspace=workspace, scopes=["admin"])
    viewer = viewer_of_key(f"Bearer {plaintext}")
    assert viewer is not None
    assert viewer.sees_all is True
    assert viewer.scopes == {"ingest", "read", "operate", "edit", "admin"}
