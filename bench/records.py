"""Measures records stored per second against the plain writes of the same rows, in turns."""

import argparse
import gc
import http
import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django

if TYPE_CHECKING:
    from neo4j import Driver

    from provexplorer.workspaces.models import Workspace


def main() -> None:
    """Measure in this process on the servers that the environment names; JSON to a file."""
    parser = argparse.ArgumentParser(prog="python -m bench.records")
    parser.add_argument("out", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batches", type=int, default=6)
    parser.add_argument("--warm-up", type=int, default=4)
    given = parser.parse_args()
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
        rounds = [
            _Round(f"r{number}", driver, port).run(
                batches=given.batches, warm_up=0 if number else given.warm_up
            )
            for number in range(given.rounds)
        ]
    given.out.write_text(json.dumps({"rounds": rounds}), encoding="utf-8")


class _Round:
    """One run, in workspaces of its own: each batch through the product, plainly, and over HTTP."""

    def __init__(self, name: str, driver: "Driver", port: int) -> None:
        from provexplorer.workspaces.keys import create_key
        from provexplorer.workspaces.models import Workspace

        self._name, self._driver, self._port = name, driver, port
        self._workspace = Workspace.objects.create(slug=f"bench-{name}", name=name)
        over_http = Workspace.objects.create(slug=f"bench-http-{name}", name=name)
        _, key = create_key(workspace=over_http, scopes=["ingest"], label="bench")
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def run(self, *, batches: int, warm_up: int) -> list[dict[str, Any]]:
        """What each batch took, in seconds; those to warm up are left out."""
        from django.conf import settings

        from bench.plain_writes import renamed, write
        from bench.rows import last_ids, rows_since
        from bench.stream import Stream

        found = []
        for records in Stream(self._name).deliveries(warm_up + batches):
            body = json.dumps({"records": records}).encode()
            last = last_ids()
            began = time.process_time()
            product = _seconds(partial(_apply, self._workspace, body))
            python = time.process_time() - began
            rows = rows_since(self._workspace.pk, last)
            other = renamed(rows, self._name)
            plain = _seconds(partial(write, self._driver, settings.NEO4J_DATABASE, other))
            found.append(
                {
                    "records": len(records), "nodes": len(rows.nodes), "edges": len(rows.edges),
                    "product": product, "product_python": python, "plain": plain,
                    "http": self._send(body),
                }
            )  # fmt: skip
        return found[warm_up:]

    def _send(self, body: bytes) -> float:
        from bench.web import Client

        # A connection of its own: the web server ends one that is idle during the other turns.
        client = Client(self._port, self._headers)
        seconds, status, answer = client.ask("/api/v1/records", method="POST", body=body)
        if status != http.HTTPStatus.OK or json.loads(answer)["rejected"]:
            sys.exit(f"over HTTP not all was stored: {status} {answer[:500]!r}")
        return seconds


def _apply(workspace: "Workspace", body: bytes) -> None:
    """As the endpoint does: the body parsed, its records checked, stored and projected."""
    from lineage.formats.records import parse_request
    from lineage.ingest.apply import apply_records

    applied = apply_records(workspace, parse_request(body, "application/json", ""))
    wrong = [one for one in applied.outcomes if one.status != "stored" or one.warnings]
    if wrong or not applied.projected:
        sys.exit(f"not all was stored: {wrong[:3]}, projected: {applied.projected}")


def _seconds(work: Callable[[], object]) -> float:
    # What earlier turns left must not be collected at the expense of this one.
    gc.collect()
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
