"""Store records from files: native ones (JSON Lines), of traces (OTLP, Langfuse), of works (Crossref)."""

import os
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from lineage.formats.body import RECORD_BYTES
from lineage.formats.records import parse_record, parse_request
from lineage.ingest.apply import apply_records
from lineage.ingest.crossref_works import ReadWork, WorksUnreadable, read_works
from lineage.management.trace_files import FILE_BYTES, TracesUnreadable, read_traces
from lineage.types import Outcome, Problem
from provexplorer import clock
from provexplorer.progress_bar import ProgressBar
from provexplorer.workspaces.choice import WorkspaceUnclear, chosen_workspace
from provexplorer.workspaces.models import Workspace

# One request's worth: large enough to spare round trips, small enough to show progress.
_BATCH_RECORDS: Final = 500
_BATCH_BYTES: Final = RECORD_BYTES

Line = tuple[int, bytes]  # its number in the file, from 1, and its bytes


class Command(BaseCommand):
    """`load FILE… [--workspace SLUG]`: counts to stdout, refused records to stderr, exit 1 if any."""

    help = "Store native records or traces in a workspace; - reads standard input."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument(
            "--workspace", metavar="SLUG", help="workspace to load into (default: the only one)"
        )

        parser.add_argument(
            "--format",
            choices=("records", "otlp", "openinference", "langfuse", "crossref"),
            default="records",
            help="native records as JSON Lines (default), traces as OTLP (JSON or protobuf; "
            "openinference is the same), traces that Langfuse exported, or works of Crossref "
            "(a reply of its API, or one work a line)",
        )
        parser.add_argument(
            "--namespace",
            metavar="COLLECTION",
            help="of the chunks that traces name without saying their collection",
        )

    def handle(
        self,
        *_args: Any,
        files: list[str],
        workspace: str | None,
        format: str,  # noqa: A002 - as the option is called
        namespace: str | None,
        **_options: Any,
    ) -> None:
        traces = format not in ("records", "crossref")
        if namespace is not None and not traces:
            message = "--namespace is for traces: native records say their own."
            raise CommandError(message)
        try:
            holder = chosen_workspace(workspace)
        except WorkspaceUnclear as error:
            raise CommandError(str(error)) from error
        counts: Counter[str] = Counter()
        for name in files:
            if traces:
                self._load_traces(holder, name, namespace, counts, exported=format == "langfuse")
            elif format == "crossref":
                self._load_works(holder, name, counts)
            else:
                self._load_file(holder, name, counts)
        words = ("stored", "unchanged", "accepted", "rejected", "warnings")
        self.stdout.write(", ".join(f"{counts[word]} {word}" for word in words))
        if counts["rejected"]:
            sys.exit(1)

    def _load_file(self, workspace: Workspace, name: str, counts: Counter[str]) -> None:
        with _opened(name) as (file, size), ProgressBar(name, total=size, out=self.stderr) as bar:
            for batch in _batches(_lines(file)):
                for line, outcome in _applied(workspace, batch):
                    self._count(f"{name}:{line}", outcome, counts)
                bar.advance(sum(len(text) for _number, text in batch))

    def _load_traces(
        self,
        workspace: Workspace,
        name: str,
        namespace: str | None,
        counts: Counter[str],
        *,
        exported: bool,
    ) -> None:
        with _opened(name) as (file, _size):
            data = file.read(FILE_BYTES + 1)
        try:
            found = read_traces(data, namespace=namespace, exported=exported)
        except TracesUnreadable as error:
            message = f"{name}: {error}"
            raise CommandError(message) from error
        for span in found.rejected:
            counts["rejected"] += 1
            self.stderr.write(f"{name}: span {span.pointer}: {span.detail}")
        with ProgressBar(name, total=len(found.records), out=self.stderr) as bar:
            for start in range(0, len(found.records), _BATCH_RECORDS):
                batch = found.records[start : start + _BATCH_RECORDS]
                parsed = [parse_record(index, record) for index, record in enumerate(batch)]
                for outcome in apply_records(workspace, parsed).outcomes:
                    self._count(name, outcome, counts)
                bar.advance(len(batch))

    def _load_works(self, workspace: Workspace, name: str, counts: Counter[str]) -> None:
        with _opened(name) as (file, size), ProgressBar(name, total=size, out=self.stderr) as bar:
            reader = BufferedReader(cast("RawIOBase", file))
            read_so_far = 0
            try:
                for works in read_works(workspace, reader, today=clock.now().date()):
                    self._apply_works(workspace, name, works, counts)
                    if size is not None:
                        bar.advance(file.tell() - read_so_far)
                        read_so_far = file.tell()
            except WorksUnreadable as error:
                message = f"{name}: {error}"
                raise CommandError(message) from error

    def _apply_works(
        self, workspace: Workspace, name: str, works: list[ReadWork], counts: Counter[str]
    ) -> None:
        for work in works:
            if work.lacks:
                counts["rejected"] += 1
                self.stderr.write(f"{name}: work {work.number}: {work.lacks}")
        placed = [(work.number, record) for work in works for record in work.records]
        parsed = [parse_record(index, record) for index, (_, record) in enumerate(placed)]
        outcomes = apply_records(workspace, parsed).outcomes
        for (number, _record), outcome in zip(placed, outcomes, strict=True):
            self._count(f"{name}: work {number}", outcome, counts)

    def _count(self, place: str, outcome: Outcome, counts: Counter[str]) -> None:
        """Count a record; one that was refused is told with its place in the input."""
        counts[outcome.status] += 1
        counts["warnings"] += len(outcome.warnings)
        if outcome.problem is not None:
            problem = outcome.problem
            what = " ".join(part for part in (outcome.kind, outcome.key[:80]) if part)
            at = f"{place}: {what}: " if what else f"{place}: "
            where = f" ({problem.pointer})" if problem.pointer else ""
            self.stderr.write(f"{at}{problem.title}{where}: {problem.detail}")


