from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("lineage", "0020_source_rights")]

    operations = [
        migrations.AddField(model_name="taskoutbox", name="sends", field=models.IntegerField(default=0)),
        migrations.AddField(model_name="taskoutbox", name="again_at", field=models.DateTimeField(db_index=True, null=True)),
        migrations.AlterField(
            model_name="quarantined",
            name="reason",
            field=models.CharField(choices=[("unreadable", "Unreadable"), ("too_large", "Too Large"), ("unknown_task", "Unknown Task"), ("unfit", "Unfit"), ("worker_lost", "Worker Lost"), ("undone", "Undone")], max_length=16),
        ),
    ]
