"""The CSV of a very large report: how much memory the web processes take while they stream it.

    python -m bench export [--store sqlite] [--rows 200000]

For each store: writes so many answers in bulk, asks for the whole list behind the product's own web
server, of one component and of two, and watches what its processes hold (bench.export_measure).
Figures: docs/performance.md. A million rows: `--rows 1000000`.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.report import machine
from bench.servers import CHECKOUT, RELATIONAL, environment, lacking, python

# No export asks the graph anything.
_GRAPH: Final = "arcadedb"


def main(arguments: list[str] | None = None) -> int:
    """Measure on each store; a table to the terminal, every figure to a JSON file."""
    parser = argparse.ArgumentParser(prog="python -m bench export")
    parser.add_argument("--store", action="append", choices=RELATIONAL, help="may be repeated; all")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--out", type=Path, default=CHECKOUT / "var" / "bench-export.json")
    given = parser.parse_args(arguments)
    results: dict[str, dict[str, Any]] = {}
    for store in given.store or RELATIONAL:
        if lacks := lacking(_GRAPH, store):
            print(f"NOT MEASURED: {store} ({lacks})", flush=True)
            continue
        results[store] = _measured(store, given.rows)
    print(table(results))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    document = {"machine": machine(), "rows": given.rows, "results": results}
    given.out.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(f"\nEvery figure: {given.out}")
    return 0


def _measured(store: str, rows: int) -> dict[str, Any]:
    with TemporaryDirectory(prefix="provexplorer-bench-out-") as folder:
        out = Path(folder) / "out.json"
        with environment(_GRAPH, store) as variables:
            command = [*python("bench.export_measure"), str(out), "--rows", str(rows)]
            subprocess.run(command, env=variables, cwd=CHECKOUT, stdout=sys.stderr, check=True)
        measured: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return measured


def table(results: Mapping[str, Mapping[str, Any]]) -> str:
    """All of them as a table of Markdown; MB are those above what the processes held before."""
    lines = [
        "| store, asked about | rows | MB of CSV | s | MB above idle after a tenth | at most | idle |",
        "|---" * 7 + "|",
    ]
    for store, found in results.items():
        for asked, one in found["streams"].items():
            lines.append(
                f"| {store}, {asked} | {one['rows']:,} | {one['bytes'] / 2**20:.0f} "
                f"| {one['seconds']:.0f} | {one['after_a_tenth']:.1f} | **{one['most']:.1f}** "
                f"| {found['idle']:.0f} |"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
