"""`make test`: the suite twice, on the embedded servers and on Neo4j with PostgreSQL.

Run A: ArcadeDB and SQLite, everything. Run B: Neo4j 5.26 and PostgreSQL, everything that
touches a server (all but `engine_free`). What this machine cannot run is listed at the
end; with CI=true that list must be empty.
"""

import argparse
import os
import subprocess
import sys
import time
from contextlib import nullcontext

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
    statuses = [_run("A: ArcadeDB and SQLite", ["--graph", "arcadedb", *browser, *given.pytest])]
    statuses += _run_b(missing, everything=given.everything_twice, arguments=given.pytest)
    for what, lacks in missing.items():
        print(f"NOT RUN: tests {what} (this machine lacks {lacks})")
    if missing and os.environ.get("CI") == "true":
        print("CI=true: everything must run", file=sys.stderr)
        return 1
    return max(statuses)


def _run_b(missing: dict[str, str], *, everything: bool, arguments: list[str]) -> list[int]:
    graph = "arcadedb" if "on Neo4j 5.26" in missing else "neo4j"
    on_postgres = "on PostgreSQL" not in missing
    if graph == "arcadedb" and not on_postgres:
        return []
    left_out = [] if everything else ["engine_free"]
    left_out += ["needs_chromium"] if "in a browser" in missing else []
    marks = ["-m", " and ".join(f"not {mark}" for mark in left_out)] if left_out else []
    name = f"B: {'Neo4j 5.26' if graph == 'neo4j' else 'ArcadeDB'} and "
    name += "PostgreSQL" if on_postgres else "SQLite"
    with postgres.cluster() if on_postgres else nullcontext() as cluster:
        relational = cluster.environment() if cluster else {}
        return [_run(name, ["--graph", graph, *marks, *arguments], relational)]


def _run(name: str, arguments: list[str], environment: dict[str, str] | None = None) -> int:
    print(f"\n=== Run {name}", flush=True)
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", *arguments]
    status = subprocess.run(command, env=os.environ | (environment or {}), check=False).returncode
    verdict = "passed" if status == 0 else f"failed (status {status})"
    print(f"=== Run {name}: {verdict} in {time.monotonic() - began:.0f} s", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