@contextmanager
def _opened(name: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """The file and its size in bytes; standard input has none. Raises CommandError."""
    if name == "-":
        yield sys.stdin.buffer, None
        return
    try:
        file = Path(name).open("rb")  # noqa: SIM115 - closed below; only opening may be told so
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror}") from error
    with file:
        yield file, os.fstat(file.fileno()).st_size


def _lines(file: BinaryIO) -> Iterator[Line]:
    """The lines that are not blank; of one too long its first bytes, enough to be refused."""
    number = 0
    while line := file.readline(RECORD_BYTES + 2):
        number += 1
        rest = line
        while not rest.endswith(b"\n") and (rest := file.readline(RECORD_BYTES)):
            pass
        if line.strip():
            yield number, line


def _batches(lines: Iterator[Line]) -> Iterator[list[Line]]:
    batch: list[Line] = []
    size = 0
    for line in lines:
        if batch and (len(batch) == _BATCH_RECORDS or size + len(line[1]) > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line[1])
    if batch:
        yield batch


def _applied(workspace: Workspace, batch: list[Line]) -> Iterator[tuple[int, Outcome]]:
    """Each line's number with what became of its record."""
    short = [line for line in batch if len(line[1].rstrip(b"\r\n")) <= RECORD_BYTES]
    for number, _text in (line for line in batch if line not in short):
        problem = Problem("record-too-large", "Record too large", 413, _("More than 8 MiB."))
        yield number, Outcome(0, "rejected", "", "", None, problem=problem)
    if not short:
        return
    body = b"".join(text.rstrip(b"\r\n") + b"\n" for _number, text in short)
    parsed = parse_request(body, "application/x-ndjson", "")
    applied = apply_records(workspace, parsed)
    for (number, _text), outcome in zip(short, applied.outcomes, strict=True):
        yield number, outcome
