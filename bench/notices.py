"""`python -m bench notices`: a catalogue of notices read and matched with the sources of a workspace.

Against the plainest way of doing it: the table read with Python's csv module, the sources with
one query of the same database, and the two joined by dictionaries, in memory. Opening the cases of what was
matched is measured apart: the join has nothing like it.
"""

import argparse
import gc
import io
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import django

from bench.report import machine
from bench.servers import CHECKOUT, RELATIONAL, environment, lacking, python

if TYPE_CHECKING:
    from provexplorer.workspaces.models import Workspace

GOAL: Final = 3.0
_SMALL: Final = 10_000  # rows of the small file, beside which memory must not grow
_WORDS: Final = [
    "analysis",
    "of",
    "protein",
    "folding",
    "under",
    "stress",
    "in",
    "mountain",
    "rivers",
    "and",
    "their",
    "sediments",
    "with",
    "methods",
    "from",
    "statistical",
    "learning",
    "for",
    "the",
    "early",
    "detection",
    "of",
    "disease",
    "among",
    "older",
    "adults",
    "using",
    "ultrasound",
    "imaging",
    "deep",
    "networks",
    "and",
    "wireless",
    "sensors",
    "an",
    "evaluation",
    "based",
    "on",
    "claims",
]
_REASON: Final = (
    "+Concerns/Issues About Data;+Concerns/Issues About Results;+Concerns/Issues with Peer Review;"
    "+Investigation by Journal/Publisher;+Investigation by Third Party;+Paper Mill;"
    "+Randomly Generated Content;+Unreliable Results;"
)
_LINKS: Final = ";".join(f"https://retractionwatch.example/2023/04/05/some-long-headline-of-a-post-{n}/" for n in range(3))  # fmt: skip


def main(arguments: list[str]) -> int:
    """Measure on every relational store that this machine has."""
    parser = argparse.ArgumentParser(prog="python -m bench notices", description=__doc__)
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--sources", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--store", action="append", choices=RELATIONAL)
    parser.add_argument("--out", type=Path, default=CHECKOUT / "var" / "bench-notices.json")
    given = parser.parse_args(arguments)
    results: dict[str, Any] = {}
    for relational in given.store or RELATIONAL:
        if lacks := lacking("arcadedb", relational):
            print(f"NOT MEASURED: {relational} ({lacks})", flush=True)
            continue
        with TemporaryDirectory(prefix="provexplorer-bench-out-") as folder:
            out = Path(folder) / "out.json"
            with environment("arcadedb", relational) as variables:
                command = [*python("bench.notices"), str(out), str(given.rows),
                           str(given.sources), str(given.rounds)]  # fmt: skip
                done = subprocess.run(
                    command, env=variables, cwd=CHECKOUT, capture_output=True, check=False
                )
            if done.returncode != 0:
                sys.exit(f"on {relational} it failed:\n{done.stderr.decode()[-4000:]}")
            results[relational] = json.loads(out.read_text(encoding="utf-8"))
    print(_table(results))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    document = {"machine": machine(), "results": results}
    given.out.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(f"\nEvery figure: {given.out}")
    return 0


