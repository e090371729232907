"""Compare what is read from trace files with what is known of them."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lineage.management.trace_candidates import candidates_in
from lineage.management.trace_files import TracesUnreadable, read_traces
from lineage.management.trace_scores import FileRead, scores
from lineage.types import JsonValue


class Command(BaseCommand):
    """`trace_report FILE… --truth JSONL`: precision and recall, a line a kind; exit 1 below 1.

    Nothing is stored. A line of the truth has `file`, `question`, `answer`, `context` (keys of
    chunks in order) and `claims` (`answer_start`, `answer_end`, `cited`, `support`). Candidates, their
    ranks and scores are known from the spans themselves, read apart from how records are made.
    """

    help = "Compare what is read from trace files with what is known of them; stores nothing."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path)
        parser.add_argument(
            "--truth",
            required=True,
            metavar="JSONL",
            type=Path,
            help="what is known, a file a line",
        )

    def handle(self, *_args: Any, files: list[Path], truth: Path, **_options: Any) -> None:
        known = _truth(truth)
        read: list[FileRead] = []
        for file in files:
            if file.name not in known:
                message = f"{truth} tells nothing of {file.name}"
                raise CommandError(message)
            try:
                data = file.read_bytes()
                records = read_traces(data, namespace=None).records
                read.append(FileRead(file.name, records, candidates_in(data)))
            except (OSError, TracesUnreadable) as error:
                message = f"{file}: {error}"
                raise CommandError(message) from error
        perfect = True
        self.stdout.write(f"{'':10} {'found':>6} {'known':>6} {'precision':>9} {'recall':>6}")
        for kind, score in scores(read, known).items():
            perfect &= score.found == score.known == score.same
            self.stdout.write(
                f"{kind:10} {score.found:6} {score.known:6} {score.precision:9.3f} {score.recall:6.3f}"
            )
        if not perfect:
            sys.exit(1)


def _truth(path: Path) -> dict[str, JsonValue]:
    """The truth by file name. Raises CommandError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return {row["file"]: row for row in map(json.loads, filter(None, lines))}
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"{path} is not readable as JSON Lines with a file each"
        raise CommandError(message) from error
