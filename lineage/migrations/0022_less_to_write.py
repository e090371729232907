"""Less to write: three indexes that others begin with, and on PostgreSQL room beside nodes.

A node is written, and again when it is known when it was used: with room on its page the second
time needs no new entries in its indexes.
"""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

_LED_BY_ANOTHER = (("Reference", "from_node"), ("Reference", "to_node"), ("Node", "parent"))


def drop(apps: Any, schema_editor: Any) -> None:
    """Drop them by themselves: to alter the column, SQLite would copy the whole table."""
    for model_name, field_name in _LED_BY_ANOTHER:
        meta = apps.get_model("lineage", model_name)._meta
        column = meta.get_field(field_name).column
        for name in _single_indexes(schema_editor.connection, meta.db_table, column):
            schema_editor.execute(f"DROP INDEX {schema_editor.quote_name(name)}")


def put_back(apps: Any, schema_editor: Any) -> None:
    """Index the columns again."""
    for model_name, field_name in _LED_BY_ANOTHER:
        meta = apps.get_model("lineage", model_name)._meta
        column = meta.get_field(field_name).column
        table, quoted = schema_editor.quote_name(meta.db_table), schema_editor.quote_name(column)
        name = schema_editor.quote_name(f"{meta.db_table}_{column}_again")
        schema_editor.execute(f"CREATE INDEX {name} ON {table} ({quoted})")


def leave_room(apps: Any, schema_editor: Any) -> None:
    """Fill pages of nodes, from now on, to four fifths."""
    if schema_editor.connection.vendor == "postgresql":
        table = apps.get_model("lineage", "Node")._meta.db_table
        schema_editor.execute(f"ALTER TABLE {schema_editor.quote_name(table)} SET (fillfactor = 80)")


def _single_indexes(connection: Any, table: str, column: str) -> list[str]:
    """The indexes of this column alone that keep no constraint."""
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, table)
    return [
        name
        for name, each in found.items()
        if each["index"] and not each["unique"] and not each["primary_key"]
        and not each["foreign_key"] and each["columns"] == [column]
    ]  # fmt: skip


class Migration(migrations.Migration):
    dependencies = [("lineage", "0021_outbox_until_done")]
    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunPython(drop, put_back),
                migrations.RunPython(leave_room, migrations.RunPython.noop),
            ],
            state_operations=[
                migrations.AlterField(
                    model_name="reference",
                    name="from_node",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="edges_out",
                        to="lineage.node",
                    ),
                ),
                migrations.AlterField(
                    model_name="reference",
                    name="to_node",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="edges_in",
                        to="lineage.node",
                    ),
                ),
                migrations.AlterField(
                    model_name="node",
                    name="parent",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="lineage.node",
                    ),
                ),
            ],
        )
    ]
