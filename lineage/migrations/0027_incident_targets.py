"""What the question of an incident asked about when it was opened, where it may come to ask about more."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("lineage", "0026_cases_proved_again")]
    operations = [
        migrations.AddField(
            model_name="incident",
            name="targets_kept",
            field=models.BooleanField(null=True),
        ),
        migrations.CreateModel(
            name="IncidentTarget",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("gained", models.BooleanField(default=False)),
                (
                    "incident",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="lineage.incident",
                    ),
                ),
                (
                    "node",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="lineage.node",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("incident", "node"), name="one_target_per_incident"
                    )
                ]
            },
        ),
    ]