def _table(results: dict[str, Any]) -> str:
    lines = [
        "| store | rows × sources | import with matching, s | csv + dict join, s | ratio | goal | memory beyond the start, 10,000 rows / all, MB | again, s | a case drafted, ms |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for store, found in results.items():
        ratio = median(a / b for a, b in zip(found["product"], found["plain"], strict=True))
        memory = found["memory"]
        lines.append(
            f"| {store} | {found['rows']:,} × {found['sources']:,} | {median(found['product']):.2f} "
            f"| {median(found['plain']):.2f} | {ratio:.2f} | ≤ {GOAL:g} "
            f"| {memory['small']:.0f} / {memory['all']:.0f} | {found['again']:.2f} "
            f"| {found['drafting'] * 1000:.1f} |"
        )
    return "\n".join(lines)


def measure(out: Path, rows: int, sources: int, rounds: int) -> None:
    """Measure in this process on the store that the environment names."""
    django.setup()
    from lineage.models import NoticeMatch
    from provexplorer.embedded.prepare import migrate_relational
    from provexplorer.workspaces.models import Workspace

    migrate_relational()
    product, plain = [], []
    memory: dict[str, float] = {}
    small, table = _csv(_SMALL, sources), _csv(rows, sources)
    again = drafting = 0.0
    for number in range(rounds):
        workspace = Workspace.objects.create(slug=f"bench-{number}", name="bench")
        _write_sources(workspace, sources)
        if not number:
            other = Workspace.objects.create(slug="bench-small", name="bench")
            memory["small"] = _growth(partial(_import, other, small))
        began = time.perf_counter()
        grown = _growth(partial(_import, workspace, table))
        product.append(time.perf_counter() - began)
        memory.setdefault("all", grown)
        plain.append(_timed(partial(_joined, workspace, table)))
        found = NoticeMatch.objects.filter(notice__workspace=workspace).count()
        if found < rows // 100:
            sys.exit(f"only {found} were matched")
        again = _timed(partial(_import, workspace, table))
        drafting = _timed(partial(_draft, workspace)) / found
    measured = {
        "rows": rows, "sources": sources, "product": product, "plain": plain, "memory": memory,
        "again": again, "drafting": drafting,
    }  # fmt: skip
    out.write_text(json.dumps(measured), encoding="utf-8")


def _import(workspace: "Workspace", table: bytes) -> None:
    from lineage.models import NoticeImport
    from lineage.notices.reading import read_notices
    from lineage.notices.receiving import begin

    row = begin(workspace, origin=NoticeImport.Origin.COMMAND, size=len(table))
    done = read_notices(workspace, row, io.BytesIO(table), drafting=False)
    if done.state != "done":
        sys.exit(f"the import failed: {done.failure}")


def _draft(workspace: "Workspace") -> None:
    from lineage.notices.reading import open_cases
    from lineage.notices.report import Tally

    open_cases(workspace, Tally())


def _joined(workspace: "Workspace", table: bytes) -> int:
    """The plain way: everything in memory, nothing written."""
    import csv

    from lineage.models import Node

    stated = Node.objects.filter(workspace=workspace, kind="source")
    by_doi: dict[str, int] = {}
    by_pmid: dict[str, int] = {}
    for pk, doi, pmid in stated.values_list("pk", "fields__doi", "fields__pmid"):
        if doi:
            by_doi[doi.lower()] = pk
        if pmid:
            by_pmid[pmid] = pk
    text = io.TextIOWrapper(io.BytesIO(table), encoding="utf-8", errors="replace", newline="")
    read = list(csv.DictReader(text))
    joined = [
        (each, found)
        for each in read
        if (found := by_doi.get(each["OriginalPaperDOI"].strip().lower()))
        or (found := by_pmid.get(each["OriginalPaperPubMedID"].removesuffix(".0")))
    ]
    return len(joined)


def _timed(work: Callable[[], object]) -> float:
    gc.collect()
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _growth(work: Callable[[], object]) -> float:
    """MB by which the process grew at most while it worked."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = _status("VmRSS")
    work()
    return _status("VmHWM") - before


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) / 1024


def _csv(rows: int, sources: int) -> bytes:
    """A table as Retraction Watch publishes it, some 1,100 bytes a row; a hundredth is about known works.

    Of these, three in four are named by their DOI, the others by their PMID.
    """
    from lineage.formats.retraction_watch import PUBLISHED, row_of

    chance = random.Random(20_231_201)
    out = [",".join((*PUBLISHED, ""))]
    for number in range(rows):
        known = number % 100 == 0
        at = number % sources
        doi = f"10.5555/source.{at}" if known and number % 400 else f"10.5555/elsewhere.{number}"
        pmid = f"{20_000_000 + at}.0" if known else "0"
        cells = row_of(
            {
                "Record ID": str(number), "Title": _title(chance),
                "Subject": "(B/T) Computer Science;(HSC) Medicine - General;",
                "Institution": "Department of Something, University of Somewhere, 430079, Nowhere; " * 3,
                "Journal": "Journal of Many Things", "Publisher": "A Publisher",
                "Country": "Nowhere", "Author": "Ada One;Ben Two;Cleo Three;Dan Four",
                "URLS": _LINKS, "ArticleType": "Research Article;",
                "RetractionDate": "7/12/2023 0:00", "RetractionDOI": f"10.5555/notice.{number}",
                "RetractionPubMedID": f"{30_000_000 + number}.0",
                "OriginalPaperDate": "8/18/2022 0:00",
                "OriginalPaperDOI": "" if known and number % 400 == 0 else doi,
                "OriginalPaperPubMedID": pmid,
                "RetractionNature": "Retraction", "Reason": _REASON, "Paywalled": "No",
            }
        )  # fmt: skip
        out.append(",".join(f'"{cell}"' for cell in cells) + ",")
    return ("\n".join(out) + "\n").encode()


def _title(chance: random.Random) -> str:
    return " ".join(chance.choices(_WORDS, k=14))


def _write_sources(workspace: "Workspace", sources: int) -> None:
    """Sources with the words under which ingestion keeps them, straight into the tables."""
    from django.db import transaction

    from bench.impact_rows import NODE_COLUMNS
    from lineage import bulk_rows
    from lineage.identifiers import address_of, anywhere_of
    from lineage.ingest.search_words import identifiers_of, title_word
    from lineage.models import Node, SearchWord
    from provexplorer import clock

    chance, now, key = random.Random(7), clock.now(), workspace.hash_key
    for some in _slices(range(sources), 5_000):
        with transaction.atomic():
            rows: list[bulk_rows.Row] = []
            words: list[bulk_rows.Row] = []
            for number, pk in zip(some, bulk_rows.reserve(Node, len(some)), strict=True):
                name = f"source-{number}"
                address = address_of(key, "source", "", name)
                fields = {
                    "title": _title(chance), "doi": f"10.5555/source.{number}",
                    "pmid": str(20_000_000 + number), "source_kind": "article",
                    "creators": [{"name": "Ada One", "role": "creator"}],
                }  # fmt: skip
                rows.append((
                    pk, workspace.pk, "source", "", name, address,
                    anywhere_of(key, "source", name), address, "", True, False, None, pk, None,
                    fields["title"], now, None, now, None, None, "", False, fields, {}, [],
                ))  # fmt: skip
                own = identifiers_of("source", fields, key) | {title_word(fields["title"], key)}
                words += [(workspace.pk, pk, word) for word in own]
            bulk_rows.insert(Node, NODE_COLUMNS, rows)
            bulk_rows.insert(SearchWord, ("workspace_id", "node_id", "word"), words)


def _slices(numbers: range, size: int) -> Iterator[range]:
    for start in range(0, len(numbers), size):
        yield numbers[start : start + size]


if __name__ == "__main__":
    measure(Path(sys.argv[1]), *map(int, sys.argv[2:5]))
