"""`make bench`: measures ingestion and pages on every pair of servers that this machine has.

`python -m bench traces` and `python -m bench openlineage` measure those formats, `python -m bench
impact` who is affected, `python -m bench notices` a catalogue of notices, `python -m bench checks`
looks at sources, `python -m bench propagation` how long a case takes, `python -m bench export` what a
large CSV takes of memory.

Servers are started for the measurement, on loopback, with throw-away data. A table goes
to the terminal, every figure to a JSON file. What was found, and why: docs/performance.md.
"""

import argparse
import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench import checks, export, impact, notices, openlineage, propagation, traces
from bench.report import machine, of_pages, of_records, table
from bench.servers import CHECKOUT, GRAPHS, RELATIONAL, environment, lacking, python

_PAIRS: Final = [f"{graph}+{relational}" for graph, relational in product(GRAPHS, RELATIONAL)]


def main() -> int:
    """Measure; 0 if everything that could be measured was."""
    if sys.argv[1:2] == ["traces"]:
        return traces.main(sys.argv[2:])
    if sys.argv[1:2] == ["openlineage"]:
        return openlineage.main(sys.argv[2:])
    if sys.argv[1:2] == ["impact"]:
        return impact.main(sys.argv[2:])
    if sys.argv[1:2] == ["export"]:
        return export.main(sys.argv[2:])
    if sys.argv[1:2] == ["propagation"]:
        return propagation.main(sys.argv[2:])
    if sys.argv[1:2] == ["notices"]:
        return notices.main(sys.argv[2:])
    if sys.argv[1:2] == ["checks"]:
        return checks.main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--pair", action="append", choices=_PAIRS, help="may be repeated; all")
    parser.add_argument("--rounds", type=int, default=3, help="runs of the record measurement")
    parser.add_argument("--batches", type=int, default=6, help="batches of 500 records a run")
    parser.add_argument("--requests", type=int, default=300, help="requests of each address")
    parser.add_argument("--out", type=Path, default=CHECKOUT / "var" / "bench.json")
    given = parser.parse_args()
    results: dict[str, dict[str, Any]] = {}
    for pair in given.pair or _PAIRS:
        graph, relational = pair.split("+")
        if lacks := lacking(graph, relational):
            print(f"NOT MEASURED: {pair} ({lacks})", flush=True)
            continue
        print(f"Measuring {pair}", file=sys.stderr, flush=True)
        records = _measure(
            graph, relational, "bench.records",
            "--rounds", str(given.rounds), "--batches", str(given.batches),
        )  # fmt: skip
        pages = _measure(graph, relational, "bench.pages", "--requests", str(given.requests))
        results[pair] = {"records": of_records(records), "pages": of_pages(pages)}
    print(table(results))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    document = {"machine": machine(), "results": results}
    given.out.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(f"\nEvery figure: {given.out}")
    return 0


def _measure(graph: str, relational: str, module: str, *arguments: str) -> dict[str, Any]:
    """Run one measurement in a process of its own, on servers of its own."""
    with TemporaryDirectory(prefix="provexplorer-bench-out-") as folder:
        out = Path(folder) / "out.json"
        with environment(graph, relational) as variables:
            command = [*python(module), str(out), *arguments]
            done = subprocess.run(
                command, env=variables, cwd=CHECKOUT, capture_output=True, check=False
            )
        if done.returncode != 0:
            sys.exit(f"{module} on {graph}+{relational} failed:\n{done.stderr.decode()[-4000:]}")
        measured: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return measured


if __name__ == "__main__":
    sys.exit(main())
