"""How long a case takes from its approval to its certificate, against plain writes of the same edges.

    python -m bench propagation --answers 10000 [--pair neo4j+postgresql]

For each pair of servers: writes the workspace of bench.impact_world, files a retraction of its most
popular parser's run and propagates it while another process reads (bench.propagation_measure). Plain is a
hand-written batch that merges the same edges with the same properties on the same server. Figures:
docs/performance.md.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.impact import roomy
from bench.report import machine
from bench.servers import CHECKOUT, GRAPHS, RELATIONAL, environment, lacking, python

_PAIRS: Final = [f"{graph}+{relational}" for graph, relational in product(GRAPHS, RELATIONAL)]
# Propagation ÷ plain writes, reads during ÷ reads before (p95), dry run ÷ impact report; at most.
GOALS: Final = {"propagation": 2.0, "reads": 2.0, "dry_run": 1.2}


def main(arguments: list[str] | None = None) -> int:
    """Measure each size on each pair; a table to the terminal, every figure to a JSON file."""
    parser = argparse.ArgumentParser(prog="python -m bench propagation")
    parser.add_argument("--pair", action="append", choices=_PAIRS, help="may be repeated; all")
    parser.add_argument("--answers", default="5000", help="sizes, separated by commas")
    parser.add_argument("--out", type=Path, default=CHECKOUT / "var" / "bench-propagation.json")
    given = parser.parse_args(arguments)
    results: dict[str, dict[str, Any]] = {}
    for pair, size in product(given.pair or _PAIRS, given.answers.split(",")):
        graph, relational = pair.split("+")
        if lacks := lacking(graph, relational):
            print(f"NOT MEASURED: {pair} ({lacks})", flush=True)
            continue
        print(f"Measuring {pair} with {int(size):,} answers", file=sys.stderr, flush=True)
        results[f"{pair}, {int(size):,}"] = _measured(graph, relational, size)
        given.out.parent.mkdir(parents=True, exist_ok=True)
        document = {"machine": machine(), "goals": GOALS, "results": results}
        given.out.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(table(results))
    print(f"\nEvery figure: {given.out}")
    return 0


def _measured(graph: str, relational: str, size: str) -> dict[str, Any]:
    with TemporaryDirectory(prefix="provexplorer-bench-out-") as folder:
        out = Path(folder) / "out.json"
        with roomy(), environment(graph, relational) as variables:
            command = [*python("bench.propagation_measure"), str(out), "--answers", size]
            subprocess.run(command, env=variables, cwd=CHECKOUT, stdout=sys.stderr, check=True)
        measured: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return measured


def table(results: Mapping[str, Mapping[str, Any]]) -> str:
    """All sizes as a table of Markdown; times in seconds, reads in milliseconds."""
    lines = [
        (
            "| servers, answers | reached | propagated | of it marking / graph, beside the proof / proof | plain | × plain "
            "| dry run ÷ report | reads p95, before / during | × | grown, MB |"
        ),
        "|---" * 10 + "|",
    ]
    for name, found in results.items():
        part, reads = found["part_s"], found["reads_ms"]
        lines.append(
            f"| {name} | {found['reached']:,} | {found['propagated_s']:.1f} "
            f"| {part['marking']:.1f} / {part['graph']:.1f} / {part['proof']:.1f} "
            f"| {found['plain_s']:.1f} | **{found['propagated_s'] / found['plain_s']:.2f}** "
            f"| {found['dry_run_s']:.2f} ÷ {found['report_s']:.2f} = **{found['dry_run_s'] / found['report_s']:.2f}** "
            f"| {reads['before']['p95']:.0f} / {reads['during']['p95']:.0f} "
            f"| **{reads['during']['p95'] / reads['before']['p95']:.2f}** | {found['grown_mb']:.0f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
