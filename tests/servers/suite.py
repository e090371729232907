"""`make test`: the suite twice, on the embedded servers and on Neo4j with PostgreSQL.

Run A: ArcadeDB and SQLite, everything. Run B: Neo4j 5.26 and PostgreSQL, everything that
touches a server (all but `engine_free`). What this machine cannot run is listed at the
end; with CI=true that list must be empty.

The runs go side by side, each waiting for its own servers, and are told one after the
other: two processors are enough for both.
"""

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO

from tests.servers import available, postgres


def main() -> int:
    """Run the suite; 0 if all that ran passed (and, with CI=true, all ran)."""
    parser = argparse.ArgumentParser(prog="python -m tests.servers.suite")
    parser.add_argument(
        "--everything-twice", action="store_true", help="run B includes `engine_free` tests"
    )
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    given = parser.parse_args()
    missing = available.missing()
    browser = ["-m", "not needs_chromium"] if "in a browser" in missing else []
    with ThreadPoolExecutor(max_workers=1) as beside:
        run_b = beside.submit(
            _run_b, missing, everything=given.everything_twice, arguments=given.pytest
        )
        statuses = [
            _run("A: ArcadeDB and SQLite", ["--graph", "arcadedb", *browser, *given.pytest])
        ]
        told_b = run_b.result()
    if told_b is not None:
        print(told_b.output, end="", flush=True)
        statuses.append(told_b.status)
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


def _run_b(missing: dict[str, str], *, everything: bool, arguments: list[str]) -> _Told | None:
    """Run B, its output kept for later; None where this machine has nothing for it."""
    graph = "arcadedb" if "on Neo4j 5.26" in missing else "neo4j"
    on_postgres = "on PostgreSQL" not in missing
    if graph == "arcadedb" and not on_postgres:
        return None
    left_out = [] if everything else ["engine_free"]
    left_out += ["needs_chromium"] if "in a browser" in missing else []
    marks = ["-m", " and ".join(f"not {mark}" for mark in left_out)] if left_out else []
    name = f"B: {'Neo4j 5.26' if graph == 'neo4j' else 'ArcadeDB'} and "
    name += "PostgreSQL" if on_postgres else "SQLite"
    with postgres.cluster() if on_postgres else nullcontext() as cluster, TemporaryFile() as kept:
        relational = cluster.environment() if cluster else {}
        status = _run(name, ["--graph", graph, *marks, *arguments], relational, output=kept)
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
