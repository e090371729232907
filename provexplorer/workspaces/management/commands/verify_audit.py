"""Compute the chain of the audit log again."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from provexplorer.workspaces.audit.recording import INSTALLATION
from provexplorer.workspaces.audit.verifying import Broken, Mark, verify
from provexplorer.workspaces.models import Workspace

_WORDS = {
    "entry_missing": "the entry is gone",
    "entry_changed": "the entry was changed",
    "place_missing": "the entry's place in the chain is gone",
    "seal_missing": "the seal is gone",
    "seal_changed": "the seal was changed",
    "signature_invalid": "the signature is not of this installation's key",
    "tail_missing": "the chain ends here, and it was longer",
    "seal_differs": "the seal is not the one that was exported",
    "entry_unsealed": "the entry was kept from being sealed",
    "waiting_lost": "an entry that waits for its seal is gone",
}


class Command(BaseCommand):
    """`verify_audit [--workspace SLUG] [--against FILE]`: exit code 1 where something does not fit."""

    help = "Verify the audit log of a workspace, or of all, and name the first entry that does not fit."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--workspace", metavar="SLUG", help="whose log (default: every one)")
        parser.add_argument(
            "--against",
            metavar="FILE",
            type=Path,
            help="an earlier export of one workspace: its seals must still be there",
        )

    def handle(
        self, *_args: Any, workspace: str | None, against: Path | None, **_options: Any
    ) -> None:
        marks, of = _marks(against) if against else ((), None)
        logs = dict(Workspace.objects.order_by("slug").values_list("pk", "slug"))
        if workspace is not None:
            logs = {pk: slug for pk, slug in logs.items() if slug == workspace}
            if not logs:
                message = f"There is no workspace “{workspace}”."
                raise CommandError(message)
        else:
            logs[INSTALLATION] = "(installation)"
        if of is not None:
            if of not in logs:
                message = "The file is of the log of another workspace."
                raise CommandError(message)
            logs = {of: logs[of]}
        broken = False
        for pk, slug in logs.items():
            found = verify(pk, marks)
            said = (
                f"{found.entries:,} entries under {found.seals:,} seals, {found.waiting:,} waiting"
            )
            if found.broken is None:
                self.stdout.write(f"{slug}: whole. {said}.")
            else:
                broken = True
                self.stderr.write(f"{slug}: BROKEN. {_told(found.broken)}. Before it, {said}.")
        if broken:
            message = "The audit log is not what was written."
            raise CommandError(message, returncode=1)


def _told(broken: Broken) -> str:
    where = [
        f"entry {broken.sequence:,}" if broken.sequence else "",
        broken.entry,
        f"seal {broken.seal:,}" if broken.seal else "",
    ]
    named = ", ".join(each for each in where if each)
    return f"{named}: {_WORDS[broken.what]}" if named else _WORDS[broken.what]


def _marks(file: Path) -> tuple[tuple[Mark, ...], int]:
    """The seals of an export, and of which workspace it is. Raises CommandError."""
    marks: list[Mark] = []
    try:
        with file.open(encoding="ascii") as lines:
            workspace = int(json.loads(next(lines))["workspace"])
            for line in lines:
                read = json.loads(line)
                if "seal" in read:
                    marks.append(Mark(int(read["seal"]["number"]), str(read["hash"])))
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        message = f"{file} is no export of the audit log."
        raise CommandError(message) from error
    return tuple(marks), workspace
