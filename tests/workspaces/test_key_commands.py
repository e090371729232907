"""`list_keys` and `revoke_key`: of one workspace only, without secrets, at once."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from provexplorer.workspaces.accounts import create_workspace
from provexplorer.workspaces.keys import create_key, viewer_of_key
from provexplorer.workspaces.models import ApiKey, Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def library() -> Workspace:
    return create_workspace(slug="library", name="Library")


@pytest.fixture
def museum() -> Workspace:
    return create_workspace(slug="museum", name="Museum")


def said(*command: str) -> str:
    out = io.StringIO()
    call_command(*command, stdout=out)
    return out.getvalue()


def test_without_workspaces_the_next_step_is_told() -> None:
    with pytest.raises(CommandError, match=r"no workspace yet.*create_workspace SLUG"):
        said("list_keys")


@pytest.mark.parametrize("command", [("list_keys",), ("revoke_key", "0123")])
def test_of_several_workspaces_none_is_guessed(
    library: Workspace, museum: Workspace, command: tuple[str, ...]
) -> None:
    with pytest.raises(CommandError, match=r"--workspace SLUG\. There are: library, museum\."):
        said(*command)


def test_unknown_workspace_is_told_with_those_there_are(library: Workspace) -> None:
    with pytest.raises(CommandError, match=r"no workspace “libary”\. There are: library\."):
        said("list_keys", "--workspace", "libary")


def test_a_key_of_another_workspace_is_not_ended(library: Workspace, museum: Workspace) -> None:
    key, plaintext = create_key(workspace=museum, scopes=["read"])
    with pytest.raises(CommandError, match="no key in force"):
        said("revoke_key", key.public_id, "--workspace", "library")
    assert viewer_of_key(f"Bearer {plaintext}") is not None


def test_a_revoked_key_opens_nothing_and_cannot_be_revoked_again(library: Workspace) -> None:
    key, plaintext = create_key(workspace=library, scopes=["read"])
    assert said("revoke_key", key.public_id) == f"{key.public_id} is revoked.\n"
    assert viewer_of_key(f"Bearer {plaintext}") is None
    ended = ApiKey.objects.get().revoked_at
    with pytest.raises(CommandError, match="no key in force"):
        said("revoke_key", key.public_id)
    assert ApiKey.objects.get().revoked_at == ended


def test_keys_are_listed_without_secrets_and_without_those_of_others(
    library: Workspace, museum: Workspace
) -> None:
    create_key(workspace=museum, scopes=["read"])
    first, plaintext = create_key(workspace=library, scopes=["read", "ingest"], label="Löader")
    second, _ = create_key(workspace=library, scopes=["admin"], groups=["staff"])
    said("revoke_key", second.public_id, "--workspace", "library")
    text = said("list_keys", "--workspace", "library")
    assert plaintext.rsplit("_", 1)[1] not in text
    assert first.secret_hash not in text
    one, two = (json.loads(line) for line in text.splitlines())
    assert one == {
        "id": first.public_id,
        "label": "Löader",
        "scopes": ["ingest", "read"],
        "groups": [],
        "requests_per_minute": None,
        "created_at": first.created_at.isoformat(),
        "expires_at": None,
        "revoked_at": None,
    }
    assert (two["id"], two["groups"]) == (second.public_id, ["staff"])
    assert two["revoked_at"] is not None


def test_a_key_may_be_kept_to_a_format_and_a_number_of_requests(library: Workspace) -> None:
    command = ("create_workspace", "library", "--key", "ingest:otlp,ingest:prov")
    for refused in (("--requests-per-minute", "-1"), ("--requests-per-minute", str(2**31))):
        with pytest.raises(CommandError, match="whole number"):
            said(*command, *refused)
    with pytest.raises(CommandError, match="unknown scope: ingest:csv"):
        said("create_workspace", "library", "--key", "ingest:csv")
    assert not ApiKey.objects.exists()
    said(*command, "--requests-per-minute", "600")
    said("create_workspace", "library", "--key", "ingest,read")
    kept, whole = ApiKey.objects.order_by("pk")
    assert (kept.scopes, kept.requests_per_minute) == (["ingest:otlp", "ingest:prov"], 600)
    assert (whole.scopes, whole.requests_per_minute) == (["ingest", "read"], None)
