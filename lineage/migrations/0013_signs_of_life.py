from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("lineage", "0012_case_workflow")]

    operations = [
        migrations.CreateModel(
            name="SignOfLife",
            fields=[
                ("name", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("holder", models.CharField(blank=True, max_length=64)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="TaskDelivery",
            fields=[
                ("message_id", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("times", models.IntegerField(default=0)),
                ("at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="Quarantined",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("unreadable", "Unreadable"),
                            ("too_large", "Too Large"),
                            ("unknown_task", "Unknown Task"),
                            ("unfit", "Unfit"),
                            ("worker_lost", "Worker Lost"),
                        ],
                        max_length=16,
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=100)),
                ("size", models.BigIntegerField(default=0)),
                ("digest", models.CharField(blank=True, max_length=64)),
                ("at", models.DateTimeField(db_index=True)),
            ],
        ),
    ]
