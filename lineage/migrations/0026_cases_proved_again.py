"""A step of a case's history: its proof is made once more."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("lineage", "0025_graph_marks")]
    operations = [
        migrations.AlterField(
            model_name="caseevent",
            name="what",
            field=models.CharField(
                choices=[
                    ("drafted", "Drafted"), ("tried", "Tried"), ("approved", "Approved"),
                    ("started", "Started"), ("rejected", "Rejected"), ("cancelled", "Cancelled"),
                    ("paused", "Paused"), ("resumed", "Resumed"), ("verified", "Verified"),
                    ("incomplete", "Incomplete"), ("reproved", "Reproved"), ("lifted", "Lifted"),
                    ("assigned", "Assigned"), ("comment", "Comment"), ("file", "File"),
                ],
                max_length=12,
            ),
        )
    ]
