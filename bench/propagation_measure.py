"""Measures one case from approval to certificate, on the servers that the environment names; JSON to a file.

python -m bench.propagation_measure OUT --answers 5000
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING, Any, Final, LiteralString
from unittest.mock import patch

import django

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction

    from bench.impact_world import World
    from lineage.types import Viewer
    from provexplorer.workspaces.models import Workspace

# Rows of a plain transaction; larger ones were no faster.
_ROWS: Final = 5_000
_READS_SECONDS: Final = 6.0
PLAIN: Final[LiteralString] = """
UNWIND $rows AS row
MATCH (answer:Answer {uid: row[0]})
MATCH (case:Case {uid: $case})
MERGE (answer)-[edge:AFFECTED_BY]->(case)
SET edge.grade = row[1], edge.at = row[2], edge.state = row[3]
"""


def main() -> None:
    """Write the world, propagate a case in it, write what it took."""
    parser = argparse.ArgumentParser(prog="python -m bench.propagation_measure")
    parser.add_argument("out", type=Path)
    parser.add_argument("--answers", type=int, required=True)
    given = parser.parse_args()
    django.setup()
    from django.conf import settings
    from django.db import connection
    from neo4j import GraphDatabase

    from bench.impact_rows import Writer, write_graph
    from bench.impact_world import World
    from provexplorer.embedded.prepare import migrate_relational, prepare_graph
    from provexplorer.workspaces.models import Workspace

    migrate_relational()
    prepare_graph()
    world = World(given.answers)
    workspace = Workspace.objects.create(slug="bench", name="bench")
    login = (settings.NEO4J_USER, settings.NEO4J_PASSWORD)
    with GraphDatabase.driver(settings.NEO4J_URI, auth=login) as driver:
        Writer(workspace, world).write()
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        write_graph(driver, settings.NEO4J_DATABASE, workspace, world)
        print("world written", flush=True)
        said = _Measure(workspace, world, driver).all()
    said["load"] = os.getloadavg()[0]
    given.out.write_text(json.dumps(said), encoding="utf-8")


def viewer_of(workspace: "Workspace") -> "Viewer":
    """An editor."""
    from lineage.types import Viewer

    return Viewer(
        workspace_id=workspace.pk, hash_key=workspace.hash_key, slug=workspace.slug,
        groups=frozenset(), sees_all=True, scopes=frozenset({"read", "operate", "edit"}),
    )  # fmt: skip


class _Measure:
    """A retraction of what the most popular parser's run has made."""

    def __init__(self, workspace: "Workspace", world: "World", driver: "Driver") -> None:
        from bench.impact_world import NodeOf, uid

        self._workspace, self._driver = workspace, driver
        self._viewer = viewer_of(workspace)
        self._answers = world.answers
        self._target = uid(workspace.hash_key, NodeOf("run", 0))
        self._other = uid(workspace.hash_key, NodeOf("run", 1))
        self._seconds: dict[str, float] = defaultdict(float)

    def all(self) -> dict[str, Any]:
        from lineage.cases import workflow
        from lineage.impact.question import Question
        from lineage.impact.report import report

        first = self._warmed_up()
        drafted = workflow.draft(
            self._viewer,
            workflow.NewCase(kind="retraction", targets=[{"uid": self._target}], reason="bench"),
        )
        dry: list[float] = []
        told: list[float] = []
        for _ in range(4):  # in turns; the first of each warms up
            dry.append(_timed(lambda: workflow.dry_run(self._viewer, drafted.uid)))
            told.append(_timed(lambda: report(self._viewer, Question(nodes=(self._target,)))))
        reads: dict[str, dict[str, float]] = {}
        with _reading(self._workspace, self._answers) as taken:
            time.sleep(_READS_SECONDS)
        reads["before"] = _spread(taken())
        workflow.approve(self._viewer, drafted.uid)
        before = _resident("VmRSS")
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        with _reading(self._workspace, self._answers) as taken, self._parts():
            propagated = _timed(lambda: self._propagate(drafted.uid))
        grown = (_resident("VmHWM") - before) / 1024
        reads["during"] = _spread(taken())
        print("propagated", round(propagated, 1), flush=True)
        rows = self._effects(drafted.uid)
        return {
            "answers": self._answers,
            "reached": len(rows),
            "dry_run_s": min(dry[1:]),
            "report_s": min(told[1:]),
            "propagated_s": propagated,
            "first_s": first,
            "part_s": {name: self._seconds[name] for name in ("marking", "graph", "proof")},
            "plain_s": self._plain(rows),
            "reads_ms": reads,
            "grown_mb": grown,
        }

    def _warmed_up(self) -> float:
        """A case on another parser's run, lifted again: what the first of a freshly started server takes.

        Servers compile statements as they come; later cases find them compiled, as plain writes
        find theirs.
        """
        from lineage.cases import workflow

        targets = [{"uid": self._other}]
        drafted = workflow.draft(
            self._viewer, workflow.NewCase(kind="retraction", targets=targets, reason="bench")
        )
        workflow.dry_run(self._viewer, drafted.uid)
        workflow.approve(self._viewer, drafted.uid)
        took = _timed(lambda: self._propagate(drafted.uid))
        self._propagate(workflow.reinstate(self._viewer, drafted.uid).uid)
        return took

    def _propagate(self, uid: str) -> None:
        """Every run of the task, one after the other, until the case has its certificate."""
        from lineage.cases.propagate import propagate
        from lineage.models import Case

        case = Case.objects.get(uid=uid)
        while case.state == Case.State.PROPAGATING:
            propagate(case.pk)
            case.refresh_from_db()
            waits = case.lease_until
            if waits is not None and case.state == Case.State.PROPAGATING:
                time.sleep(0.05)
        if case.state != Case.State.VERIFIED:
            sys.exit(f"the case ended {case.state}: {case.counts.get('shortfall')}")

    @contextmanager
    def _parts(self) -> Iterator[None]:
        """Notes how long is spent on marking, on the graph's edges and on the proof, during which they are written."""
        from lineage.cases import propagate
        from lineage.cases.proof import prove
        from lineage.graph.case_projection import project_case

        def timed(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any, **named: Any) -> Any:
                began = time.perf_counter()
                try:
                    return real(*arguments, **named)
                finally:
                    self._seconds[name] += time.perf_counter() - began

            return call

        with (
            patch.object(propagate, "_batch", timed("marking", propagate._batch)),  # noqa: SLF001 - what a run is made of
            patch("lineage.cases.closing.project_case", timed("graph", project_case)),
            patch("lineage.cases.closing.prove", timed("proof", prove)),
        ):
            yield

    def _effects(self, uid: str) -> list[list[Any]]:
        """What the case came to, as a plain client would be told to write it."""
        from lineage.models import AnswerEffect
        from lineage.vocabulary import AnswerState, Grade

        rows = AnswerEffect.objects.filter(case__uid=uid).order_by("answer__uid")
        return [
            [answer, Grade(grade).word, at.isoformat(), AnswerState(state).word]
            for answer, grade, at, state in rows.values_list("answer__uid", "grade", "at", "state")
        ]

    def _plain(self, rows: list[list[Any]]) -> float:
        """The second of two times, as the case is not the first either, and beside the same reads."""
        from django.conf import settings

        with self._driver.session(database=settings.NEO4J_DATABASE) as session:

            def write(case: str) -> None:
                session.run("CREATE (:Case {uid: $case})", case=case).consume()
                for start in range(0, len(rows), _ROWS):
                    session.execute_write(_merge, rows[start : start + _ROWS], case)

            write("warm")
            with _reading(self._workspace, self._answers):
                took = _timed(lambda: write("plain"))
            found = session.run(
                "MATCH (:Answer)-[edge:AFFECTED_BY]->(:Case {uid: 'plain'}) RETURN count(edge) AS n"
            ).single(strict=True)["n"]
        if found != len(rows):
            sys.exit(f"the plain batch wrote {found} edges of {len(rows)}")
        return took


def _merge(unit: "ManagedTransaction", rows: list[list[Any]], case: str) -> None:
    unit.run(PLAIN, rows=rows, case=case).consume()


@contextmanager
def _reading(workspace: "Workspace", answers: int) -> Iterator[Callable[[], list[float]]]:
    """Another process that reads states and pages all the while; what each read took, in milliseconds."""
    command = [sys.executable, "-m", "bench.propagation_reads", workspace.slug, str(answers)]
    reader = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert reader.stdout is not None
    reader.stdout.readline()  # it has warmed up
    taken: list[float] = []
    try:
        yield lambda: taken
    finally:
        reader.terminate()
        out, _ = reader.communicate(timeout=60)
        taken += [float(line) for line in out.split()]


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _spread(taken: list[float]) -> dict[str, float]:
    cuts = quantiles(taken, n=20, method="inclusive")
    return {"reads": len(taken), "p50": cuts[9], "p95": cuts[18]}


def _resident(name: str) -> int:
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    assert found is not None
    return int(found[1])


if __name__ == "__main__":
    main()
