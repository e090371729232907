"""The demo's records give one graph, however they come: twice, shuffled, by two processes at once."""

import json
import random
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from demo.importer import records
from tests.flows.inside import inside
from tests.servers.product import Product


def load(product: Product, slug: str, path: Path) -> subprocess.CompletedProcess[bytes]:
    return product.command(
        "load", "--data-dir", str(product.folder), "--workspace", slug, str(path)
    )


def write(path: Path, some: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in some), encoding="utf-8")
    return path


def test_demo_records_twice_shuffled_and_by_two_processes_give_the_identical_graph(
    stack: Product, tmp_path: Path
) -> None:
    every = [one for batch in records() for one in batch]
    inside(stack, "make('once')")
    done = load(stack, "once", write(tmp_path / "once.jsonl", every))
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    once = inside(stack, "report('once')")
    # More than the records: agents named by sources, a prompt, nothing unresolved is missing.
    assert len(once["nodes"]) >= len(every)
    assert once["graph_nodes"] == once["stored_nodes"]
    assert once["graph_edges"] == once["stored_edges"]
    inside(stack, "remove('once')")

    twice = every * 2
    random.Random(20040413).shuffle(twice)
    half = len(twice) // 2
    inside(stack, "make('mixed')")
    files = [
        write(tmp_path / f"{n}.jsonl", part) for n, part in enumerate((twice[:half], twice[half:]))
    ]
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda path: load(stack, "mixed", path), files))
    told = [one.stderr.decode()[-3000:] for one in both if one.returncode]
    assert [one.returncode for one in both] == [0, 0], told
    mixed = inside(stack, "report('mixed')")
    assert mixed["behind"] == 0
    assert sorted(set(once["nodes"]) ^ set(mixed["nodes"])) == []
    assert sorted(set(once["edges"]) ^ set(mixed["edges"])) == []
    assert mixed == once
    inside(stack, "remove('mixed')")
