"""A new database gets its tables in one step; one that was there before takes the steps between.

Both ways end in the same tables, columns, indexes, constraints, triggers and options.
"""

import json
import os
import secrets
from pathlib import Path

import pytest

from tests.servers import postgres
from tests.servers.prepared import run_on
from tests.servers.product import CHECKOUT
from tests.thorough import long_only

_FIRST = [("workspaces", "0001_initial"), ("lineage", "0001_initial")]
_MIGRATE = """
import json, sys
import django
django.setup()
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from provexplorer.embedded.prepare import migrate_relational

first = json.loads(sys.argv[1])
if first:
    for name in ("default", "keys"):
        executor = MigrationExecutor(connections[name])
        executor.loader = MigrationLoader(connections[name], replace_migrations=False)
        executor.migrate([tuple(each) for each in first])
migrate_relational()


def schema(connection):
    tables = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table == "django_migrations":
                continue
            columns = connection.introspection.get_table_description(cursor, table)
            constraints = connection.introspection.get_constraints(cursor, table)
            tables[table] = [
                sorted([c.name, str(c.type_code), c.null_ok, str(c.default), c.internal_size] for c in columns),
                # SQLite numbers foreign keys as they come; the columns of a key are told in no order.
                sorted(
                    json.dumps(["" if each["foreign_key"] else name, each], sort_keys=True)
                    for name, each in constraints.items() if not each["primary_key"]
                ),
            ]
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type IN ('index', 'trigger')")
        else:
            cursor.execute(
                "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' "
                "UNION ALL SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal "
                "UNION ALL SELECT relname, reloptions::text FROM pg_class WHERE reloptions IS NOT NULL"
            )
        tables["other"] = sorted([name, sql or ""] for name, sql in cursor.fetchall())
    return tables


print("SCHEMAS" + json.dumps({name: schema(connections[name]) for name in ("default", "keys")}))
"""


def _schemas(folder: Path, *, first: list[tuple[str, str]]) -> object:
    """The schemas of new databases of this run's server that began with these steps."""
    folder.mkdir()
    cluster, token = os.environ.get("DATABASE_URL"), secrets.token_hex(4)
    urls = {
        variable: postgres.create_database(cluster, f"steps_{token}_{name}")
        if cluster
        else f"sqlite:///{folder / name}.sqlite3"
        for variable, name in {"DATABASE_URL": "all", "KEYS_DATABASE_URL": "keys"}.items()
    }
    said = run_on(urls, folder, _MIGRATE, json.dumps(first))
    return json.loads(said.partition("SCHEMAS")[2])


@long_only
def test_a_database_that_took_every_step_is_like_a_new_one(tmp_path: Path) -> None:
    assert _schemas(tmp_path / "steps", first=_FIRST) == _schemas(tmp_path / "new", first=[])


@pytest.mark.engine_free
def test_the_steps_are_there_that_the_one_step_stands_for() -> None:
    """A step that was forgotten would be taken again where it was taken already."""
    for folder in ("lineage/migrations", "provexplorer/workspaces/migrations"):
        steps = {path.stem for path in (CHECKOUT / folder).glob("0*.py")}
        (whole,) = (step for step in steps if "_squashed_" in step)
        first, last = whole.split("_squashed_")
        between = {step for step in steps - {whole} if first <= step <= last}
        text = (CHECKOUT / folder / f"{whole}.py").read_text(encoding="utf-8")
        assert between == {step for step in between if f"'{step}'" in text}
        assert len(between) == int(last.partition("_")[0])
