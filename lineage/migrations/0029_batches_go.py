"""Batches of records go when they are over; those that were kept so far go now."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def let_go(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    batches = apps.get_model("lineage", "ApplyBatch").objects.using(editor.connection.alias)
    batches.filter(finished_at__isnull=False).delete()


class Migration(migrations.Migration):
    dependencies = [("lineage", "0028_changes_counted")]
    operations = [
        migrations.RunPython(let_go, migrations.RunPython.noop, elidable=True),
        migrations.RemoveIndex(model_name="applybatch", name="batch_open"),
        migrations.RemoveField(model_name="applybatch", name="finished_at"),
    ]
