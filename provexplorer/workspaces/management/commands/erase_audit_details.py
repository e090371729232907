"""Erase details of the audit log: of one object, or wherever they name somebody."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from provexplorer.workspaces.audit.erasing import erase_details_naming
from provexplorer.workspaces.audit.recording import erase_details
from provexplorer.workspaces.choice import WorkspaceUnclear, chosen_workspace


class Command(BaseCommand):
    """`erase_audit_details (--object UID | --naming) [--workspace SLUG]`; with --naming the words come on standard input, one a line."""

    help = (
        "Destroy the details of a workspace's audit entries about an object, or of those that name"
        " one of the words on standard input (one a line: a name, an e-mail address). The entries"
        " stay, and their chain."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--workspace", metavar="SLUG", help="(default: the only workspace)")
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--object", metavar="UID", help="as the log names it")
        which.add_argument(
            "--naming", action="store_true", help="words on standard input, which no list of processes shows"
        )  # fmt: skip

    def handle(
        self, *_args: Any, workspace: str | None, object: str | None, **_options: Any  # noqa: A002 - the option's name
    ) -> None:  # fmt: skip
        try:
            chosen = chosen_workspace(workspace)
            if object is not None:
                erased = erase_details(chosen.pk, object)
            else:
                erased = erase_details_naming(chosen, sys.stdin.read().splitlines())
        except (WorkspaceUnclear, ValueError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{erased} details erased")
