import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('lineage', '0004_traces'),
        ('workspaces', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name='node',
            index=models.Index(condition=models.Q(('resolved', False)), fields=['workspace', 'kind'], name='node_missing'),
        ),
        migrations.CreateModel(
            name='FactKey',
            fields=[
                ('node', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='fact_key', serialize=False, to='lineage.node')),
                ('about', models.CharField(max_length=26)),
                ('says', models.CharField(max_length=26)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', 'about', 'says'], name='fact_about')],
            },
        ),
        migrations.CreateModel(
            name='SourceAuthority',
            fields=[
                ('source', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='authority', serialize=False, to='lineage.node')),
                ('authority', models.IntegerField()),
                ('set_at', models.DateTimeField()),
                ('set_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
            ],
        ),
        migrations.CreateModel(
            name='Alias',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=16)),
                ('namespace', models.TextField()),
                ('key', models.TextField()),
                ('named', models.CharField(max_length=30)),
                ('placeholder_uid', models.CharField(max_length=30)),
                ('target_namespace', models.TextField()),
                ('target_key', models.TextField()),
                ('target_address', models.CharField(max_length=30)),
                ('target_digest', models.CharField(blank=True, max_length=80)),
                ('made_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('ended_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', 'named'], name='alias_named'), models.Index(fields=['workspace', 'target_address'], name='alias_target')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('workspace', 'named'), name='one_meaning_per_key')],
            },
        ),
        migrations.CreateModel(
            name='RejectedMatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('placeholder_uid', models.CharField(max_length=30)),
                ('target_address', models.CharField(max_length=30)),
                ('rejected_at', models.DateTimeField()),
                ('rejected_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('workspace', 'placeholder_uid', 'target_address'), name='one_rejection')],
            },
        ),
    ]
