"""Where should the prepared closure live: as edges in the graph, or as rows beside the labels?

Writes the same generated closure into ArcadeDB, Neo4j, SQLite and PostgreSQL and
asks each the questions of an impact report: counts by grade of the most popular
target, its first page of 50 (newest first, then uid), and the rewriting of one
answer. Figures: docs/decisions/0002-closure-as-rows.md.

    python -m bench.closure_store [--answers 20000]
"""

import argparse
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from neo4j import GraphDatabase

from provexplorer.embedded.graph_server import ArcadeDB
from tests.servers.neo4j import Neo4j
from tests.servers.running import running

TARGETS: Final = 5_000
PER_ANSWER: Final = 15
BATCH: Final = 5_000
ROUNDS: Final = 15

Row = tuple[int, int, int, int]  # answer, target, grade, at


def closure(answers: int) -> list[Row]:
    """Rows with power-law popularity of targets, seeded."""
    chance = random.Random(7)
    rows = []
    for answer in range(answers):
        targets = {min(int(chance.paretovariate(0.6)) - 1, TARGETS - 1) for _ in range(PER_ANSWER)}
        rows += [
            (answer, target, chance.randint(1, 6), 1_770_000_000 + answer) for target in targets
        ]
    return rows


def median_ms(ask: Callable[[], Any]) -> float:
    """Median of ROUNDS calls after one that is not counted."""
    ask()
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        ask()
        times.append((time.perf_counter() - begun) * 1_000)
    return statistics.median(times)


@contextmanager
def graph(kind: str, folder: Path) -> Iterator[Any]:
    """A session on a fresh graph server."""
    server = (
        Neo4j.in_folder(folder / kind)
        if kind == "Neo4j"
        else ArcadeDB.in_folder(folder / kind, password="bench-only-here")
    )
    with running(server, log=folder / f"{kind}.log", seconds=120):
        address = server.address.environment()
        auth = (address["NEO4J_USER"], address["NEO4J_PASSWORD"])
        with (
            GraphDatabase.driver(address["NEO4J_URI"], auth=auth) as driver,
            driver.session(database=address["NEO4J_DATABASE"]) as session,
        ):
            yield session


def in_graph(kind: str, rows: list[Row], folder: Path) -> dict[str, float]:
    with graph(kind, folder) as session:

        def run(cypher: str, **parameters: Any) -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = session.run(cypher, **parameters).data()
            return found

        for label in ("Answer", "Target"):
            run(f"CREATE CONSTRAINT FOR (n:{label}) REQUIRE n.uid IS UNIQUE")
        if kind == "Neo4j":
            run("CREATE INDEX FOR ()-[r:RESTS_ON]-() ON (r.target_uid, r.at)")
            run("CALL db.awaitIndexes()")
        for label, every in (("Answer", {r[0] for r in rows}), ("Target", {r[1] for r in rows})):
            uids = sorted(every)
            for start in range(0, len(uids), BATCH):
                run(
                    f"UNWIND $uids AS uid CREATE (:{label} {{uid: uid}})",
                    uids=uids[start : start + BATCH],
                )
        begun = time.perf_counter()
        for start in range(0, len(rows), BATCH):
            batch = [dict(zip("atgw", row, strict=True)) for row in rows[start : start + BATCH]]
            run(
                "UNWIND $rows AS r MATCH (a:Answer {uid: r.a}) MATCH (t:Target {uid: r.t}) "
                "CREATE (a)-[:RESTS_ON {target_uid: r.t, grade: r.g, at: r.w}]->(t)",
                rows=batch,
            )
        written = len(rows) / (time.perf_counter() - begun)
        one = [dict(zip("atgw", row, strict=True)) for row in rows if row[0] == 17]

        def rewrite() -> None:
            run("MATCH (:Answer {uid: 17})-[r:RESTS_ON]->() DELETE r")
            run(
                "UNWIND $rows AS r MATCH (a:Answer {uid: r.a}) MATCH (t:Target {uid: r.t}) "
                "CREATE (a)-[:RESTS_ON {target_uid: r.t, grade: r.g, at: r.w}]->(t)",
                rows=one,
            )

        page = (
            "MATCH (a:Answer)-[r:RESTS_ON]->(:Target {uid: 0}) "
            "RETURN a.uid AS uid, r.grade AS grade, r.at AS at ORDER BY at DESC, uid LIMIT 50"
        )
        if kind == "Neo4j":
            page = (
                "MATCH (a:Answer)-[r:RESTS_ON]->() WHERE r.target_uid = 0 AND r.at > 0 "
                "RETURN a.uid AS uid, r.grade AS grade, r.at AS at ORDER BY at DESC LIMIT 50"
            )
        counts = "MATCH (:Answer)-[r:RESTS_ON]->(:Target {uid: 0}) RETURN r.grade AS grade, count(*) AS n ORDER BY grade"
        return {
            "rows written /s": written,
            "counts ms": median_ms(lambda: run(counts)),
            "page ms": median_ms(lambda: run(page)),
            "rewrite one ms": median_ms(rewrite),
        }


