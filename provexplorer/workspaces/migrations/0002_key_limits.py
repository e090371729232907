from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('workspaces', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='apikey',
            name='requests_per_minute',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
    ]
