from django.db import migrations, models

# What there was to be told of until then.
_INCIDENTS = ["incident.opened", "incident.changed", "incident.new_answers"]


def tell_of_incidents_alone(apps, schema_editor):
    """Whoever is told already is told of incidents, as before, and of nothing else."""
    apps.get_model("lineage", "Webhook").objects.update(types=_INCIDENTS)
    deliveries = apps.get_model("lineage", "WebhookDelivery").objects
    for delivery in deliveries.order_by("pk").only("pk", "body").iterator(chunk_size=500):
        about = delivery.body.get("data", {}).get("incident", "")
        if about:
            deliveries.filter(pk=delivery.pk).update(subject=about)


class Migration(migrations.Migration):

    dependencies = [
        ('lineage', '0013_signs_of_life'),
    ]

    operations = [
        migrations.AddField(
            model_name='webhook',
            name='types',
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name='webhookdelivery',
            name='replays',
            field=models.SmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='webhookdelivery',
            name='subject',
            field=models.CharField(blank=True, max_length=30),
        ),
        migrations.RunPython(tell_of_incidents_alone, migrations.RunPython.noop),
    ]
