from django.db import migrations, models

from provexplorer.workspaces.audit import guards


def guard(apps, schema_editor):
    guards.install(schema_editor.connection)


def unguard(apps, schema_editor):
    guards.lift(schema_editor.connection)


class Migration(migrations.Migration):

    dependencies = [
        ('workspaces', '0003_invitations'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditDetail',
            fields=[
                ('entry_id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('owner_id', models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='AuditHead',
            fields=[
                ('workspace_id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('number', models.BigIntegerField(default=0)),
                ('sequence', models.BigIntegerField(default=0)),
                ('chain', models.CharField(max_length=64)),
                ('hash', models.CharField(max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.CharField(max_length=30, unique=True)),
                ('workspace_id', models.BigIntegerField()),
                ('at', models.DateTimeField()),
                ('verb', models.CharField(max_length=40)),
                ('actor_kind', models.CharField(choices=[('member', 'Member'), ('key', 'Key'), ('product', 'Product'), ('nobody', 'Nobody')], max_length=8)),
                ('actor_id', models.BigIntegerField(null=True)),
                ('object_uid', models.CharField(blank=True, max_length=64)),
                ('code', models.CharField(blank=True, max_length=40)),
                ('details_hash', models.CharField(blank=True, max_length=64)),
                ('once', models.CharField(max_length=80, null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['workspace_id', '-id'], name='audit_list'), models.Index(fields=['workspace_id', 'object_uid', '-id'], name='audit_of_object'), models.Index(fields=['workspace_id', 'verb', '-id'], name='audit_of_verb'), models.Index(fields=['workspace_id', 'actor_kind', 'actor_id', '-id'], name='audit_of_actor'), models.Index(fields=['workspace_id', 'at'], name='audit_at')],
                'constraints': [models.UniqueConstraint(fields=('workspace_id', 'once'), name='one_audit_entry')],
            },
        ),
        migrations.CreateModel(
            name='AuditPlace',
            fields=[
                ('entry_id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('workspace_id', models.BigIntegerField()),
                ('sequence', models.BigIntegerField()),
                ('hash', models.CharField(max_length=64)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('workspace_id', 'sequence'), name='one_audit_place')],
            },
        ),
        migrations.CreateModel(
            name='AuditSeal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('workspace_id', models.BigIntegerField()),
                ('number', models.BigIntegerField()),
                ('first', models.BigIntegerField()),
                ('last', models.BigIntegerField()),
                ('at', models.DateTimeField()),
                ('chain', models.CharField(max_length=64)),
                ('hash', models.CharField(max_length=64)),
                ('signature', models.CharField(max_length=128)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('workspace_id', 'number'), name='one_audit_seal')],
            },
        ),
        migrations.CreateModel(
            name='AuditWaiting',
            fields=[
                ('entry_id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('workspace_id', models.BigIntegerField()),
            ],
            options={
                'indexes': [models.Index(fields=['workspace_id', 'entry_id'], name='audit_waiting')],
            },
        ),
        # From here on the database refuses to change or delete what was written.
        migrations.RunPython(guard, unguard),
    ]