def in_table(rows: list[Row], connection: Any, mark: str) -> dict[str, float]:
    cursor = connection.cursor()
    cursor.execute(
        "CREATE TABLE closure (answer INT, target INT, grade INT, at BIGINT, UNIQUE (answer, target))"
    )
    cursor.execute("CREATE INDEX by_target ON closure (target, at DESC, answer)")
    cursor.execute("CREATE INDEX by_grade ON closure (target, grade)")
    connection.commit()
    insert = f"INSERT INTO closure VALUES ({mark}, {mark}, {mark}, {mark})"
    begun = time.perf_counter()
    for start in range(0, len(rows), BATCH):
        cursor.executemany(insert, rows[start : start + BATCH])
        connection.commit()
    written = len(rows) / (time.perf_counter() - begun)
    cursor.execute("ANALYZE")
    connection.commit()
    one = [row for row in rows if row[0] == 17]

    def ask(sql: str) -> None:
        cursor.execute(sql)
        cursor.fetchall()

    def rewrite() -> None:
        cursor.execute("DELETE FROM closure WHERE answer = 17")
        cursor.executemany(insert, one)
        connection.commit()

    return {
        "rows written /s": written,
        "counts ms": median_ms(
            lambda: ask("SELECT grade, count(*) FROM closure WHERE target = 0 GROUP BY grade")
        ),
        "page ms": median_ms(
            lambda: ask(
                "SELECT answer, grade, at FROM closure WHERE target = 0 ORDER BY at DESC, answer LIMIT 50"
            )
        ),
        "rewrite one ms": median_ms(rewrite),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--answers", type=int, default=20_000)
    arguments = parser.parse_args()
    rows = closure(arguments.answers)
    hottest = sum(row[1] == 0 for row in rows)
    print(f"{len(rows)} rows of {arguments.answers} answers; the most popular target has {hottest}")
    results: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind in ("ArcadeDB", "Neo4j"):
            results[f"{kind}, edges"] = in_graph(kind, rows, folder)
        lite = sqlite3.connect(folder / "closure.sqlite3")
        lite.execute("PRAGMA journal_mode=WAL")
        results["SQLite, rows"] = in_table(rows, lite, "?")
    try:
        import psycopg

        from tests.servers.postgres import cluster

        with cluster() as found:
            address = found.url("postgres")
            with psycopg.connect(address) as connection:
                results["PostgreSQL, rows"] = in_table(rows, connection, "%s")
    except FileNotFoundError as missing:
        print(f"PostgreSQL left out: {missing}")
    for where, figures in results.items():
        print(where, {name: round(value, 2) for name, value in figures.items()})


if __name__ == "__main__":
    main()
