import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('lineage', '0002_derivations'),
        ('workspaces', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='InboxPayload',
            fields=[
                ('id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('uid', models.CharField(max_length=30, unique=True)),
                ('format', models.CharField(max_length=16)),
                ('media_type', models.CharField(blank=True, max_length=200)),
                ('size', models.BigIntegerField()),
                ('state', models.CharField(choices=[('received', 'Received'), ('applied', 'Applied'), ('partly_applied', 'Partly Applied'), ('quarantined', 'Quarantined')], default='received', max_length=16)),
                ('received_at', models.DateTimeField()),
                ('applied_at', models.DateTimeField(null=True)),
                ('next_at', models.DateTimeField(null=True)),
                ('attempts', models.SmallIntegerField(default=0)),
                ('failure', models.CharField(blank=True, max_length=100)),
                ('items', models.IntegerField(default=0)),
                ('stored', models.IntegerField(default=0)),
                ('unchanged', models.IntegerField(default=0)),
                ('rejected', models.IntegerField(default=0)),
                ('warned', models.IntegerField(default=0)),
                ('reasons', models.JSONField(default=list)),
                ('idempotency', models.CharField(blank=True, max_length=26)),
                ('digest', models.CharField(blank=True, max_length=26)),
                ('body_gone_at', models.DateTimeField(null=True)),
                ('api_key', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='workspaces.apikey')),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
            ],
        ),
        migrations.AddConstraint(
            model_name='inboxpayload',
            constraint=models.UniqueConstraint(condition=models.Q(('idempotency', ''), _negated=True), fields=('workspace', 'idempotency'), name='inbox_idempotency'),
        ),
        migrations.AddIndex(
            model_name='inboxpayload',
            index=models.Index(fields=['workspace', 'state', 'id'], name='inbox_by_state'),
        ),
        migrations.AddIndex(
            model_name='inboxpayload',
            index=models.Index(condition=models.Q(('next_at__isnull', False)), fields=['next_at'], name='inbox_waiting'),
        ),
        migrations.AddIndex(
            model_name='inboxpayload',
            index=models.Index(condition=models.Q(('body_gone_at__isnull', True)), fields=['state', 'id'], name='inbox_bodies'),
        ),
    ]
