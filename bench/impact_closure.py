"""The prepared rows alone at full size: counts and page of one node that most of a million answers rest on.

    python -m bench.impact_closure [--answers 1000000]

On PostgreSQL, which writes the rows itself in minutes where the whole workspace of `bench impact`
takes hours. Of each answer there are ten rows: the parser, in nine answers of ten, and
documents. Nothing is in the graph. Figures: docs/performance.md.
"""

import argparse
import os
import secrets
import sys
from collections.abc import Callable
from contextlib import ExitStack
from tempfile import TemporaryDirectory
from typing import Any, Final

import django

from bench.impact_measure import _once, _spread, _timed
from tests.servers import postgres

_ROWS: Final = 10
_ROUNDS: Final = 9
# Written first and indexed afterwards, which is what a bulk load does.
_NODES: Final = """
INSERT INTO lineage_node (id, workspace_id, kind, namespace, key, address, anywhere, uid, digest,
  resolved, provisional, label, occurred_at, event_at, recorded_at, anchor, has_text, fields,
  attributes, flags)
SELECT n, {workspace}, kind, '', n::text, substr(prefix || '_' || hash, 1, 30), substr(hash, 1, 26),
  substr(prefix || '_' || hash, 1, 30), '', true, false, '', at, at, now(), '', false, '{{}}', '{{}}', '[]'
FROM (SELECT n, translate(md5(n::text), '0189', 'wxyz') AS hash,
        CASE WHEN n <= {targets} THEN 'component' ELSE 'answer' END AS kind,
        CASE WHEN n <= {targets} THEN 'cmp' ELSE 'ans' END AS prefix,
        timestamptz '2020-01-01' + n * interval '1 minute' AS at
      FROM generate_series(1, {targets} + {answers}) n) made
"""
_RESTS: Final = """
INSERT INTO lineage_restson (answer_id, target_id, grade, origin_grade, via_id, at)
SELECT {targets} + n, target, grade, 0, {targets} + n, 1577836800000000 + ({targets} + n) * 60000000
FROM generate_series(1::bigint, {answers}) n, LATERAL (
  SELECT CASE WHEN part = 1 THEN 1 ELSE 2 + (n * 7 + part * 131) % ({targets} - 1) END AS target,
    CASE WHEN (n + part) % 3 = 0 THEN 6 ELSE 5 END AS grade
  FROM generate_series(CASE WHEN n % 10 = 0 THEN 2 ELSE 1 END, {rows}) part
) of ON CONFLICT DO NOTHING
"""


def main() -> None:
    """Write and measure; prints what it found."""
    parser = argparse.ArgumentParser(prog="python -m bench.impact_closure")
    parser.add_argument("--answers", type=int, default=1_000_000)
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="provexplorer-bench-"))
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "bench.settings",
            "PROVEXPLORER_DATA_DIR": folder,
            "PROVEXPLORER_SECRET_KEY": secrets.token_hex(32),
            "PROVEXPLORER_MASTER_KEY": secrets.token_hex(32),
            "PROVEXPLORER_LOOPBACK": "1",
            **stack.enter_context(postgres.cluster()).environment(),
        }
        django.setup()
        from django.db import connections

        stack.callback(connections.close_all)
        for name, value in _measure(given.answers).items():
            print(name, value, flush=True)


def _measure(answers: int) -> dict[str, Any]:
    from django.db import connection
    from django.db.models import Count

    from lineage.impact.affected import affected
    from lineage.impact.question import Question
    from lineage.impact.report import counts_of, listed
    from lineage.models import Node, RestsOn
    from lineage.types import Viewer
    from provexplorer.embedded.prepare import migrate_relational
    from provexplorer.workspaces.models import Workspace

    migrate_relational()
    workspace = Workspace.objects.create(slug="bench", name="bench")
    sizes = {
        "workspace": workspace.pk, "answers": answers, "targets": answers // 10, "rows": _ROWS,
    }  # fmt: skip
    written = _once(lambda: _write(sizes))
    print(f"written in {written:.0f} s", file=sys.stderr, flush=True)
    viewer = Viewer(
        workspace_id=workspace.pk, hash_key=workspace.hash_key, slug=workspace.slug,
        groups=frozenset(), sees_all=True, scopes=frozenset({"read"}),
    )  # fmt: skip
    parser, document = Node.objects.filter(kind="component").order_by("pk")[:2]

    def page(uid: str, cursor: str | None = None) -> Any:
        return listed(affected(viewer, Question(nodes=(uid,))), limit=50, cursor=cursor)

    def bare() -> Any:
        # The same counts without a column that the index lacks.
        rows = RestsOn.objects.filter(target_id=parser.pk).order_by()
        return list(rows.values("grade").annotate(number=Count("*")))

    middle = page(parser.uid)[1]
    ways: dict[str, Callable[[], Any]] = {
        "counts": lambda: counts_of(viewer, parser.uid),
        "counts, COUNT(*)": bare,
        "page": lambda: page(parser.uid),
        "second page": lambda: page(parser.uid, middle),
        "one document: counts and page": lambda: (counts_of(viewer, document.uid), page(document.uid)),
    }  # fmt: skip
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(_ROUNDS):
        for name, way in ways.items():
            times[name].append(_timed(way)[1])
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_total_relation_size('lineage_restson')")
        (size,) = cursor.fetchone()
    return {
        "reached": sum(counts_of(viewer, parser.uid).values()),
        "ms": {name: _spread(some) for name, some in times.items()},
        "bytes_a_row": size / RestsOn.objects.count(),
        "load": os.getloadavg()[0],
    }


def _write(sizes: dict[str, int]) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename IN ('lineage_node', "
            "'lineage_restson') AND indexdef NOT LIKE '%% UNIQUE %%'"
        )
        indexes = cursor.fetchall()
        for name, _ in indexes:
            cursor.execute(f'DROP INDEX "{name}"')
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(_NODES.format(**sizes))
        cursor.execute(_RESTS.format(**sizes))
        cursor.execute("SET maintenance_work_mem = '512MB'")
        for name, definition in indexes:
            # What is not asked here need not be built.
            if "lineage_restson" in definition or name == "node_listing":
                cursor.execute(definition)
        cursor.execute("VACUUM ANALYZE lineage_node")
        cursor.execute("VACUUM ANALYZE lineage_restson")


if __name__ == "__main__":
    main()
