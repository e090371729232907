"""Looks at sources a minute of one worker, against bare conditional GETs by httpx of the same addresses, in turns.

    python -m bench checks [--pair arcadedb+sqlite] [--sources 1000] [--sites 20] [--rounds 3]

The sources are pages of 10 kB on sites of this machine, in a process of their own. *First*:
each is read for the first time (200). *Again*: each answers that it is unchanged (304), which
is what a watch mostly sees. *Changed*: one in ten has changed. The product fetches, records a
response, keeps the state of the watch and, of what changed, a version; the pauses between two
requests of one site are set to none. *Bare*: one httpx client in one thread, connections kept,
nothing done with what comes back; what has changed is read by it, too.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

import django
import httpx2 as httpx

from bench.servers import CHECKOUT, GRAPHS, RELATIONAL, environment, lacking, python

if TYPE_CHECKING:
    from provexplorer.workspaces.models import Workspace

_PAIRS: Final = [f"{graph}+{relational}" for graph, relational in product(GRAPHS, RELATIONAL)]
_WAYS: Final = ("first", "again", "changed")
_BATCH: Final = 500


def main(arguments: list[str] | None = None) -> int:
    """Measure on every pair of servers, each in a process of its own; prints a table."""
    parser = argparse.ArgumentParser(prog="python -m bench checks")
    parser.add_argument("--pair", action="append", choices=_PAIRS, help="may be repeated; all")
    parser.add_argument("--sources", type=int, default=1_000)
    parser.add_argument("--sites", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", type=int, help="be so many sites; prints their ports")
    parser.add_argument("--into", type=Path, help="measure here and now; JSON to this file")
    given = parser.parse_args(arguments)
    if given.serve is not None:
        return _serve(given.serve)
    if given.into is not None:
        found = _measure(given.sources, given.sites, given.rounds)
        given.into.write_text(json.dumps(found), encoding="utf-8")
        return 0
    print("| servers | looks a minute: first | again | changed | bare: first | again | changed | ratio: first | again | changed | processor time: first | again | changed | bare: first | again | changed |")  # fmt: skip
    print(f"|{'---|' * 16}")
    for pair in given.pair or _PAIRS:
        graph, relational = pair.split("+")
        if lacks := lacking(graph, relational):
            print(f"NOT MEASURED: {pair} ({lacks})", flush=True)
            continue
        with TemporaryDirectory(prefix="provexplorer-bench-out-") as folder:
            out = Path(folder) / "out.json"
            with environment(graph, relational) as variables:
                loopback = {
                    "PROVEXPLORER_FETCH_FROM_LOOPBACK": "1",
                    "PROVEXPLORER_FETCH_DELAY_SECONDS": "0",
                }
                subprocess.run(
                    [*python("bench.checks"), "--into", str(out), "--sources", str(given.sources),
                     "--sites", str(given.sites), "--rounds", str(given.rounds)],
                    env=variables | loopback, cwd=CHECKOUT, stdout=sys.stderr, check=True,
                )  # fmt: skip
            print(_line(pair, json.loads(out.read_text(encoding="utf-8"))), flush=True)
    print(
        f"\nLoad average {os.getloadavg()[0]:.1f} after; times are this process's own, in ms a look."
    )
    return 0


def _line(pair: str, rounds: list[dict[str, float]]) -> str:
    rate = {name: 60 * median(each[name] for each in rounds) for name in rounds[0]}
    times = [f"{1000 / 60 * rate[f'{way}_processor']:.2f}" for way in (*_WAYS, *(f"bare_{way}" for way in _WAYS))]  # fmt: skip
    told = [f"{rate[way]:,.0f}" for way in (*_WAYS, *(f"bare_{way}" for way in _WAYS))]
    ratios = [f"**{median(r[way] / r[f'bare_{way}'] for r in rounds):.2f}**" for way in _WAYS]
    return f"| {pair} | {' | '.join([*told, *ratios, *times])} |"


class _Page(BaseHTTPRequestHandler):
    """A page of 10 kB whose version is what `/set/N/V` made it; conditional requests are answered as such."""

    protocol_version = "HTTP/1.1"
    versions: Final[dict[str, str]] = {}

    def do_GET(self) -> None:
        parts = self.path.split("/")
        if parts[1] == "set":
            self.versions[parts[2]] = parts[3]
        known = self.versions.get(parts[-1], "0")
        etag = f'"{known}"'
        if parts[1] not in ("page", "set"):
            self._reply(404, etag, b"")
        elif self.headers.get("If-None-Match") == etag:
            self._reply(304, etag, b"")
        else:
            self._reply(200, etag, page(self.path, known).encode("ascii"))

    def _reply(self, status: int, etag: str, body: bytes) -> None:
        head = f"HTTP/1.1 {status} X\r\nETag: {etag}\r\nContent-Type: text/plain\r\n"
        head += "" if status == 304 else f"Content-Length: {len(body)}\r\n"
        self.wfile.write(f"{head}\r\n".encode("ascii") + body)

    def log_message(self, *_: object) -> None:
        """Nothing is said."""


def page(path: str, version: str) -> str:
    """The text of a page: 100 sentences, of which the version changes one."""
    lines = [f"Sentence {n} of {path} says what it says, at length and without haste." for n in range(140)]  # fmt: skip
    lines[7] += f" It is version {version}."
    return "\n\n".join(lines)


def _serve(sites: int) -> int:
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), _Page) for _ in range(sites)]
    for server in servers:
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps([server.server_address[1] for server in servers]), flush=True)
    sys.stdin.read()
    return 0


@contextmanager
def _sites(number: int) -> Iterator[list[str]]:
    """The addresses of so many sites; they end with the block."""
    command = [*python("bench.checks"), "--serve", str(number)]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=CHECKOUT, **pipes) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield [f"http://127.0.0.1:{port}" for port in json.loads(process.stdout.readline())]
        finally:
            process.stdin.close()


def _measure(sources: int, sites: int, rounds: int) -> list[dict[str, float]]:
    """In this process, on the servers that the environment names; looks a second of each way."""
    django.setup()
    from provexplorer.embedded.prepare import migrate_relational, prepare_graph

    migrate_relational()
    prepare_graph()
    with _sites(sites) as bases:
        return [_round(f"round-{number}", bases, sources) for number in range(rounds)]


def _round(name: str, bases: list[str], sources: int) -> dict[str, float]:
    """One run in a workspace of its own, the product and bare httpx in turns."""
    from provexplorer.workspaces.models import Workspace

    uris = [f"{bases[n % len(bases)]}/page/{name}-{n}" for n in range(sources)]
    workspace = Workspace.objects.create(slug=name, name=name)
    _send(workspace, uris)
    found: dict[str, float] = {}
    etags = _bare(uris, {}, "first", found)
    _product(workspace, sources, "first", found)
    _bare(uris, etags, "again", found)
    _product(workspace, sources, "again", found)
    for uri in uris[::10]:
        base, _, key = uri.partition("/page/")
        httpx.get(f"{base}/set/{key}/1")
    now = _bare(uris, etags, "changed", found)
    assert sum(now[uri] != etags[uri] for uri in uris) == len(uris[::10])
    _product(workspace, sources, "changed", found)
    return found


def _send(workspace: "Workspace", uris: list[str]) -> None:
    """A source of each page, with one version, whose text is the page."""
    from lineage.formats.records import parse_record
    from lineage.ingest.apply import apply_records

    records = [
        record
        for n, uri in enumerate(uris)
        for record in (
            {"kind": "source", "key": f"s{n}", "title": f"Page {n}", "uri": uri},
            {"kind": "source_version", "key": f"s{n}@0", "source": f"s{n}",
             "text": page("/page/" + uri.partition("/page/")[2], "0")},
        )
    ]  # fmt: skip
    for start in range(0, len(records), _BATCH):
        some = records[start : start + _BATCH]
        apply_records(workspace, [parse_record(index, one) for index, one in enumerate(some)])


def _product(workspace: "Workspace", sources: int, way: str, found: dict[str, float]) -> None:
    from lineage.freshness.watching import one_tick
    from lineage.models import FreshnessRules, HostTurn, SourceWatch
    from provexplorer import clock

    FreshnessRules.objects.exclude(workspace=workspace).update(watching=False)
    FreshnessRules.objects.update_or_create(workspace=workspace, defaults={"watching": True})
    SourceWatch.objects.filter(workspace=workspace).update(next_at=clock.now())
    HostTurn.objects.all().delete()
    with _measured(way, sources, found):
        done = one_tick(600)
    assert done == sources, done


@contextmanager
def _measured(way: str, looks: int, found: dict[str, float]) -> Iterator[None]:
    """Looks a second of a way, and this process's processor time a look."""
    began, worked = time.perf_counter(), time.process_time()
    yield
    found[f"{way}_processor"] = (time.process_time() - worked) / looks
    found[way] = looks / (time.perf_counter() - began)


def _bare(
    uris: list[str], etags: dict[str, str], way: str, found: dict[str, float]
) -> dict[str, str]:
    told: dict[str, str] = {}
    with httpx.Client(trust_env=False) as client, _measured(f"bare_{way}", len(uris), found):
        for uri in uris:
            headers = {"If-None-Match": etags[uri]} if uri in etags else {}
            reply = client.get(uri, headers=headers)
            told[uri] = reply.headers["etag"]
            assert reply.status_code == (304 if told[uri] == etags.get(uri) else 200)
    return told


if __name__ == "__main__":
    sys.exit(main())
