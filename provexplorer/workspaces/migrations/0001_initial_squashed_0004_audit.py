"""Every table of workspaces as it is now, for databases that are new: in one step, not in four.

A database that has taken some of the steps takes the others.
"""

import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.utils.timezone
import provexplorer.workspaces.models
from django.conf import settings
from django.db import migrations, models

from provexplorer.workspaces.audit import guards


def guard(apps, schema_editor):
    guards.install(schema_editor.connection)


def unguard(apps, schema_editor):
    guards.lift(schema_editor.connection)


class Migration(migrations.Migration):

    replaces = [
        ('workspaces', '0001_initial'),
        ('workspaces', '0002_key_limits'),
        ('workspaces', '0003_invitations'),
        ('workspaces', '0004_audit'),
    ]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
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
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='Workspace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(unique=True)),
                ('name', models.CharField(max_length=200)),
                ('uid_key', models.CharField(default=provexplorer.workspaces.models.new_uid_key, max_length=64)),
                ('is_demo', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_keys', to='workspaces.workspace')),
                ('public_id', models.CharField(max_length=16, unique=True)),
                ('secret_hash', models.CharField(max_length=64)),
                ('label', models.CharField(blank=True, max_length=200)),
                ('scopes', models.JSONField(default=list)),
                ('groups', models.JSONField(blank=True, default=list)),
                ('requests_per_minute', models.PositiveIntegerField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='workspaces.workspace')),
                ('public_id', models.CharField(max_length=16, unique=True)),
                ('secret_hash', models.CharField(max_length=64)),
                ('role', models.CharField(choices=[('reader', 'Reader'), ('operator', 'Operator'), ('editor', 'Editor'), ('admin', 'Admin')], default='reader', max_length=16)),
                ('groups', models.JSONField(blank=True, default=list)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('used_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='workspaces.workspace')),
                ('role', models.CharField(choices=[('reader', 'Reader'), ('operator', 'Operator'), ('editor', 'Editor'), ('admin', 'Admin')], default='reader', max_length=16)),
                ('groups', models.JSONField(blank=True, default=list)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'workspace'), name='one_membership')],
            },
        ),
        # From here on the database refuses to change or delete what was written.
        migrations.RunPython(guard, unguard),
    ]
