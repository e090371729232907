"""Traces of a RAG pipeline a second until they can be queried: Provexplorer, Arize Phoenix, MLflow.

The same requests (bench.rag_traces: protobuf, 50 traces each) go to each product in turns,
by one client and by four. A trace counts when the product's own API tells its answer. The
peers are installed on first use, each in a virtual environment of its own outside the checkout;
one that cannot be installed is left out and told. Everything listens on loopback.

    python -m bench traces [--traces 400] [--rounds 2] [--without phoenix]
"""

import argparse
import json
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

from bench.load import Run, send
from bench.peers import mlflow, phoenix
from bench.peers.contender import Contender
from bench.peers.environments import DEFAULT_FOLDER, NotInstalled
from bench.peers.product import EMBEDDED, SERVERS, Provexplorer, provexplorer
from bench.rag_traces import TRACES_A_BATCH, RagTraces
from bench.report import machine
from bench.servers import CHECKOUT, lacking

CLIENTS: Final = (1, 4)
_WARM_UP: Final = 4
_REFERENCE: Final = "MLflow"
_NAMES: Final = (EMBEDDED, SERVERS, "phoenix", "mlflow")
# Traces begin in the past, one a second: products that show the last hours show them.
_BACK_SECONDS: Final = 3_000

Runs = dict[tuple[str, int], list[Run]]


def main(arguments: list[str] | None = None) -> int:
    """Measure; 0 if all that was asked for was."""
    parser = argparse.ArgumentParser(prog="python -m bench traces", description=__doc__)
    parser.add_argument("--traces", type=int, default=400, help="of each product, clients, round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--without", action="append", choices=_NAMES, default=[])
    parser.add_argument("--peers", type=Path, default=DEFAULT_FOLDER, help="their environments")
    parser.add_argument("--out", type=Path, default=CHECKOUT / "var" / "bench-traces.json")
    given = parser.parse_args(arguments)
    # Told to end, it ends in order: what peers have started would outlive it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    batches = max(1, given.traces // TRACES_A_BATCH)
    load = os.getloadavg()[0]
    with ExitStack() as stack:
        contenders: list[Contender] = []
        left_out: list[str] = []
        for name in _NAMES:
            if name in given.without:
                continue
            try:
                contenders.append(stack.enter_context(_started(name, given.peers)))
            except (NotInstalled, RuntimeError) as reason:
                left_out.append(name)
                print(f"NOT MEASURED: {name} ({reason})", flush=True)
        runs = _in_turns(contenders, batches, given.rounds)
    print(table(runs))
    print(f"\nLoad average {load:.1f} before, {os.getloadavg()[0]:.1f} after.")
    given.out.parent.mkdir(parents=True, exist_ok=True)
    document = {"machine": machine(), "runs": _written(runs)}
    given.out.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(f"Every figure: {given.out}")
    return 1 if left_out else 0


def _started(name: str, peers: Path) -> AbstractContextManager[Contender]:
    print(f"Starting {name}", file=sys.stderr, flush=True)
    if name == "phoenix":
        return phoenix.started(peers)
    if name == "mlflow":
        return mlflow.started(peers)
    if lacks := lacking(*name.split("+")):
        raise NotInstalled(lacks)
    return provexplorer(name)


def _in_turns(contenders: list[Contender], batches: int, rounds: int) -> Runs:
    """All runs; each round every product has its turn with each number of clients."""
    found: Runs = defaultdict(list)
    for contender in contenders:
        send(contender, list(_traces("warm-up").batches(_WARM_UP)), 1)
    for number in range(rounds):
        for clients in CLIENTS:
            sent = list(_traces(f"{number} {clients}").batches(batches))
            for contender in contenders:
                run = send(contender, sent, clients)
                found[contender.name, clients].append(run)
                print(f"Round {number + 1}, {contender.name}, {clients} clients: "
                      f"{run.queryable:.0f}/s", file=sys.stderr, flush=True)  # fmt: skip
                last = sent[-1].told[-1]
                if isinstance(contender, Provexplorer) and not contender.reaches_creator(last):
                    sys.exit("the chain of an answer does not lead to its creators")
    return found


def _traces(seed: str) -> RagTraces:
    return RagTraces(seed, at=int(time.time()) - _BACK_SECONDS)


def table(runs: Runs) -> str:
    """Medians over the rounds, and the ratio to MLflow's rate in the same round."""
    lines = [
        "| | clients | acknowledged/s | **queryable/s** | × MLflow | POST p50 / p95 ms | most RSS (PSS) MB |",
        "|---|---|---|---|---|---|---|",
        *(_line(name, clients, some, runs) for (name, clients), some in runs.items()),
    ]
    return "\n".join(lines)


def _line(name: str, clients: int, some: list[Run], runs: Runs) -> str:
    reference = runs.get((_REFERENCE, clients), [])
    ratios = [one.queryable / other.queryable for one, other in zip(some, reference, strict=False)]
    posts = [1_000 * seconds for run in some for seconds in run.posts]
    cuts = quantiles(posts, n=20, method="inclusive") if len(posts) > 1 else posts * 19
    return (
        f"| {name} | {clients} | {median(run.acknowledged for run in some):.0f} "
        f"| **{median(run.queryable for run in some):.0f}** ({_each(run.queryable for run in some)}) "
        f"| {f'{median(ratios):.2f}' if ratios else '–'} | {cuts[9]:.0f} / {cuts[18]:.0f} "
        f"| {max(run.memory.rss for run in some):,.0f} ({max(run.memory.pss for run in some):,.0f}) |"
    )


def _each(values: Iterator[float]) -> str:
    return ", ".join(f"{value:.0f}" for value in values)


def _written(runs: Runs) -> list[dict[str, Any]]:
    return [
        {
            "product": name, "clients": clients, "acknowledged": run.acknowledged,
            "queryable": run.queryable, "posts": run.posts, "rss_mb": run.memory.rss,
            "pss_mb": run.memory.pss,
        }
        for (name, clients), some in runs.items()
        for run in some
    ]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
