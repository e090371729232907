"""Show the API keys of a workspace."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from provexplorer.workspaces.choice import WorkspaceUnclear, chosen_workspace
from provexplorer.workspaces.keys import keys_of


class Command(BaseCommand):
    """`list_keys [--workspace SLUG]`: one JSON object a key, the oldest first; never a secret."""

    help = "List the API keys of a workspace, the oldest first; secrets are not kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--workspace", metavar="SLUG", help="whose keys (default: the only workspace)"
        )

    def handle(self, *_args: Any, workspace: str | None, **_options: Any) -> None:
        try:
            holder = chosen_workspace(workspace)
        except WorkspaceUnclear as error:
            raise CommandError(str(error)) from error
        for key in keys_of(holder):
            told = {
                "id": key.public_id,
                "label": key.label,
                "scopes": key.scopes,
                "groups": key.groups,
                "requests_per_minute": key.requests_per_minute,
                "created_at": key.created_at.isoformat(),
                "expires_at": key.expires_at and key.expires_at.isoformat(),
                "revoked_at": key.revoked_at and key.revoked_at.isoformat(),
            }
            self.stdout.write(json.dumps(told, ensure_ascii=False))
