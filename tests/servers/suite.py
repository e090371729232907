"""`make test`: the suite on the embedded servers and on Neo4j with PostgreSQL.

Run A: ArcadeDB and SQLite, what asks for a graph server or a whole installation. Run B: Neo4j
5.26 and PostgreSQL, the same. Once each: run C, on the embedded servers, what touches no server
and browser tests but `both_pairs` (`embedded_only`); run D, on PostgreSQL, what asks for no graph
(`one_pair`). `--everything-twice`: all of it on both pairs. What this machine cannot run is
listed at the end; with CI=true that list must be empty. `make check` runs tests/project.

Runs go in parts, some at a time, each on servers of its own: some wait while others work.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import repeat
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Final

from tests.servers import available, postgres
from tests.servers.handed_on import FOLDER
from tests.servers.prepared import Prepared

# How pytest ends where it found nothing to run.
NO_TESTS: Final = 5
# Parts at a time: two processors, and parts that wait two thirds of their time.
_BESIDE: Final = 6
_ONCE: Final = ("one_pair", "embedded_only")
# Where installations are started and watched from outside: together, so that one does for most.
_WHOLE: Final = (
    "tests/contract", "tests/faults", "tests/flows", "tests/api/test_openlineage_client.py",
    "tests/cases/test_flow.py", "tests/erasure/test_bytes_left.py", "tests/browser/test_case_journey.py",
)  # fmt: skip
_READERS: Final = ("tests/pages", "tests/citations", "tests/workspaces")
_MACHINES: Final = ("tests/api", "tests/nodes", "tests/ingest", "tests/traces", "tests/inbox")
_ERASING: Final = ("tests/erasure", "tests/demo", "tests/embedded")
# The parts of each run by their folders, () for all the rest, and about how long they take beside
# others, in seconds: the longest begin.
_PARTS: Final[Mapping[str, Mapping[tuple[str, ...], int]]] = {
    "A": {_WHOLE: 260, (): 330},
    "B": {_WHOLE: 380, (): 560},
    "C": {("tests/browser",): 360, (): 520},
    "D": {_WHOLE: 650, _ERASING: 380, _READERS: 500, _MACHINES: 430, (): 630},
}
# Documents, commands, configuration: `make check` runs these.
_CHECKED: Final = "tests/project"
# Where, in the folder of what is prepared, the cluster lies that each part's own begins as.
_CLUSTER: Final = "cluster"
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
    # Hundreds of processes start: none should compile again what another has.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    missing, twice = available.missing(), given.everything_twice
    with ThreadPoolExecutor(max_workers=_BESIDE) as beside, TemporaryDirectory() as folder:
        prepared = Path(folder)
        preparing = beside.submit(_prepare, prepared, on_postgres="on PostgreSQL" not in missing)
        if given.pytest:
            parts = parts_as_asked(missing, given.pytest, twice=twice)
        else:
            parts = parts_of(missing, marked(), twice=twice)
        preparing.result()
        statuses = []
        for told in beside.map(_told, parts, repeat(prepared)):
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
    parts: list[tuple[int, Part]] = []
    for name, (graph, on_postgres, marks) in _runs(missing, twice=twice).items():
        own = [file for file, sets in files.items() if any(_fits(marks, each) for each in sets)]
        title = _title(name, graph, on_postgres)
        for group, seconds in _PARTS[name].items():
            within = tuple(file for file in own if not group or _is_of(file, group))
            own = [file for file in own if file not in within]
            named = ", ".join([title, *group])
            parts.append((seconds, Part(named, graph, on_postgres, marks, within)))
    parts.sort(key=itemgetter(0), reverse=True)
    return [part for _, part in parts if part.paths]


def _is_of(file: str, group: Sequence[str]) -> bool:
    """Whether it is one of these files, or in one of these folders."""
    return any(file == each or file.startswith(f"{each}/") for each in group)


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


def _prepare(folder: Path, *, on_postgres: bool) -> None:
    """Make the migrated databases of all parts: SQLite's files, and a cluster to begin with."""
    Prepared(folder).make(None)
    if on_postgres:
        with postgres.kept_in(folder / _CLUSTER) as cluster:
            Prepared(folder).make(cluster.url("provexplorer"))


def _told(part: Part, prepared: Path) -> Told:
    """One run of pytest, its output kept."""
    like = prepared / _CLUSTER
    with (
        TemporaryFile() as kept,
        postgres.cluster(like) if part.on_postgres else nullcontext() as cluster,
    ):
        environment = {FOLDER: str(prepared)} | (cluster.environment() if cluster else {})
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
