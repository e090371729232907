"""A mark that the graph carries as well: one that was restored is told by it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("lineage", "0024_erased_unread")]
    operations = [
        migrations.CreateModel(
            name="GraphMark",
            fields=[
                ("id", models.SmallIntegerField(primary_key=True, serialize=False)),
                ("uid", models.CharField(max_length=40)),
                ("current", models.CharField(blank=True, max_length=32)),
                ("next", models.CharField(blank=True, max_length=32)),
                ("wrong_at", models.DateTimeField(null=True)),
                ("workspace", models.BigIntegerField(default=0)),
                ("stage", models.SmallIntegerField(default=0)),
                ("after", models.BigIntegerField(default=0)),
            ],
        ),
    ]
