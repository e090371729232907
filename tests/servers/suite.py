"""`make test`: the suite on the embedded servers and on Neo4j with PostgreSQL.

Run A: ArcadeDB and SQLite, what asks for a graph server or a whole installation. Run B: Neo4j
5.26 and PostgreSQL, the same. Once each: run C, on the embedded servers, what touches no server
(`engine_free`) and browser tests (but `both_pairs`); run D, on PostgreSQL, what asks for no graph
(`one_pair`). `--everything-twice`: all of it on both pairs. What this machine cannot run is
listed at the end; with CI=true that list must be empty.

Runs go in parts, some at a time, each on servers of its own: some wait while others work.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, Final

from tests.servers import available, postgres

# How pytest ends where it found nothing to run.
NO_TESTS: Final = 5
# Parts at a time: two processors, and parts that wait half of their time.
_BESIDE: Final = 5
_BROWSERS: Final = "(needs_chromium and not both_pairs)"
_ONCE: Final = ("engine_free", "one_pair", _BROWSERS)
# Where installations are started and watched from outside.
_WHOLE: Final = ("tests/contract", "tests/faults", "tests/flows", "tests/project")
# Parts of run D, beside all the rest.
_READERS: Final = ("tests/pages", "tests/citations", "tests/workspaces")
_MACHINES: Final = ("tests/api", "tests/nodes", "tests/ingest", "tests/traces", "tests/inbox")
_SLOW: Final = (*_WHOLE, "tests/erasure", "tests/demo", "tests/embedded")


@dataclass(frozen=True, slots=True)
class Part:
    """One run of pytest: on which servers, which marks, which folders."""

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
    parts = parts_of(missing, twice=given.everything_twice, arguments=given.pytest)
    with ThreadPoolExecutor(max_workers=_BESIDE) as beside:
        statuses = []
        for told in beside.map(_told, parts):
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


def parts_of(missing: dict[str, str], *, twice: bool, arguments: Sequence[str]) -> list[Part]:
    """The parts of the suite that this machine can run, those that take longest first.

    `missing` as tests.servers.available tells it; `arguments` for pytest stand for all paths.
    """
    graph = "arcadedb" if "on Neo4j 5.26" in missing else "neo4j"
    on_postgres = "on PostgreSQL" not in missing
    dry = ("not needs_chromium",) if "in a browser" in missing else ()
    left_out = () if twice else tuple(f"not {mark}" for mark in _ONCE)
    in_graph = {"arcadedb": "ArcadeDB", "neo4j": "Neo4j 5.26"}
    relational = "PostgreSQL" if on_postgres else "SQLite"

    def parts(
        name: str, graph: str, kept_in: str, *marks: str, aside: Sequence[Sequence[str]]
    ) -> list[Part]:
        """All folders but those aside, and each group of those; or what was asked for."""
        title = f"{name}: {in_graph[graph]} and {kept_in}"
        on_postgres = kept_in == "PostgreSQL"
        if arguments:
            return [Part(title, graph, on_postgres, marks, tuple(arguments))]
        others = tuple(f"--ignore={each}" for group in aside for each in group)
        return [
            Part(title, graph, on_postgres, marks, others),
            *(
                Part(f"{title}, {', '.join(group)}", graph, on_postgres, marks, tuple(group))
                for group in aside
            ),
        ]

    a = parts("A", "arcadedb", "SQLite", *left_out, *dry, aside=[_WHOLE])
    b = []
    if graph == "neo4j" or on_postgres:
        b = parts("B", graph, relational, *left_out, *dry, aside=[_WHOLE])
    if twice:
        return [*b, *a]
    once = f"(engine_free or {_BROWSERS})"
    c = parts("C", "arcadedb", "SQLite", once, *dry, aside=[["tests/browser"]])
    d = parts(
        "D", "arcadedb", relational, "one_pair", "not engine_free", f"not {_BROWSERS}", *dry,
        aside=[_READERS, _MACHINES, _SLOW],
    )  # fmt: skip
    if arguments:
        return [*b, *d, *a, *c]
    # What takes longest, by waiting or by working, first.
    (c_rest, c_browser), (d_rest, *d_others) = c, d
    return [*b, c_rest, d_others[-1], d_rest, c_browser, *reversed(a), *d_others[:-1]]


def _told(part: Part) -> Told:
    """One run of pytest, its output kept."""
    with TemporaryFile() as kept:
        with _relational(part) as environment:
            status = _run(part, environment, output=kept)
        kept.seek(0)
        return Told(kept.read().decode("utf-8", "replace"), status)


@contextmanager
def _relational(part: Part) -> Iterator[dict[str, str]]:
    """The variables that name the part's relational server."""
    with postgres.cluster() if part.on_postgres else nullcontext() as cluster:
        yield cluster.environment() if cluster else {}


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
