import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('lineage', '0003_inbox'),
        ('workspaces', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='TraceHome',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('trace', models.CharField(max_length=26)),
                ('home', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lineage.inboxpayload')),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('workspace', 'trace'), name='one_trace')],
            },
        ),
        migrations.CreateModel(
            name='TracePayload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('payload', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lineage.inboxpayload')),
                ('trace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='payloads', to='lineage.tracehome')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('trace', 'payload'), name='one_payload_of_a_trace')],
            },
        ),
    ]
