"""How many things a place of an erasure lost because nobody could read whether they held the text."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("lineage", "0023_fewer_ends_checked")]
    operations = [
        migrations.AddField(
            model_name="erasureplace",
            name="unread",
            field=models.BigIntegerField(default=0, db_default=0),
        )
    ]
