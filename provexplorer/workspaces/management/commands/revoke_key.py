"""End an API key."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from provexplorer.workspaces.choice import WorkspaceUnclear, chosen_workspace
from provexplorer.workspaces.keys import revoke_key


class Command(BaseCommand):
    """`revoke_key ID [--workspace SLUG]`: holds for the next request; a key does not come back."""

    help = "End an API key of a workspace at once and for ever."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("public_id", metavar="ID", help="of pvx_ID_SECRET, the part ID")
        parser.add_argument(
            "--workspace", metavar="SLUG", help="whose key (default: the only workspace)"
        )

    def handle(self, *_args: Any, public_id: str, workspace: str | None, **_options: Any) -> None:
        try:
            holder = chosen_workspace(workspace)
        except WorkspaceUnclear as error:
            raise CommandError(str(error)) from error
        # What stands in a shell's history is to hold no secret: a whole key is not asked for.
        if not revoke_key(workspace=holder, public_id=public_id):
            message = f"Workspace “{holder.slug}” has no key in force with this id; see list_keys."
            raise CommandError(message)
        self.stdout.write(f"{public_id} is revoked.")
