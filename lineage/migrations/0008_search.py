import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('lineage', '0007_impact'),
        ('workspaces', '0002_key_limits'),
    ]

    operations = [
        migrations.CreateModel(
            name='SearchDue',
            fields=[
                ('node', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='search_due', serialize=False, to='lineage.node')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workspaces.workspace')),
            ],
        ),
        migrations.CreateModel(
            name='SearchTerm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.BigIntegerField()),
                ('word', models.CharField(max_length=64)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workspaces.workspace')),
            ],
        ),
        migrations.CreateModel(
            name='SearchNear',
            fields=[
                ('pk', models.CompositePrimaryKey('workspace_id', 'token', 'term_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('token', models.BigIntegerField()),
                ('workspace', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workspaces.workspace')),
                ('term', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='near', to='lineage.searchterm')),
            ],
        ),
        migrations.CreateModel(
            name='SearchToken',
            fields=[
                ('pk', models.CompositePrimaryKey('workspace_id', 'token', 'node_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('token', models.BigIntegerField()),
                ('node', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='lineage.node')),
                ('workspace', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workspaces.workspace')),
            ],
        ),
        migrations.AddConstraint(
            model_name='searchterm',
            constraint=models.UniqueConstraint(fields=('workspace', 'token'), name='one_term_per_word'),
        ),
    ]
