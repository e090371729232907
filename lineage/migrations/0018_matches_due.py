from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("lineage", "0017_source_watch")]

    operations = [
        migrations.RemoveIndex(model_name="noticematch", name="match_without_case"),
        migrations.AddField(
            model_name="noticematch", name="due", field=models.BooleanField(default=True)
        ),
        migrations.AddIndex(
            model_name="noticematch",
            index=models.Index(
                condition=models.Q(("due", True), ("state", "matched")),
                fields=["notice"],
                name="match_due",
            ),
        ),
    ]
