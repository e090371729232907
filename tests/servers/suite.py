"""`make test`: the suite on the embedded servers and on Neo4j with PostgreSQL.

Run A: ArcadeDB and SQLite, what asks for a graph server or a whole installation. Run B: Neo4j
5.26 and PostgreSQL, the same. Once each: run C, on the embedded servers, what touches no server
and browser tests but `both_pairs` (`embedded_only`); run D, on PostgreSQL, what asks for no graph
(`one_pair`). `--everything-twice`: all of it on both pairs. What this machine cannot run is
listed at the end; with CI=true that list must be empty. `make check` runs tests/project.

Runs go in parts, some at a time, each with servers of its own but for PostgreSQL, of which each has
databases of its own: some wait while others work.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Final

from tests.servers import available, postgres
from tests.servers.handed_on import FOLDER, PART
from tests.servers.prepared import Prepared

# How pytest ends where it found nothing to run.
NO_TESTS: Final = 5
# Parts at a time: two processors, and parts that wait half of their time.
_BESIDE: Final = 5
_ONCE: Final = ("one_pair", "embedded_only")
# Where installations are started and watched from outside.
_WHOLE: Final = ("tests/contract", "tests/faults", "tests/flows")
_READERS: Final = ("tests/pages", "tests/citations", "tests/workspaces")
_MACHINES: Final = ("tests/api", "tests/nodes", "tests/ingest", "tests/traces", "tests/inbox")
_SLOW: Final = (*_WHOLE, "tests/erasure", "tests/demo", "tests/embedded")
# Documents, commands, configuration: `make check` runs these.
_CHECKED: Final = "tests/project"
# Parts of each run beside all the rest.
_ASIDE: Final[Mapping[str, Sequence[Sequence[str]]]] = {
    "A": [_WHOLE],
    "B": [_WHOLE],
    "C": [("tests/browser",)],
    "D": [_SLOW, _READERS, _MACHINES],
}
_GRAPHS: Final = {"arcadedb": "ArcadeDB", "neo4j": "Neo4j 5.26"}

# What the tests of a file are marked with: each set of marks once, by file.
Marked = Mapping[str, Sequence[frozenset[str]]]


@dataclass(frozen=True, slots=True)
class Part:
    """One run of pytest: on which servers, which marks (or `not` a mark), which files or folders."""

    name: str
    graph: str
    on_postgres: bool
    marks: tuple[str, ...]
    paths: tuple[str, ...] = ()

    def arguments(self) -> list[str]:
        """What pytest is told."""
        marks = ["-m", " and ".join(self.marks)] if self.marks else []
        return ["--graph", self.graph, *marks, *self.paths]


@dataclass(frozen=True, slots=True)
class Told:
    """A run that was listened to: what it printed, how it ended."""

    output: str
    status: int


def main() -> int:
    """Run the suite; 0 if all that ran passed (and, with CI=true, all ran)."""
    parser = argparse.ArgumentParser(prog="python -m tests.servers.suite")
    parser.add_argument(
        "--everything-twice", action="store_true", help="runs A and B include every test"
    )
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    given = parser.parse_args()
    missing = available.missing()
    if given.pytest:
        parts = parts_as_asked(missing, given.pytest, twice=given.everything_twice)
    else:
        parts = parts_of(missing, marked(), twice=given.everything_twice)
    some_on_postgres = any(part.on_postgres for part in parts)
    with (
        _relational(on_postgres=some_on_postgres) as (postgresql, others),
        ThreadPoolExecutor(max_workers=_BESIDE) as beside,
    ):
        statuses = []
        stores = [postgresql if part.on_postgres else others for part in parts]
        for told in beside.map(_told, parts, count(), stores):
            print(told.output, end="", flush=True)
            statuses.append(told.status)
    # A part that found no test among those asked for has not failed; all of them have.
    if any(status != NO_TESTS for status in statuses):
        statuses = [0 if status == NO_TESTS else status for status in statuses]
    for what, lacks in missing.items():
        print(f"NOT RUN: tests {what} (this machine lacks {lacks})")
    if missing and os.environ.get("CI") == "true":
        print("CI=true: everything must run", file=sys.stderr)
        return 1
    return max(statuses)


def marked() -> Marked:
    """Collect all tests once, so that no part has to import files in which nothing is its own.

    Exits where a file cannot be imported, with what pytest says of it.
    """
    with TemporaryDirectory() as folder:
        told = Path(folder) / "marks.json"
        collect = ["-m", "pytest", f"--ignore={_CHECKED}", "--collect-only", "-qqq"]
        collect += ["--marks-to", str(told)]
        run = subprocess.run(
            [sys.executable, *collect], capture_output=True, text=True, check=False
        )
        if run.returncode:
            sys.exit(run.stdout + run.stderr)
        read = json.loads(told.read_text())
    return {file: [frozenset(marks) for marks in sets] for file, sets in read.items()}


def parts_as_asked(missing: dict[str, str], asked: Sequence[str], *, twice: bool) -> list[Part]:
    """Every run with these arguments for pytest (`missing` as tests.servers.available tells it)."""
    return [
        Part(_title(name, graph, on_postgres), graph, on_postgres, marks, tuple(asked))
        for name, (graph, on_postgres, marks) in _runs(missing, twice=twice).items()
    ]


def parts_of(missing: dict[str, str], files: Marked, *, twice: bool) -> list[Part]:
    """The parts of the suite that this machine can run, those that take longest first."""
    parts = []
    for name, (graph, on_postgres, marks) in _runs(missing, twice=twice).items():
        own = [file for file, sets in files.items() if any(_fits(marks, each) for each in sets)]
        title = _title(name, graph, on_postgres)
        for group in _ASIDE[name]:
            within = [file for file in own if file.startswith(tuple(f"{each}/" for each in group))]
            own = [file for file in own if file not in within]
            named = ", ".join([title, *group])
            parts.append(Part(named, graph, on_postgres, marks, tuple(within)))
        parts.append(Part(title, graph, on_postgres, marks, tuple(own)))
    return [part for part in parts if part.paths]


def _runs(missing: dict[str, str], *, twice: bool) -> dict[str, tuple[str, bool, tuple[str, ...]]]:
    """Run → graph server, whether on PostgreSQL, marks."""
    neo4j, postgresql = "on Neo4j 5.26" not in missing, "on PostgreSQL" not in missing
    dry = ("not needs_chromium",) if "in a browser" in missing else ()
    left_out = () if twice else tuple(f"not {mark}" for mark in _ONCE)
    runs = {}
    if neo4j or postgresql:
        runs["B"] = ("neo4j" if neo4j else "arcadedb", postgresql, (*left_out, *dry))
    if not twice:
        runs["D"] = ("arcadedb", postgresql, ("one_pair", "not embedded_only", *dry))
        runs["C"] = ("arcadedb", False, ("embedded_only", *dry))
    runs["A"] = ("arcadedb", False, (*left_out, *dry))
    return runs


def _title(name: str, graph: str, on_postgres: bool) -> str:
    return f"{name}: {_GRAPHS[graph]} and {'PostgreSQL' if on_postgres else 'SQLite'}"


def _fits(wanted: Sequence[str], marks: frozenset[str]) -> bool:
    """Whether a test with these marks is among those wanted: each mark had, or `not` had."""
    return all(
        (each.removeprefix("not ") in marks) is not each.startswith("not ") for each in wanted
    )


@contextmanager
def _relational(*, on_postgres: bool) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """The variables that name the relational stores: of runs on PostgreSQL, and of all others.

    One cluster serves all parts, each of which has databases of its own in it.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        Prepared(folder).make(None)
        others = {FOLDER: str(folder)}
        if not on_postgres:
            yield others, others
            return
        cluster = stack.enter_context(postgres.cluster()).environment()
        Prepared(folder).make(cluster["DATABASE_URL"])
        yield others | cluster, others


def _told(part: Part, number: int, environment: dict[str, str]) -> Told:
    """One run of pytest, its output kept."""
    if part.on_postgres:
        environment = environment | {PART: f"part{number}"}
    with TemporaryFile() as kept:
        status = _run(part, environment, output=kept)
        kept.seek(0)
        return Told(kept.read().decode("utf-8", "replace"), status)


def _run(part: Part, environment: dict[str, str], *, output: IO[bytes]) -> int:
    with os.fdopen(os.dup(output.fileno()), "w") as told:
        print(f"\n=== Run {part.name}", file=told, flush=True)
        began = time.monotonic()
        command = [sys.executable, "-m", "pytest", *part.arguments()]
        variables = os.environ | environment
        status = subprocess.run(
            command, env=variables, stdout=told, stderr=subprocess.STDOUT, check=False
        ).returncode
        verdict = "passed" if status == 0 else f"failed (status {status})"
        seconds = time.monotonic() - began
        print(f"=== Run {part.name}: {verdict} in {seconds:.0f} s", file=told, flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
