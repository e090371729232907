"""OpenLineage events a second against plain driver writes of the same nodes and edges, in turns.

    python -m bench openlineage [--pair arcadedb+sqlite] [--rounds 3] [--batches 6]

A batch is a request of 100 events (bench.lineage_events). *Product*: received as the endpoint
does: kept, checked, stored, projected. *Plain*: what this came to in the graph, by
`UNWIND … MERGE` (bench.plain_writes). *HTTP*: the product behind its web server.
"""

import argparse
import gc
import http
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import django

from bench.servers import CHECKOUT, GRAPHS, RELATIONAL, environment, lacking, python

if TYPE_CHECKING:
    from neo4j import Driver

    from provexplorer.workspaces.models import Workspace

_PAIRS: Final = [f"{graph}+{relational}" for graph, relational in product(GRAPHS, RELATIONAL)]
_WARM_UP: Final = 3
_JSON: Final = "application/json"


def main(arguments: list[str] | None = None) -> int:
    """Measure on every pair of servers, each in a process of its own; prints a table."""
    parser = argparse.ArgumentParser(prog="python -m bench openlineage")
    parser.add_argument("--pair", action="append", choices=_PAIRS, help="may be repeated; all")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batches", type=int, default=6, help="of 100 events, a round")
    parser.add_argument("--into", type=Path, help="measure here and now; JSON to this file")
    given = parser.parse_args(arguments)
    if given.into is not None:
        found = _measure(given.rounds, given.batches)
        given.into.write_text(json.dumps(found), encoding="utf-8")
        return 0
    lines: list[str] = []
    for pair in given.pair or _PAIRS:
        graph, relational = pair.split("+")
        if lacks := lacking(graph, relational):
            print(f"NOT MEASURED: {pair} ({lacks})", flush=True)
            continue
        with TemporaryDirectory(prefix="provexplorer-bench-out-") as folder:
            out = Path(folder) / "out.json"
            with environment(graph, relational) as variables:
                subprocess.run(
                    [*python("bench.openlineage"), "--into", str(out), "--rounds",
                     str(given.rounds), "--batches", str(given.batches)],
                    env=variables, cwd=CHECKOUT, stdout=sys.stderr, check=True,
                )  # fmt: skip
            lines.append(_line(pair, json.loads(out.read_text(encoding="utf-8"))))
    print(
        "| servers | events/s | over HTTP | plain rows, as events/s | ratio (quartiles) | HTTP ratio |"
    )
    print("|---|---|---|---|---|---|")
    print("\n".join(lines))
    print(f"\nLoad average {os.getloadavg()[0]:.1f} after.")
    return 0


def _line(pair: str, batches: list[dict[str, Any]]) -> str:
    rate = {
        way: median(b["events"] / b[way] for b in batches) for way in ("product", "http", "plain")
    }
    low, middle, high = quantiles(
        (b["plain"] / b["product"] for b in batches), n=4, method="inclusive"
    )
    over_http = median(b["plain"] / b["http"] for b in batches)
    return (
        f"| {pair} | {rate['product']:.0f} | {rate['http']:.0f} | {rate['plain']:.0f} "
        f"| **{middle:.2f}** ({low:.2f}–{high:.2f}) | {over_http:.2f} |"
    )


def _measure(rounds: int, batches: int) -> list[dict[str, Any]]:
    """In this process, on the servers that the environment names; what each batch took, in seconds."""
    django.setup()
    from django.conf import settings
    from neo4j import GraphDatabase

    from bench.web import served
    from provexplorer.embedded.prepare import migrate_relational, prepare_graph

    migrate_relational()
    prepare_graph()
    login = (settings.NEO4J_USER, settings.NEO4J_PASSWORD)
    log = Path(os.environ["PROVEXPLORER_DATA_DIR"]) / "web.log"
    with (
        served(os.environ, log) as port,
        GraphDatabase.driver(settings.NEO4J_URI, auth=login) as driver,
    ):
        return [
            batch
            for number in range(rounds)
            for batch in _round(f"r{number}", driver, port, batches, 0 if number else _WARM_UP)
        ]


def _round(
    name: str, driver: "Driver", port: int, batches: int, warm_up: int
) -> list[dict[str, Any]]:
    """One run in workspaces of its own: each batch through the product, plainly, over HTTP."""
    from django.conf import settings

    from bench.lineage_events import Warehouse
    from bench.plain_writes import renamed, write
    from bench.rows import last_ids, rows_since
    from provexplorer.workspaces.keys import create_key
    from provexplorer.workspaces.models import Workspace

    workspace = Workspace.objects.create(slug=f"bench-{name}", name=name)
    over_http = Workspace.objects.create(slug=f"bench-http-{name}", name=name)
    _, key = create_key(workspace=over_http, scopes=["ingest"], label="bench")
    headers = {"Authorization": f"Bearer {key}", "Content-Type": _JSON}
    found = []
    for events in Warehouse(name).batches(warm_up + batches):
        body = json.dumps(events).encode()
        last = last_ids()
        took = _seconds(partial(_receive, workspace, body))
        rows = rows_since(workspace.pk, last)
        other = renamed(rows, name)
        found.append(
            {
                "events": len(events), "nodes": len(rows.nodes), "edges": len(rows.edges),
                "product": took,
                "plain": _seconds(partial(write, driver, settings.NEO4J_DATABASE, other)),
                "http": _send(port, headers, body),
            }
        )  # fmt: skip
    return found[warm_up:]


def _receive(workspace: "Workspace", body: bytes) -> None:
    from lineage.inbox.receive import receive

    receipt = receive(workspace, format="openlineage", body=body, media_type=_JSON)
    if receipt.state != "applied":
        sys.exit(f"not all was stored: {receipt.state}")


def _send(port: int, headers: dict[str, str], body: bytes) -> float:
    from bench.web import Client

    seconds, status, answer = Client(port, headers).ask(
        "/api/v1/lineage/batch", method="POST", body=body
    )
    if status != http.HTTPStatus.OK:
        sys.exit(f"over HTTP not all was stored: {status} {answer[:500]!r}")
    return seconds


def _seconds(work: Callable[[], object]) -> float:
    # What earlier turns left must not be collected at the expense of this one.
    gc.collect()
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
