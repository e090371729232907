"""Load the histories of documents: from files of rows, folders of such files, and git repositories."""

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from lineage.formats.history import Read, to_records
from lineage.formats.records import parse_record
from lineage.ingest.apply import apply_records
from lineage.management.git_history import DOCUMENTS, GitUnreadable, is_repository, read_rows
from lineage.types import JsonValue
from provexplorer.progress_bar import ProgressBar
from provexplorer.workspaces.choice import WorkspaceUnclear, chosen_workspace
from provexplorer.workspaces.models import Workspace

_BATCH: Final = 200
_MOST_BYTES: Final = 256 * 1024 * 1024


class Command(BaseCommand):
    """`history FILE|FOLDER…`: counts to stdout, what was refused to stderr, exit 1 if any was."""

    help = "Load the versions, renames and deletions of documents."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("places", nargs="+", metavar="FILE|FOLDER")
        parser.add_argument("--workspace", metavar="SLUG", help="workspace to load into (default: the only one)")  # fmt: skip
        parser.add_argument(
            "--keys",
            choices=("address", "path"),
            default="address",
            help="whether versions and documents have the address (default) or the path as their key",
        )
        parser.add_argument(
            "--namespace", metavar="NAME", default="", help="of versions and documents (default: the empty one)"
        )  # fmt: skip
        parser.add_argument(
            "--address", metavar="URL", default="", help="of a git repository: what a path follows to be an address"
        )  # fmt: skip
        parser.add_argument("--license", metavar="SPDX", default="", help="of a git repository's documents")  # fmt: skip
        parser.add_argument(
            "--match", action="append", metavar="PATTERN", help="which files of a git repository (default: texts)"
        )  # fmt: skip
        parser.add_argument(
            "--records",
            action="store_true",
            help="print the native records as JSON Lines instead of loading them",
        )

    def handle(self, *_args: Any, places: list[str], **options: Any) -> None:
        read = self._read(places, options)
        records = [_named(record, options["namespace"]) for record in read.records]
        if options["records"]:
            for record in records:
                self.stdout.write(json.dumps(record, ensure_ascii=False))
        else:
            try:
                workspace = chosen_workspace(options["workspace"])
            except WorkspaceUnclear as error:
                raise CommandError(str(error)) from error
            rejected = self._load(workspace, records)
            told = f"{read.versions} versions, {read.deletions} deletions, {read.renames} renames; "
            self.stdout.write(told + rejected)
        if read.refused or self._rejected:
            sys.exit(1)

    def _read(self, places: Sequence[str], options: dict[str, Any]) -> Read:
        rows: list[JsonValue] = []
        origins: list[str] = []
        for place in places:
            for origin, row in _rows(Path(place), options):
                rows.append(row)
                origins.append(origin)
        read = to_records(rows, keys=options["keys"])
        self._rejected = 0
        for refused in read.refused:
            self.stderr.write(f"{origins[refused.place]}: {refused.why}")
        return read

    def _load(self, workspace: Workspace, records: Sequence[JsonValue]) -> str:
        counts: Counter[str] = Counter()
        with ProgressBar("history", total=len(records), out=self.stderr) as bar:
            for start in range(0, len(records), _BATCH):
                batch = records[start : start + _BATCH]
                parsed = [parse_record(index, record) for index, record in enumerate(batch)]
                for outcome in apply_records(workspace, parsed).outcomes:
                    counts[outcome.status] += 1
                    if outcome.problem is not None:
                        problem = outcome.problem
                        what = f"{outcome.kind} {outcome.key[:80]}"
                        self.stderr.write(f"{what}: {problem.title}: {problem.detail}")
                bar.advance(len(batch))
        self._rejected = counts["rejected"]
        words = ("stored", "unchanged", "accepted", "rejected")
        return "records: " + ", ".join(f"{counts[word]} {word}" for word in words)


def _rows(place: Path, options: dict[str, Any]) -> Iterator[tuple[str, JsonValue]]:
    """Each row with where it came from. Raises CommandError."""
    if place.is_dir() and is_repository(place):
        try:
            for row in read_rows(
                place,
                patterns=options["match"] or DOCUMENTS,
                address=options["address"],
                license_=options["license"],
            ):
                yield f"{place}: {row.get('commit', '')[:12]}", row
        except GitUnreadable as error:
            raise CommandError(f"{place}: {error}") from error
        return
    files = sorted(place.glob("*.jsonl")) if place.is_dir() else [place]
    if not files:
        raise CommandError(f"{place}: no git repository, and no file *.jsonl in it.")
    for file in files:
        yield from _lines(file)


def _lines(file: Path) -> Iterator[tuple[str, JsonValue]]:
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise CommandError(
                f"{file}: more than 256 MiB; a document's rows must be read at once."
            )
        with file.open("rb") as opened:
            for number, line in enumerate(opened, 1):
                if not line.strip():
                    continue
                try:
                    yield f"{file}:{number}", json.loads(line)
                except ValueError:
                    yield f"{file}:{number}", None
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from error


def _named(record: JsonValue, namespace: str) -> JsonValue:
    """The record in the namespace; sources stay where everybody finds them."""
    if not namespace:
        return record
    if record["kind"] == "source":
        return record
    named = {**record, "namespace": namespace}
    if isinstance(record.get("source"), str):
        named["source"] = {"key": record["source"], "namespace": ""}
    return named
