"""`make test`: the suite on the embedded servers and on Neo4j with PostgreSQL.

Run A: ArcadeDB and SQLite, what depends on the servers. Run B: Neo4j 5.26 and PostgreSQL,
the same. Once each: run C, on the embedded servers, what touches none (`engine_free`) and
browser tests (but `both_pairs`); run D, on ArcadeDB and PostgreSQL, what does not depend on
which they are (`one_pair`): what readers see and what others send. What this machine cannot
run is listed at the end; with CI=true that list must be empty.

The runs go side by side, each waiting for its own servers, and are told one after the
other: two processors are enough for all. A and B go in two halves, on servers of their own:
the tests of the product as a whole, which wait the most, and the others.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryFile
from typing import IO, Final

from tests.servers import available, postgres

# How pytest ends where it found nothing to run.
NO_TESTS: Final = 5
# What one run is enough for: run C, and run D.
_ONCE: Final = ("engine_free", "(needs_chromium and not both_pairs)")
_ONE_PAIR: Final = "one_pair"
_NAME_A: Final = "A: ArcadeDB and SQLite"
# Where installations are started, and watched from outside.
_WHOLE: Final = ("tests/browser", "tests/contract", "tests/faults", "tests/flows", "tests/project")


def main() -> int:
    """Run the suite; 0 if all that ran passed (and, with CI=true, all ran)."""
    parser = argparse.ArgumentParser(prog="python -m tests.servers.suite")
    parser.add_argument(
        "--everything-twice", action="store_true", help="runs A and B include every test"
    )
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    given = parser.parse_args()
    missing = available.missing()
    once = [] if given.everything_twice else [*_ONCE, _ONE_PAIR]
    halves = [given.pytest] if given.pytest else [[f"--ignore={one}" for one in _WHOLE], [*_WHOLE]]
    marks = _marks(missing, left_out=once)
    first, *others = (["--graph", "arcadedb", *marks, *half] for half in halves)
    later: list[Callable[[], _Told | None]] = [
        *(partial(run, missing, arguments=given.pytest) for run in (_run_c, _run_d) if once),
        *(partial(_run_b, missing, left_out=once, arguments=half) for half in halves),
        *(partial(_told, _NAME_A, other) for other in others),
    ]
    with ThreadPoolExecutor(max_workers=len(later)) as beside:
        runs = [beside.submit(run) for run in later]
        statuses = [_run(_NAME_A, first)]
        told = [run.result() for run in runs]
    for one in told:
        if one is not None:
            print(one.output, end="", flush=True)
            statuses.append(one.status)
    # A run that found no test of its kind among those asked for has not failed; all of them have.
    if any(status != NO_TESTS for status in statuses):
        statuses = [0 if status == NO_TESTS else status for status in statuses]
    for what, lacks in missing.items():
        print(f"NOT RUN: tests {what} (this machine lacks {lacks})")
    if missing and os.environ.get("CI") == "true":
        print("CI=true: everything must run", file=sys.stderr)
        return 1
    return max(statuses)


@dataclass(frozen=True, slots=True)
class _Told:
    """A run that was listened to: what it printed, how it ended."""

    output: str
    status: int


def _marks(missing: dict[str, str], *, left_out: list[str], only: str = "") -> list[str]:
    """Arguments that choose tests by their marks, and by what this machine has."""
    without = [*left_out, *(["needs_chromium"] if "in a browser" in missing else [])]
    chosen = [*([only] if only else []), *(f"not {mark}" for mark in without)]
    return ["-m", " and ".join(chosen)] if chosen else []


def _run_b(missing: dict[str, str], *, left_out: list[str], arguments: list[str]) -> _Told | None:
    """Run B, its output kept for later; None where this machine has nothing for it."""
    graph = "arcadedb" if "on Neo4j 5.26" in missing else "neo4j"
    on_postgres = "on PostgreSQL" not in missing
    if graph == "arcadedb" and not on_postgres:
        return None
    marks = _marks(missing, left_out=left_out)
    name = f"B: {'Neo4j 5.26' if graph == 'neo4j' else 'ArcadeDB'} and "
    name += "PostgreSQL" if on_postgres else "SQLite"
    with postgres.cluster() if on_postgres else nullcontext() as cluster:
        relational = cluster.environment() if cluster else {}
        return _told(name, ["--graph", graph, *marks, *arguments], relational)


def _run_c(missing: dict[str, str], *, arguments: list[str]) -> _Told:
    """Run C, its output kept for later."""
    marks = _marks(missing, left_out=[], only=f"({' or '.join(_ONCE)})")
    return _told("C: once", ["--graph", "arcadedb", *marks, *arguments])


def _run_d(missing: dict[str, str], *, arguments: list[str]) -> _Told:
    """Run D, its output kept for later."""
    marks = _marks(missing, left_out=list(_ONCE), only=_ONE_PAIR)
    with nullcontext() if "on PostgreSQL" in missing else postgres.cluster() as cluster:
        name = f"D: once, ArcadeDB and {'PostgreSQL' if cluster else 'SQLite'}"
        relational = cluster.environment() if cluster else {}
        return _told(name, ["--graph", "arcadedb", *marks, *arguments], relational)


def _told(name: str, arguments: list[str], environment: dict[str, str] | None = None) -> _Told:
    """One run of pytest, its output kept."""
    with TemporaryFile() as kept:
        status = _run(name, arguments, environment, output=kept)
        kept.seek(0)
        return _Told(kept.read().decode("utf-8", "replace"), status)


def _run(
    name: str,
    arguments: list[str],
    environment: dict[str, str] | None = None,
    output: IO[bytes] | None = None,
) -> int:
    """One run of pytest, into `output` or to where this process prints."""
    told = os.fdopen(os.dup(output.fileno() if output else 1), "w")
    with told:
        print(f"\n=== Run {name}", file=told, flush=True)
        began = time.monotonic()
        command = [sys.executable, "-m", "pytest", *arguments]
        environment = os.environ | (environment or {})
        status = subprocess.run(command, env=environment, stdout=told, check=False).returncode
        verdict = "passed" if status == 0 else f"failed (status {status})"
        seconds = time.monotonic() - began
        print(f"=== Run {name}: {verdict} in {seconds:.0f} s", file=told, flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
