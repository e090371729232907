"""Impact over a generated workspace, against plain traversals of the same edges in the same run.

    python -m bench impact --answers 10000,100000 [--pair neo4j+postgresql] [--rounds 9]

For each pair of servers and each size: writes the workspace in bulk (bench.impact_rows says why),
then asks for the most popular parser's counts and first page, for single documents, from answers up
to their sources, and measures what is prepared (bench.impact_measure). Figures: docs/performance.md.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

from bench.report import machine
from bench.servers import CHECKOUT, GRAPHS, RELATIONAL, environment, lacking, python
from tests.servers.neo4j import Neo4j

_PAIRS: Final = [f"{graph}+{relational}" for graph, relational in product(GRAPHS, RELATIONAL)]


def main(arguments: list[str] | None = None) -> int:
    """Measure each size on each pair; a table to the terminal, every figure to a JSON file."""
    parser = argparse.ArgumentParser(prog="python -m bench impact")
    parser.add_argument("--pair", action="append", choices=_PAIRS, help="may be repeated; all")
    parser.add_argument("--answers", default="10000", help="sizes, separated by commas")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument(
        "--without-cte", action="store_true", help="recursive statements take minutes at 100,000"
    )
    parser.add_argument("--out", type=Path, default=CHECKOUT / "var" / "bench-impact.json")
    given = parser.parse_args(arguments)
    sizes = [int(size) for size in given.answers.split(",")]
    results: dict[str, dict[str, Any]] = {}
    for pair, size in product(given.pair or _PAIRS, sizes):
        graph, relational = pair.split("+")
        if lacks := lacking(graph, relational):
            print(f"NOT MEASURED: {pair} ({lacks})", flush=True)
            continue
        print(f"Measuring {pair} with {size:,} answers", file=sys.stderr, flush=True)
        found = _measured(graph, relational, size, given.rounds, cte=not given.without_cte)
        results[f"{pair}, {size:,}"] = found
        given.out.parent.mkdir(parents=True, exist_ok=True)
        document = {"machine": machine(), "results": results}
        given.out.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(table(results))
    print(f"\nEvery figure: {given.out}")
    return 0


def _measured(graph: str, relational: str, size: int, rounds: int, *, cte: bool) -> dict[str, Any]:
    with TemporaryDirectory(prefix="provexplorer-bench-out-") as folder:
        out = Path(folder) / "out.json"
        with roomy(), environment(graph, relational) as variables:
            command = [
                *python("bench.impact_measure"), str(out),
                "--answers", str(size), "--rounds", str(rounds), *([] if cte else ["--without-cte"]),
            ]  # fmt: skip
            subprocess.run(command, env=variables, cwd=CHECKOUT, stdout=sys.stderr, check=True)
        measured: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return measured


class _RoomyNeo4j(Neo4j):
    """With memory for a large graph, so that the traversals compared with do not wait for the disk."""

    def command(self) -> list[str]:
        command = ["-Xmx2g" if part.startswith("-Xmx") else part for part in super().command()]
        settings = self.folder / "conf" / "neo4j.conf"
        text = settings.read_text(encoding="utf-8")
        settings.write_text(text.replace("pagecache.size=64m", "pagecache.size=1g"), "utf-8")
        return command


@contextmanager
def roomy() -> Iterator[None]:
    with patch("bench.servers.Neo4j", _RoomyNeo4j):
        yield


def table(results: Mapping[str, Mapping[str, Any]]) -> str:
    """All sizes as two tables of Markdown; times are p50 in milliseconds unless it says otherwise."""
    lines = [
        (
            "| servers, answers | reached | counts | page | plain count | plain page | counts × | page × "
            "| CTE plain | CTE tuned | CTE × (plain, tuned) |"
        ),
        "|---" * 11 + "|",
    ]
    for name, found in results.items():
        ms = {way: spread["p50"] for way, spread in found["parser_ms"].items()}
        reached = sum(found["counts"].values())
        ctes = [ms.get("cte_plain"), ms.get("cte_tuned")]
        times = [f"{cte:.0f}" if cte else "–" for cte in ctes]
        ratios = " / ".join(f"{cte / ms['counts']:.0f}" if cte else "–" for cte in ctes)
        lines.append(
            f"| {name} | {reached:,} | {ms['counts']:.1f} | {ms['page']:.1f} "
            f"| {ms['graph_count']:.0f} | {ms['graph_page']:.0f} "
            f"| **{ms['counts'] / ms['graph_count']:.3f}** | **{ms['page'] / ms['graph_page']:.3f}** "
            f"| {times[0]} | {times[1]} | **{ratios}** |"
        )
    lines += [
        "",
        (
            "| servers, answers | document, p50 / p95 | answer to root: rows | walk, p50 / p95 "
            "| Bolt trips | rows an answer | bytes an answer | made again, ms an answer | of ingestion |"
        ),
        "|---" * 9 + "|",
    ]
    for name, found in results.items():
        lines.append(
            f"| {name} | {_pair(found['document_ms'])} | {_pair(found['root_rows_ms'])} "
            f"| {_pair(found['root_walk_ms'])} | {found['root_bolt_trips']} "
            f"| {found['rows_an_answer']:.0f} | {found['bytes_an_answer']:,.0f} "
            f"| {found['recompute_ms_an_answer']:.1f} | {found['ingest_closure_share']:.0%} |"
        )
    return "\n".join(lines)


def _pair(found: Mapping[str, float]) -> str:
    return f"{found['p50']:.1f} / {found['p95']:.1f}"


if __name__ == "__main__":
    sys.exit(main())
