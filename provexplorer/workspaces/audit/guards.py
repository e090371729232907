"""The database's own refusal to change or delete what the audit log has.

Whoever may change the schema can lift it: the chain (chain.py) is what tells then.
"""

from collections.abc import Collection
from typing import Final

from django.db.backends.base.base import BaseDatabaseWrapper

TABLES: Final = ("workspaces_auditentry", "workspaces_auditplace", "workspaces_auditseal")
STEPS: Final = ("UPDATE", "DELETE", "TRUNCATE")
REFUSAL: Final = "the audit log is append-only"
_FUNCTION: Final = "audit_refuses"


def install(connection: BaseDatabaseWrapper, steps: Collection[str] = STEPS) -> None:
    """Have the database refuse these steps on every table of the log, where it can; idempotent."""
    lift(connection, steps)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                f"CREATE OR REPLACE FUNCTION {_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = '23000'; END $$"
            )
        for table in TABLES:
            for step in steps:
                if statement := _create(connection.vendor, table, step):
                    cursor.execute(statement)


def lift(connection: BaseDatabaseWrapper, steps: Collection[str] = STEPS) -> None:
    """Take the refusal of these steps away."""
    with connection.cursor() as cursor:
        for table in TABLES:
            for step in steps:
                on = f" ON {table}" if connection.vendor == "postgresql" else ""
                cursor.execute(f"DROP TRIGGER IF EXISTS {_name(table, step)}{on}")


def _create(vendor: str, table: str, step: str) -> str:
    name = _name(table, step)
    if vendor == "postgresql":
        each = "STATEMENT" if step == "TRUNCATE" else "ROW"
        return f"CREATE TRIGGER {name} BEFORE {step} ON {table} FOR EACH {each} EXECUTE FUNCTION {_FUNCTION}()"
    if vendor == "sqlite" and step != "TRUNCATE":
        return f"CREATE TRIGGER {name} BEFORE {step} ON {table} BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    return ""


def _name(table: str, step: str) -> str:
    return f"{table}_no_{step.lower()}"
