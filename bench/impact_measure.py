"""Measures impact in one process, on the servers that the environment names; JSON to a file.

python -m bench.impact_measure OUT --answers 10000
"""

import argparse
import gc
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any, Final, Self
from unittest.mock import patch

import django

if TYPE_CHECKING:
    from neo4j import Driver

    from bench.impact_world import World
    from provexplorer.workspaces.models import Workspace

_PAGE: Final = 50
_DOCUMENTS: Final = 100
_RECOMPUTED: Final = 200
_INGESTED: Final = 40


def main() -> None:
    """Write the world, ask everything in turns, write what it took."""
    parser = argparse.ArgumentParser(prog="python -m bench.impact_measure")
    parser.add_argument("out", type=Path)
    parser.add_argument("--answers", type=int, required=True)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--without-cte", action="store_true")
    given = parser.parse_args()
    django.setup()
    from django.conf import settings
    from neo4j import GraphDatabase

    from bench.impact_rows import TABLES, Writer, write_graph
    from bench.impact_world import World
    from bench.unindexed import unindexed
    from provexplorer.embedded.prepare import migrate_relational, prepare_graph
    from provexplorer.workspaces.models import Workspace

    migrate_relational()
    prepare_graph()
    world = World(given.answers)
    workspace = Workspace.objects.create(slug="bench", name="bench")
    login = (settings.NEO4J_USER, settings.NEO4J_PASSWORD)
    with GraphDatabase.driver(settings.NEO4J_URI, auth=login) as driver:
        said: dict[str, Any] = {"answers": given.answers}
        began = time.perf_counter()
        with unindexed(TABLES):
            Writer(workspace, world).write()
        said["write_rows_s"] = time.perf_counter() - began
        _say("rows", said["write_rows_s"])
        said["write_graph_s"] = _once(
            lambda: write_graph(driver, settings.NEO4J_DATABASE, workspace, world)
        )
        _say("graph", said["write_graph_s"])
        # What writing has left is not looked through again before each measurement.
        gc.freeze()
        measure = _Measure(workspace, world, driver, given.rounds)
        said |= measure.parser(cte=not given.without_cte)
        said |= measure.documents()
        said |= measure.roots()
        said |= measure.prepared()
    said["load"] = os.getloadavg()[0]
    said["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    given.out.write_text(json.dumps(said), encoding="utf-8")


class _Measure:
    """The questions, asked of one world."""

    def __init__(
        self, workspace: "Workspace", world: "World", driver: "Driver", rounds: int
    ) -> None:
        from lineage.types import Viewer

        self._workspace, self._world = workspace, world
        self._driver, self._rounds = driver, rounds
        self._viewer: Viewer = Viewer(
            workspace_id=workspace.pk, hash_key=workspace.hash_key, slug=workspace.slug,
            groups=frozenset(), sees_all=True, scopes=frozenset({"read"}),
        )  # fmt: skip

    def _uid(self, kind: str, number: int) -> str:
        from bench.impact_world import NodeOf, uid

        return uid(self._workspace.hash_key, NodeOf(kind, number))

    def parser(self, *, cte: bool) -> dict[str, Any]:
        """Counts by grade and the first page of the most popular parser, all ways in turns."""
        from django.conf import settings
        from django.db import connection

        from bench import impact_baselines as other
        from lineage.impact.affected import affected
        from lineage.impact.question import Question
        from lineage.impact.report import counts_of, listed
        from lineage.models import Node

        uid = self._uid("component", 0)
        pk = Node.objects.values_list("pk", flat=True).get(uid=uid)
        ways: dict[str, Callable[[], Any]] = {
            "counts": lambda: counts_of(self._viewer, uid),
            "page": lambda: listed(
                affected(self._viewer, Question(nodes=(uid,))), limit=_PAGE, cursor=None
            ),
        }
        with (
            self._driver.session(database=settings.NEO4J_DATABASE) as session,
            connection.cursor() as cursor,
        ):
            for name in other.GRAPH:
                ways[f"graph_{name}"] = lambda name=name: other.ask(session, name, uid)  # type: ignore[misc]
            if cte and connection.vendor == "postgresql":
                for statement in other.PREPARE_TUNED:
                    cursor.execute(statement)
                ways["cte_plain"] = lambda: other.count_by(cursor, other.PLAIN, pk)
                ways["cte_tuned"] = lambda: other.count_by(cursor, other.TUNED, pk)
            times: dict[str, list[float]] = {name: [] for name in ways}
            found: dict[str, Any] = {}
            for turn in range(self._rounds + 1):
                for name, way in ways.items():
                    found[name], took = _timed(way)
                    if turn:
                        times[name].append(took)
        counts = found["counts"]
        total = sum(counts.values())
        for name in ("cte_plain", "cte_tuned"):
            _same(name, found.get(name, total), total)
        _same("graph_count", found["graph_count"][0]["number"], total)
        _same("graph_cited", found["graph_cited"][0]["number"], counts["cited"])
        newest = [row["uid"] for row in found["graph_page"]]
        _same("graph_page", newest, [item.uid for item in found["page"][0]])
        return {
            "counts": counts,
            "parser_ms": {name: _spread(some) for name, some in times.items()},
        }

    def documents(self) -> dict[str, Any]:
        """Counts and first page of single documents, the popular and the others, each once when cold."""
        from lineage.impact.report import impact

        step = max(1, self._world.documents // _DOCUMENTS)
        times, sizes = [], []
        for number in range(0, self._world.documents, step):
            uid = self._uid("document", number)
            report, took = _timed(lambda uid=uid: impact(self._viewer, uid, limit=_PAGE))  # type: ignore[misc]
            times.append(took)
            sizes.append(sum(report.counts.values()))
        return {"document_ms": _spread(times), "document_answers": [max(sizes), median(sizes)]}

    def roots(self) -> dict[str, Any]:
        """From answers up to their sources: by what is prepared, and by the walk in the graph."""
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        from lineage.graph.walk import upstream
        from lineage.models import RestsOn

        def prepared(uid: str) -> list[Any]:
            rows = RestsOn.objects.filter(
                answer__uid=uid, answer__workspace_id=self._viewer.workspace_id
            )
            return list(rows.values_list("target__uid", "grade", "via__uid").order_by("target_id"))

        step = max(1, self._world.answers // _DOCUMENTS)
        by_rows, by_walk, trips, statements = [], [], [], 0
        for number in range(0, self._world.answers, step):
            uid = self._uid("answer", number)
            with CaptureQueriesContext(connection) as captured:
                rows, took = _timed(lambda uid=uid: prepared(uid))  # type: ignore[misc]
            statements = max(statements, len(captured))
            by_rows.append(took)
            with _Trips() as counted:
                walk, took = _timed(lambda uid=uid: upstream(self._viewer.workspace_id, uid))  # type: ignore[misc]
            by_walk.append(took)
            trips.append(counted.number)
            _same("upstream", set(walk.uids) - {uid}, {target for target, _, _ in rows})
        return {
            "root_rows_ms": _spread(by_rows), "root_statements": statements,
            "root_walk_ms": _spread(by_walk), "root_bolt_trips": max(trips),
        }  # fmt: skip

    def prepared(self) -> dict[str, Any]:
        """What is prepared weighs and costs: rows and bytes an answer, and the time to make them."""
        from django.db import connection

        from lineage.formats.records import parse_record
        from lineage.impact import closure
        from lineage.ingest.apply import apply_records
        from lineage.models import Node, RestsOn
        from provexplorer.workspaces.models import Workspace

        answers = self._world.answers
        rows = RestsOn.objects.count()
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SELECT pg_total_relation_size('lineage_restson')")
            else:
                cursor.execute(
                    "SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_master "
                    "WHERE tbl_name = 'lineage_restson')"
                )
            (size,) = cursor.fetchone()
        some = Node.objects.filter(workspace=self._workspace, kind="answer").order_by("pk")
        ids = list(some.values_list("pk", flat=True)[:_RECOMPUTED])
        RestsOn.objects.filter(answer_id__in=ids).delete()
        _, again = _timed(lambda: closure.recompute(self._workspace, ids))
        small = type(self._world)(_INGESTED)
        fresh = Workspace.objects.create(slug="bench-ingested", name="bench")
        records = [parse_record(i, one) for i, one in enumerate(small.records())]
        spent: list[float] = []
        recompute = closure.recompute

        def timed(*arguments: Any) -> Any:
            done, took = _timed(lambda: recompute(*arguments))
            spent.append(took)
            return done

        with patch("lineage.ingest.apply.recompute", timed):
            _, whole = _timed(lambda: apply_records(fresh, records))
        return {
            "rows_an_answer": rows / answers, "bytes_an_answer": size / answers,
            "recompute_ms_an_answer": again / len(ids),
            "ingest_closure_share": sum(spent) / whole, "ingest_ms_an_answer": whole / _INGESTED,
        }  # fmt: skip


class _Trips:
    """Counts the statements that the graph client sends while the block lasts."""

    def __enter__(self) -> Self:
        from lineage.graph import client

        self.number = 0
        real = client._attempt  # noqa: SLF001 - every read and write goes through it

        def counting(*arguments: Any, **named: Any) -> Any:
            self.number += 1
            return real(*arguments, **named)

        self._patch = patch("lineage.graph.client._attempt", counting)
        self._patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._patch.stop()


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What the work gives, and what it took in milliseconds."""
    gc.collect()
    began = time.perf_counter()
    done = work()
    return done, (time.perf_counter() - began) * 1000


def _once(work: Callable[[], Any]) -> float:
    return _timed(work)[1] / 1000


def _spread(times: list[float]) -> dict[str, float]:
    cuts = quantiles(times, n=20, method="inclusive")
    return {"least": min(times), "p50": cuts[9], "p95": cuts[18]}


def _same(name: str, found: Any, expected: Any) -> None:
    """A way that finds something else is not a baseline."""
    if found != expected:
        sys.exit(f"{name} found {str(found)[:300]}, not {str(expected)[:300]}")


def _say(what: str, seconds: float) -> None:
    print(f"{what} written in {seconds:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
