"""Fewer ends of rows checked by PostgreSQL: those of what can be made again, and those that another end answers for.

PostgreSQL looks up and locks each node that a row names, row by row at the commit, which took as
long as writing the rows. SQLite's checks cost it hardly anything, and to drop them it would copy
whole tables: there they stay.
"""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

_CASCADE = django.db.models.deletion.CASCADE


class _AlterOnPostgres(migrations.AlterField):
    def database_forwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, schema_editor, *states)

    def database_backwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        self.database_forwards(app_label, schema_editor, *states)


class Migration(migrations.Migration):
    dependencies = [("lineage", "0022_less_to_write"), ("workspaces", "0004_audit")]
    operations = [
        _AlterOnPostgres(
            model_name="graphdirty",
            name="node",
            field=models.OneToOneField(
                db_constraint=False,
                on_delete=_CASCADE,
                primary_key=True,
                serialize=False,
                to="lineage.node",
            ),
        ),
        _AlterOnPostgres(
            model_name="graphdirty",
            name="workspace",
            field=models.ForeignKey(
                db_constraint=False, on_delete=_CASCADE, to="workspaces.workspace"
            ),
        ),
        _AlterOnPostgres(
            model_name="reference",
            name="from_node",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=_CASCADE,
                related_name="edges_out",
                to="lineage.node",
            ),
        ),
        _AlterOnPostgres(
            model_name="reference",
            name="workspace",
            field=models.ForeignKey(
                db_constraint=False, db_index=False, on_delete=_CASCADE, to="workspaces.workspace"
            ),
        ),
        _AlterOnPostgres(
            model_name="restson",
            name="answer",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=_CASCADE,
                related_name="rests_on",
                to="lineage.node",
            ),
        ),
        _AlterOnPostgres(
            model_name="restson",
            name="target",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=_CASCADE,
                related_name="supports",
                to="lineage.node",
            ),
        ),
        _AlterOnPostgres(
            model_name="restson",
            name="via",
            field=models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=_CASCADE,
                related_name="+",
                to="lineage.node",
            ),
        ),
        _AlterOnPostgres(
            model_name="sighting",
            name="workspace",
            field=models.ForeignKey(
                db_constraint=False, db_index=False, on_delete=_CASCADE, to="workspaces.workspace"
            ),
        ),
    ]
