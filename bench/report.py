"""What was measured as figures and a table: medians, spreads, ratios, goals."""

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

# Product ÷ plain writes, at least; page ÷ bare view with one round trip, at most.
RECORDS_GOAL: Final = 0.4
PAGES_GOAL: Final = 4.0
# Of a page at the bounds of what it shows, p95 at most, in milliseconds.
LARGE_GOAL: Final = 300.0


def machine() -> dict[str, Any]:
    """Where it was measured, and how busy that machine was."""
    memory = next(
        (
            int(line.split()[1]) // 2**20
            for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
            if line.startswith("MemTotal:")
        ),
        0,
    )
    return {
        "cores": os.cpu_count(), "memory_gib": memory, "system": platform.platform(terse=True),
        "python": platform.python_version(), "load_average": os.getloadavg()[0],
    }  # fmt: skip


def of_records(measured: Mapping[str, Any]) -> dict[str, Any]:
    """Records a second of each way, and the ratios of the product's ways to the plain one."""
    batches = [batch for each in measured["rounds"] for batch in each]
    rate = {
        way: _spread([batch["records"] / batch[way] for batch in batches])
        for way in ("product", "http", "plain")
    }
    return {
        "batches": len(batches),
        "nodes_a_batch": median(batch["nodes"] for batch in batches),
        "edges_a_batch": median(batch["edges"] for batch in batches),
        "records_a_second": rate,
        "python_seconds_a_batch": _spread([batch["product_python"] for batch in batches]),
        "ratio": _spread([batch["plain"] / batch["product"] for batch in batches]),
        "ratio_by_round": [
            median(batch["plain"] / batch["product"] for batch in each)
            for each in measured["rounds"]
        ],
        "ratio_http": _spread([batch["plain"] / batch["http"] for batch in batches]),
        "goal": RECORDS_GOAL,
    }


def of_pages(measured: Mapping[str, Any]) -> dict[str, Any]:
    """p50 and p95 in milliseconds of each address, and what they are of the floor's."""
    times = {name: _percentiles(some) for name, some in measured["seconds"].items()}
    floor = times["floor"]
    return {
        "requests_each": len(measured["seconds"]["floor"]),
        "milliseconds": times,
        "most_bytes": measured["most_bytes"],
        "times_the_floor": {
            name: {p: times[name][p] / floor[p] for p in ("least", "p50", "p95")}
            for name in ("answer", "citation")
        },
        "goal": PAGES_GOAL,
        "first_page_bytes": measured["first_page_bytes"],
        "large_milliseconds": {
            name: _percentiles(some) for name, some in measured["large_seconds"].items()
        },
        "large_goal": LARGE_GOAL,
    }


def table(results: Mapping[str, Mapping[str, Any]]) -> str:
    """All pairs as two tables of Markdown."""
    lines = [
        "| servers | records/s | over HTTP | plain rows, as records/s | ratio (quartiles) | HTTP ratio | goal |",
        "|---|---|---|---|---|---|---|",
    ]
    for pair, result in results.items():
        found = result["records"]
        rate = found["records_a_second"]
        lines.append(
            f"| {pair} | {_middle(rate['product'])} | {_middle(rate['http'])} "
            f"| {_middle(rate['plain'])} | {_ratio(found['ratio'])} "
            f"| {_ratio(found['ratio_http'])} | ≥ {found['goal']} |"
        )
    lines += [
        "",
        "| servers, p50 / p95 ms | bare view | + `RETURN 1` (floor) | same, in the site | answer page | citation opened | × floor: page | × floor: citation | goal |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for pair, result in results.items():
        found = result["pages"]
        cells = [
            _pair(found["milliseconds"][name])
            for name in ("bare", "floor", "floor_in_site", "answer", "citation")
        ]
        cells += [_pair(found["times_the_floor"][name]) for name in ("answer", "citation")]
        lines.append(f"| {pair} | {' | '.join(cells)} | ≤ {found['goal']:g} |")
    lines += ["", "| at its bounds, p50 / p95 ms | " + " | ".join(results) + " | goal |"]
    lines.append("|---" * (len(results) + 2) + "|")
    names = {name for result in results.values() for name in result["pages"]["large_milliseconds"]}
    for name in sorted(names):
        found = [result["pages"]["large_milliseconds"][name] for result in results.values()]
        lines.append(f"| {name} | {' | '.join(map(_pair, found))} | p95 ≤ {LARGE_GOAL:g} |")
    for pair, result in results.items():
        sent = result["pages"]["first_page_bytes"]
        lines += [
            "",
            f"First answer page on {pair}: {sent['page']:,} bytes, its styles and scripts {sent['styles_and_scripts']:,}.",
        ]
    return "\n".join(lines)


def _spread(values: Sequence[float]) -> dict[str, float]:
    low, middle, high = quantiles(values, n=4, method="inclusive")
    return {"low": low, "median": middle, "high": high, "best": max(values), "least": min(values)}


def _percentiles(seconds: Iterable[float]) -> dict[str, float]:
    """The least tells what it costs when nothing else runs."""
    every = [one * 1000 for one in seconds]
    cuts = quantiles(every, n=20, method="inclusive")
    return {"least": min(every), "p50": cuts[9], "p95": cuts[18]}


def _middle(spread: Mapping[str, float]) -> str:
    return f"{spread['median']:.0f} ({spread['low']:.0f}–{spread['high']:.0f})"


def _ratio(spread: Mapping[str, float]) -> str:
    return f"{spread['median']:.2f} ({spread['low']:.2f}–{spread['high']:.2f})"


def _pair(found: Mapping[str, float]) -> str:
    return f"{found['p50']:.1f} / {found['p95']:.1f}"
