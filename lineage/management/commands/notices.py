"""`manage.py notices FILE…`: read catalogues of notices (retractions, corrections) into a workspace."""

import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError

from lineage.models import NoticeImport
from lineage.notices.reading import read_notices
from lineage.notices.receiving import begin
from provexplorer.progress_bar import ProgressBar
from provexplorer.workspaces.choice import WorkspaceUnclear, chosen_workspace
from provexplorer.workspaces.models import Workspace


class Command(BaseCommand):
    """`notices FILE… [--workspace SLUG]`: counts to stdout, what is remarkable to stderr, exit 1 where a file failed."""

    help = (
        "Read notices about published works: the table of Retraction Watch (CSV), works of "
        "Crossref or records of open-retractions (JSON, JSON Lines), gzip or not; "
        "- reads standard input."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument(
            "--workspace", metavar="SLUG", help="workspace to read into (default: the only one)"
        )

    def handle(self, *_: Any, files: list[str], workspace: str | None, **__: Any) -> None:
        try:
            holder = chosen_workspace(workspace)
        except WorkspaceUnclear as error:
            raise CommandError(str(error)) from error
        failed = False
        for name in files:
            if name == "-":
                done = self._read(holder, name, sys.stdin.buffer, None)
            else:
                try:
                    with Path(name).open("rb") as file:
                        done = self._read(holder, name, file, os.fstat(file.fileno()).st_size)
                except OSError as error:
                    raise CommandError(f"{name}: {error.strerror}") from error
            failed = failed or done.state == NoticeImport.State.FAILED
        if failed:
            sys.exit(1)

    def _read(
        self, workspace: Workspace, name: str, file: BinaryIO, size: int | None
    ) -> NoticeImport:
        row = begin(workspace, origin=NoticeImport.Origin.COMMAND, size=size)
        with ProgressBar(name, total=size, out=self.stderr) as bar:
            told = 0

            def advance(done: int) -> None:
                nonlocal told
                bar.advance(done - told)
                told = done

            done = read_notices(workspace, row, file, advance)
        for each in done.report:
            numbers = ", ".join(map(str, each["records"]))
            where = f" (records {numbers}{', …' if each['count'] > len(each['records']) else ''})"
            self.stderr.write(f"{name}: {each['count']} {each['code']}{where if numbers else ''}")
        if done.state == NoticeImport.State.FAILED:
            self.stderr.write(f"{name}: {done.failure}")
        counts = ", ".join(f"{count} {word}" for word, count in done.counts.items())
        self.stdout.write(f"{name}: {counts}")
        return done
