"""Write the audit log as JSON Lines."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from provexplorer.workspaces.audit.export import lines
from provexplorer.workspaces.audit.recording import record
from provexplorer.workspaces.choice import WorkspaceUnclear, chosen_workspace


class Command(BaseCommand):
    """`export_audit [--workspace SLUG] [--after SEAL] [--details] > FILE`: streamed, with every seal."""

    help = (
        "Write a workspace's sealed audit entries and their seals as JSON Lines to standard output."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--workspace", metavar="SLUG", help="(default: the only workspace)")
        parser.add_argument(
            "--after", metavar="SEAL", type=int, default=0, help="only what later seals close"
        )
        parser.add_argument(
            "--details", action="store_true", help="with the details that were not erased"
        )

    def handle(
        self, *_args: Any, workspace: str | None, after: int, details: bool, **_options: Any
    ) -> None:
        try:
            chosen = chosen_workspace(workspace)
        except WorkspaceUnclear as error:
            raise CommandError(str(error)) from error
        for line in lines(chosen, after=after, details=details):
            self.stdout.write(line, ending="")
        record("audit.exported", None, workspace_id=chosen.pk, code="command")
