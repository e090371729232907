"""Every table of the lineage as it is now, for databases that are new: in one step, not in 22.

A database that has taken some of the steps takes the others.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def leave_room(apps, schema_editor):
    """Fill pages of nodes to four fifths: what is written again finds room beside what was."""
    if schema_editor.connection.vendor == 'postgresql':
        table = apps.get_model('lineage', 'Node')._meta.db_table
        schema_editor.execute(f'ALTER TABLE {schema_editor.quote_name(table)} SET (fillfactor = 80)')


class CreateTogether(migrations.SeparateDatabaseAndState):
    """Create models whose classes are made once, after the last of them is known.

    Models are made anew for each one that is added to those that it is related to, which
    nearly all are to each other: it took most of the time of a first start.
    """

    def __init__(self, models):
        super().__init__(database_operations=models, state_operations=models)

    def state_forwards(self, app_label, state):
        state.__dict__.pop('apps', None)
        super().state_forwards(app_label, state)

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        for operation in self.database_operations:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):

    replaces = [
        ('lineage', '0001_initial'),
        ('lineage', '0002_derivations'),
        ('lineage', '0003_inbox'),
        ('lineage', '0004_traces'),
        ('lineage', '0005_facts'),
        ('lineage', '0006_incidents'),
        ('lineage', '0007_impact'),
        ('lineage', '0008_search'),
        ('lineage', '0009_correction_requests'),
        ('lineage', '0010_rebindings_since'),
        ('lineage', '0011_cases_of_incident_notes'),
        ('lineage', '0012_case_workflow'),
        ('lineage', '0013_signs_of_life'),
        ('lineage', '0014_webhook_events'),
        ('lineage', '0015_erasures'),
        ('lineage', '0016_notices'),
        ('lineage', '0017_source_watch'),
        ('lineage', '0018_matches_due'),
        ('lineage', '0019_answer_changes'),
        ('lineage', '0020_source_rights'),
        ('lineage', '0021_outbox_until_done'),
        ('lineage', '0022_less_to_write'),
    ]

    initial = True

    dependencies = [
        ('workspaces', '0004_audit'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateTogether([
            migrations.CreateModel(
                name='Alias',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('kind', models.CharField(max_length=16)),
                    ('namespace', models.TextField()),
                    ('key', models.TextField()),
                    ('named', models.CharField(max_length=30)),
                    ('placeholder_uid', models.CharField(max_length=30)),
                    ('target_namespace', models.TextField()),
                    ('target_key', models.TextField()),
                    ('target_address', models.CharField(max_length=30)),
                    ('target_digest', models.CharField(blank=True, max_length=80)),
                    ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('made_at', models.DateTimeField()),
                    ('ended_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('ended_at', models.DateTimeField(null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'named'], name='alias_named'), models.Index(fields=['workspace', 'target_address'], name='alias_target')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('workspace', 'named'), name='one_meaning_per_key')],
                },
            ),
            migrations.CreateModel(
                name='ApplyBatch',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('epoch', models.BigIntegerField()),
                    ('started_at', models.DateTimeField()),
                    ('finished_at', models.DateTimeField(null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'finished_at'], name='batch_open')],
                },
            ),
            migrations.CreateModel(
                name='Blob',
                fields=[
                    ('id', models.CharField(max_length=32, primary_key=True, serialize=False)),
                    ('owner_id', models.BigIntegerField(db_index=True)),
                    ('ciphertext', models.BinaryField()),
                ],
            ),
            migrations.CreateModel(
                name='Case',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('uid', models.CharField(max_length=30, unique=True)),
                    ('kind', models.CharField(max_length=24)),
                    ('state', models.CharField(choices=[('draft', 'Draft'), ('ready', 'Ready'), ('approved', 'Approved'), ('scheduled', 'Scheduled'), ('propagating', 'Propagating'), ('paused', 'Paused'), ('verified', 'Verified'), ('incomplete', 'Incomplete'), ('rejected', 'Rejected'), ('cancelled', 'Cancelled')], default='draft', max_length=16)),
                    ('reason', models.TextField(blank=True)),
                    ('evidence', models.JSONField(default=list)),
                    ('effective_at', models.DateTimeField(null=True)),
                    ('reinstates', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reinstatements', to='lineage.case')),
                    ('would_reinstate', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='lineage.case')),
                    ('origin', models.CharField(choices=[('member', 'Member'), ('key', 'Key'), ('feed', 'Feed')], default='member', max_length=8)),
                    ('assignee', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('owner_id', models.BigIntegerField(null=True)),
                    ('drafted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('drafted_by_key', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='workspaces.apikey')),
                    ('approved_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_at', models.DateTimeField()),
                    ('approved_at', models.DateTimeField(null=True)),
                    ('verified_at', models.DateTimeField(null=True)),
                    ('counts', models.JSONField(default=dict)),
                    ('dry_runs', models.IntegerField(default=0)),
                    ('tried_at', models.DateTimeField(null=True)),
                    ('stale', models.BigIntegerField(default=0)),
                    ('review', models.BigIntegerField(default=0)),
                    ('readers', models.BigIntegerField(default=0)),
                    ('certificate', models.JSONField(null=True)),
                    ('epoch', models.BigIntegerField(default=0)),
                    ('cursor', models.BigIntegerField(default=0)),
                    ('done', models.BigIntegerField(default=0)),
                    ('total', models.BigIntegerField(default=0)),
                    ('fence', models.BigIntegerField(default=0)),
                    ('attempts', models.IntegerField(default=0)),
                    ('lease_until', models.DateTimeField(null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'state', '-created_at'], name='case_queue'), models.Index(fields=['workspace', '-stale', '-review', '-readers', 'uid'], name='case_damage')],
                },
            ),
            migrations.CreateModel(
                name='CaseMailOff',
                fields=[
                    ('membership', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='workspaces.membership')),
                ],
            ),
            migrations.CreateModel(
                name='CaseRules',
                fields=[
                    ('workspace', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='case_rules', serialize=False, to='workspaces.workspace')),
                    ('another_person', models.BooleanField(default=False)),
                ],
            ),
            migrations.CreateModel(
                name='ChangeSequence',
                fields=[
                    ('workspace', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, serialize=False, to='workspaces.workspace')),
                    ('last', models.BigIntegerField(default=0)),
                    ('told', models.BigIntegerField(default=0)),
                ],
            ),
            migrations.CreateModel(
                name='DataKey',
                fields=[
                    ('owner_id', models.BigIntegerField(primary_key=True, serialize=False)),
                    ('wrapped', models.BinaryField()),
                    ('following', models.BinaryField(default=b'')),
                    ('created_at', models.DateTimeField()),
                    ('destroyed_at', models.DateTimeField(null=True)),
                ],
            ),
            migrations.CreateModel(
                name='ErasureEssence',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('case_uid', models.CharField(max_length=30)),
                    ('part', models.IntegerField(default=0)),
                    ('workspace_id', models.BigIntegerField()),
                    ('at', models.DateTimeField()),
                    ('body', models.JSONField(default=dict)),
                    ('lifted_at', models.DateTimeField(null=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('case_uid', 'part'), name='one_part_of_an_essence')],
                },
            ),
            migrations.CreateModel(
                name='ExternalTarget',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('uid', models.CharField(max_length=30, unique=True)),
                    ('name', models.CharField(max_length=200)),
                    ('target_kind', models.CharField(choices=[('vector_store', 'Vector Store'), ('cache', 'Cache'), ('trace_store', 'Trace Store'), ('rag_app', 'Rag App'), ('other', 'Other')], max_length=16)),
                    ('url', models.TextField()),
                    ('owner_id', models.BigIntegerField()),
                    ('created_at', models.DateTimeField()),
                    ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('removed_at', models.DateTimeField(null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', '-id'], name='external_target_list')],
                },
            ),
            migrations.CreateModel(
                name='FreshnessRules',
                fields=[
                    ('workspace', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, serialize=False, to='workspaces.workspace')),
                    ('watching', models.BooleanField(default=False)),
                    ('taken_up_to', models.BigIntegerField(default=0)),
                ],
            ),
            migrations.CreateModel(
                name='HostTurn',
                fields=[
                    ('host', models.CharField(max_length=43, primary_key=True, serialize=False)),
                    ('free_at', models.DateTimeField()),
                ],
            ),
            migrations.CreateModel(
                name='InboxPayload',
                fields=[
                    ('id', models.BigIntegerField(primary_key=True, serialize=False)),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('uid', models.CharField(max_length=30, unique=True)),
                    ('format', models.CharField(max_length=16)),
                    ('media_type', models.CharField(blank=True, max_length=200)),
                    ('size', models.BigIntegerField()),
                    ('api_key', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='workspaces.apikey')),
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
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'state', 'id'], name='inbox_by_state'), models.Index(condition=models.Q(('next_at__isnull', False)), fields=['next_at'], name='inbox_waiting'), models.Index(condition=models.Q(('body_gone_at__isnull', True)), fields=['state', 'id'], name='inbox_bodies')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('idempotency', ''), _negated=True), fields=('workspace', 'idempotency'), name='inbox_idempotency')],
                },
            ),
            migrations.CreateModel(
                name='Incident',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('uid', models.CharField(max_length=30, unique=True)),
                    ('title', models.TextField()),
                    ('state', models.CharField(choices=[('open', 'Open'), ('investigating', 'Investigating'), ('mitigated', 'Mitigated'), ('closed', 'Closed')], default='open', max_length=16)),
                    ('question', models.JSONField()),
                    ('owner_id', models.BigIntegerField()),
                    ('opened_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('opened_by_key', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='workspaces.apikey')),
                    ('assignee', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('opened_at', models.DateTimeField()),
                    ('changed_at', models.DateTimeField()),
                    ('closed_at', models.DateTimeField(null=True)),
                    ('counts', models.JSONField(default=dict)),
                    ('total', models.BigIntegerField(default=0)),
                    ('watching', models.BooleanField(default=True)),
                    ('mark', models.BigIntegerField(default=0)),
                    ('watched_to', models.BigIntegerField(default=0)),
                    ('found', models.BigIntegerField(default=0)),
                    ('noticed', models.BigIntegerField(default=0)),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', '-opened_at', 'uid'], name='incident_list'), models.Index(fields=['workspace', 'state', '-opened_at', 'uid'], name='incident_by_state'), models.Index(condition=models.Q(('watching', True)), fields=['workspace', 'watched_to'], name='incident_watched')],
                },
            ),
            migrations.CreateModel(
                name='KeptReport',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('api_key', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workspaces.apikey')),
                    ('owner', models.CharField(max_length=30)),
                    ('digest', models.CharField(max_length=26)),
                    ('question', models.JSONField()),
                    ('groups', models.JSONField(default=list)),
                    ('sees_all', models.BooleanField(default=False)),
                    ('epoch', models.BigIntegerField(default=0)),
                    ('counts', models.JSONField(default=dict)),
                    ('numbers', models.JSONField(default=dict)),
                    ('asked_at', models.DateTimeField()),
                    ('finished_at', models.DateTimeField(null=True)),
                    ('fence', models.IntegerField(default=0)),
                    ('attempts', models.IntegerField(default=0)),
                    ('lease_until', models.DateTimeField(null=True)),
                    ('expires_at', models.DateTimeField()),
                ],
                options={
                    'indexes': [models.Index(fields=['expires_at'], name='kept_report_expiry')],
                    'constraints': [models.UniqueConstraint(fields=('workspace', 'owner', 'digest'), name='one_kept_report')],
                },
            ),
            migrations.CreateModel(
                name='Node',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('kind', models.CharField(max_length=16)),
                    ('namespace', models.TextField()),
                    ('key', models.TextField()),
                    ('address', models.CharField(max_length=30)),
                    ('anywhere', models.CharField(max_length=26)),
                    ('uid', models.CharField(max_length=30, unique=True)),
                    ('digest', models.CharField(blank=True, max_length=80)),
                    ('resolved', models.BooleanField(default=True)),
                    ('provisional', models.BooleanField(default=False)),
                    ('parent', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='lineage.node')),
                    ('owner', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='lineage.node')),
                    ('version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='lineage.node')),
                    ('label', models.TextField(blank=True)),
                    ('occurred_at', models.DateTimeField(null=True)),
                    ('event_at', models.DateTimeField(null=True)),
                    ('recorded_at', models.DateTimeField()),
                    ('start', models.IntegerField(null=True)),
                    ('end', models.IntegerField(null=True)),
                    ('anchor', models.CharField(blank=True, max_length=16)),
                    ('has_text', models.BooleanField(default=False)),
                    ('fields', models.JSONField(default=dict)),
                    ('attributes', models.JSONField(default=dict)),
                    ('flags', models.JSONField(default=list)),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'address'], name='node_address'), models.Index(fields=['workspace', 'anywhere'], name='node_anywhere'), models.Index(fields=['workspace', 'kind', '-occurred_at', 'uid'], name='node_listing'), models.Index(fields=['parent', 'kind', 'start'], name='node_children'), models.Index(condition=models.Q(('resolved', False)), fields=['workspace', 'kind'], name='node_missing')],
                },
            ),
            migrations.CreateModel(
                name='NodeSet',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('uid', models.CharField(max_length=30, unique=True)),
                    ('members', models.JSONField(default=list)),
                    ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('made_at', models.DateTimeField()),
                    ('used_at', models.DateTimeField()),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'made_at'], name='node_set_listing'), models.Index(fields=['used_at'], name='node_set_unused')],
                },
            ),
            migrations.CreateModel(
                name='Notice',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('uid', models.CharField(max_length=30, unique=True)),
                    ('kind', models.CharField(max_length=16)),
                    ('notice_doi', models.TextField(blank=True)),
                    ('notice_pmid', models.CharField(blank=True, max_length=10)),
                    ('subject_doi', models.TextField(blank=True)),
                    ('subject_pmid', models.CharField(blank=True, max_length=10)),
                    ('title_word', models.CharField(blank=True, max_length=27)),
                    ('year', models.SmallIntegerField(null=True)),
                    ('noted_on', models.DateField(null=True)),
                    ('providers', models.SmallIntegerField(default=0)),
                    ('evidence', models.JSONField(default=list)),
                    ('remarks', models.JSONField(default=list)),
                    ('doubtful', models.BooleanField(default=False)),
                    ('state', models.CharField(choices=[('unmatched', 'Unmatched'), ('suggested', 'Suggested'), ('matched', 'Matched')], default='unmatched', max_length=10)),
                    ('answers', models.BigIntegerField(default=0)),
                    ('first_seen_at', models.DateTimeField()),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'subject_doi'], name='notice_subject'), models.Index(fields=['workspace', 'notice_doi'], name='notice_own_doi'), models.Index(condition=models.Q(('subject_pmid', ''), _negated=True), fields=['workspace', 'subject_pmid'], name='notice_subject_pmid'), models.Index(condition=models.Q(('title_word', ''), _negated=True), fields=['workspace', 'title_word'], name='notice_title'), models.Index(fields=['workspace', '-answers', 'uid'], name='notice_damage'), models.Index(condition=models.Q(('state', 'unmatched'), _negated=True), fields=['workspace', 'state', '-answers', 'uid'], name='notice_met'), models.Index(condition=models.Q(('doubtful', True)), fields=['workspace', '-answers', 'uid'], name='notice_doubtful')],
                },
            ),
            migrations.CreateModel(
                name='NoticeFeed',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('uid', models.CharField(max_length=30, unique=True)),
                    ('url', models.TextField()),
                    ('hours', models.IntegerField(default=24)),
                    ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('made_at', models.DateTimeField()),
                    ('next_at', models.DateTimeField(null=True)),
                    ('fetched_at', models.DateTimeField(null=True)),
                    ('status', models.SmallIntegerField(null=True)),
                    ('failure', models.CharField(blank=True, max_length=24)),
                    ('etag', models.TextField(blank=True)),
                    ('last_modified', models.TextField(blank=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'id'], name='feed_list'), models.Index(condition=models.Q(('next_at__isnull', False)), fields=['next_at'], name='feed_due')],
                },
            ),
            migrations.CreateModel(
                name='NoticeShelf',
                fields=[
                    ('workspace', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='workspaces.workspace')),
                    ('owner_id', models.BigIntegerField()),
                ],
            ),
            migrations.CreateModel(
                name='Quarantined',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('reason', models.CharField(choices=[('unreadable', 'Unreadable'), ('too_large', 'Too Large'), ('unknown_task', 'Unknown Task'), ('unfit', 'Unfit'), ('worker_lost', 'Worker Lost'), ('undone', 'Undone')], max_length=16)),
                    ('name', models.CharField(blank=True, max_length=100)),
                    ('size', models.BigIntegerField(default=0)),
                    ('digest', models.CharField(blank=True, max_length=64)),
                    ('at', models.DateTimeField(db_index=True)),
                ],
            ),
            migrations.CreateModel(
                name='RegisterEpoch',
                fields=[
                    ('workspace', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, serialize=False, to='workspaces.workspace')),
                    ('epoch', models.BigIntegerField(default=0)),
                ],
            ),
            migrations.CreateModel(
                name='RejectedMatch',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('placeholder_uid', models.CharField(max_length=30)),
                    ('target_address', models.CharField(max_length=30)),
                    ('rejected_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('rejected_at', models.DateTimeField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('workspace', 'placeholder_uid', 'target_address'), name='one_rejection')],
                },
            ),
            migrations.CreateModel(
                name='RightsPolicy',
                fields=[
                    ('workspace', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='workspaces.workspace')),
                    ('demands_creator', models.BooleanField(default=False)),
                    ('demands_licence', models.BooleanField(default=False)),
                    ('set_at', models.DateTimeField()),
                    ('set_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='RightsProgress',
                fields=[
                    ('workspace', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='workspaces.workspace')),
                    ('taken_up_to', models.BigIntegerField(default=0)),
                    ('rests_on_to', models.BigIntegerField(default=0)),
                ],
            ),
            migrations.CreateModel(
                name='SavedView',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('uid', models.CharField(max_length=30, unique=True)),
                    ('name', models.TextField()),
                    ('address', models.TextField()),
                    ('maker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('shared', models.BooleanField(default=False)),
                    ('saved_at', models.DateTimeField()),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'maker', '-id'], name='view_of_maker'), models.Index(condition=models.Q(('shared', True)), fields=['workspace', '-id'], name='view_shared')],
                },
            ),
            migrations.CreateModel(
                name='SearchTerm',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workspaces.workspace')),
                    ('token', models.BigIntegerField()),
                    ('word', models.CharField(max_length=64)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('workspace', 'token'), name='one_term_per_word')],
                },
            ),
            migrations.CreateModel(
                name='SignOfLife',
                fields=[
                    ('name', models.CharField(max_length=40, primary_key=True, serialize=False)),
                    ('holder', models.CharField(blank=True, max_length=64)),
                    ('at', models.DateTimeField()),
                ],
            ),
            migrations.CreateModel(
                name='TaskDelivery',
                fields=[
                    ('message_id', models.CharField(max_length=64, primary_key=True, serialize=False)),
                    ('times', models.IntegerField(default=0)),
                    ('at', models.DateTimeField(db_index=True)),
                ],
            ),
            migrations.CreateModel(
                name='TaskOutbox',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=100)),
                    ('arguments', models.JSONField(default=dict)),
                    ('created_at', models.DateTimeField()),
                    ('sent_at', models.DateTimeField(db_index=True, null=True)),
                    ('sends', models.IntegerField(default=0)),
                    ('again_at', models.DateTimeField(db_index=True, null=True)),
                ],
            ),
            migrations.CreateModel(
                name='AnswerChange',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('sequence', models.BigIntegerField()),
                    ('answer', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lineage.node')),
                    ('became', models.CharField(choices=[('current', 'Current'), ('review', 'Review'), ('stale', 'Stale'), ('regenerated', 'Regenerated')], max_length=12)),
                    ('at', models.DateTimeField()),
                    ('case_uid', models.CharField(blank=True, max_length=30)),
                    ('born', models.BooleanField(default=False)),
                    ('by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lineage.node')),
                ],
                options={
                    'indexes': [models.Index(fields=['answer', 'sequence'], name='change_of_answer'), models.Index(condition=models.Q(('by__isnull', False)), fields=['by'], name='change_by_answer')],
                    'constraints': [models.UniqueConstraint(fields=('workspace', 'sequence'), name='one_change_a_number')],
                },
            ),
            migrations.CreateModel(
                name='AnswerEffect',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('answer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='effects', to='lineage.node')),
                    ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='effects', to='lineage.case')),
                    ('grade', models.SmallIntegerField()),
                    ('origin_grade', models.SmallIntegerField(default=0)),
                    ('state', models.SmallIntegerField()),
                    ('at', models.DateTimeField()),
                    ('ended_at', models.DateTimeField(null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['case', 'state'], name='effect_case')],
                    'constraints': [models.UniqueConstraint(fields=('answer', 'case'), name='one_effect')],
                },
            ),
            migrations.CreateModel(
                name='CaseEvent',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('case', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='lineage.case')),
                    ('what', models.CharField(choices=[('drafted', 'Drafted'), ('tried', 'Tried'), ('approved', 'Approved'), ('started', 'Started'), ('rejected', 'Rejected'), ('cancelled', 'Cancelled'), ('paused', 'Paused'), ('resumed', 'Resumed'), ('verified', 'Verified'), ('incomplete', 'Incomplete'), ('lifted', 'Lifted'), ('assigned', 'Assigned'), ('comment', 'Comment'), ('file', 'File')], max_length=12)),
                    ('at', models.DateTimeField()),
                    ('by', models.CharField(choices=[('member', 'Member'), ('key', 'Key'), ('product', 'Product')], max_length=8)),
                    ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('digest', models.CharField(blank=True, max_length=80)),
                    ('assigned', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('other', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='lineage.case')),
                    ('numbers', models.JSONField(default=dict)),
                    ('mailed_at', models.DateTimeField(null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['case', '-id'], name='event_of_case')],
                },
            ),
            migrations.CreateModel(
                name='CaseFile',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='lineage.case')),
                    ('digest', models.CharField(max_length=32)),
                    ('media_type', models.CharField(max_length=80)),
                    ('size', models.BigIntegerField()),
                    ('added_at', models.DateTimeField()),
                    ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('by_key', models.BooleanField(default=False)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('case', 'digest'), name='one_case_file')],
                },
            ),
            migrations.CreateModel(
                name='CaseTarget',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='targets', to='lineage.case')),
                    ('node', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='lineage.node')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('case', 'node'), name='one_target')],
                },
            ),
            migrations.CreateModel(
                name='CorrectionRequest',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('case', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='request', to='lineage.case')),
                    ('wrong', models.CharField(max_length=16)),
                    ('about_uid', models.CharField(max_length=30)),
                    ('asked_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('asked_at', models.DateTimeField()),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'asked_by', '-asked_at'], name='request_asked')],
                },
            ),
            migrations.CreateModel(
                name='Erasure',
                fields=[
                    ('case', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='erasure', serialize=False, to='lineage.case')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('state', models.CharField(choices=[('chosen', 'Chosen'), ('running', 'Running'), ('done', 'Done')], default='chosen', max_length=8)),
                    ('describing', models.BooleanField(default=False)),
                    ('begun_at', models.DateTimeField(null=True)),
                    ('destroyed_at', models.DateTimeField(null=True)),
                    ('done_at', models.DateTimeField(null=True)),
                    ('lifted_at', models.DateTimeField(null=True)),
                    ('again', models.BooleanField(default=False)),
                    ('owners', models.JSONField(default=list)),
                    ('working_owner', models.BigIntegerField(null=True)),
                    ('fence', models.IntegerField(default=0)),
                    ('lease_until', models.DateTimeField(null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'state'], name='erasure_of_workspace')],
                },
            ),
            migrations.CreateModel(
                name='FactKey',
                fields=[
                    ('node', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='fact_key', serialize=False, to='lineage.node')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('about', models.CharField(max_length=26)),
                    ('says', models.CharField(max_length=26)),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'about', 'says'], name='fact_about')],
                },
            ),
            migrations.CreateModel(
                name='GraphDirty',
                fields=[
                    ('node', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, serialize=False, to='lineage.node')),
                    ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('version', models.BigIntegerField(default=1)),
                ],
            ),
            migrations.CreateModel(
                name='IncidentAnswer',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('incident', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='new_answers', to='lineage.incident')),
                    ('answer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lineage.node')),
                    ('found_at', models.DateTimeField()),
                ],
                options={
                    'indexes': [models.Index(fields=['incident', '-id'], name='answer_of_incident')],
                    'constraints': [models.UniqueConstraint(fields=('incident', 'answer'), name='one_answer_per_incident')],
                },
            ),
            migrations.CreateModel(
                name='IncidentCase',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('incident', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='cases', to='lineage.incident')),
                    ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lineage.case')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('incident', 'case'), name='one_case_link')],
                },
            ),
            migrations.CreateModel(
                name='IncidentNote',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('incident', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notes', to='lineage.incident')),
                    ('what', models.CharField(choices=[('note', 'Note'), ('state', 'State'), ('assignee', 'Assignee'), ('title', 'Title'), ('watch', 'Watch'), ('noticed', 'Noticed'), ('case', 'Case')], max_length=12)),
                    ('at', models.DateTimeField()),
                    ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('by_key', models.BooleanField(default=False)),
                    ('digest', models.CharField(blank=True, max_length=80)),
                    ('became', models.CharField(blank=True, max_length=16)),
                    ('assigned', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('case', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='lineage.case')),
                ],
                options={
                    'indexes': [models.Index(fields=['incident', '-id'], name='note_of_incident')],
                },
            ),
            migrations.CreateModel(
                name='NoticeDue',
                fields=[
                    ('node', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='notice_due', serialize=False, to='lineage.node')),
                    ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workspaces.workspace')),
                ],
            ),
            migrations.CreateModel(
                name='NoticeImport',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('uid', models.CharField(max_length=30, unique=True)),
                    ('origin', models.CharField(choices=[('upload', 'Upload'), ('api', 'Api'), ('command', 'Command'), ('feed', 'Feed')], max_length=8)),
                    ('feed', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='lineage.noticefeed')),
                    ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('api_key', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='workspaces.apikey')),
                    ('state', models.CharField(choices=[('received', 'Received'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='received', max_length=8)),
                    ('format', models.CharField(blank=True, max_length=20)),
                    ('failure', models.CharField(blank=True, max_length=24)),
                    ('owner_id', models.BigIntegerField(null=True)),
                    ('pieces', models.IntegerField(default=0)),
                    ('size', models.BigIntegerField(null=True)),
                    ('done', models.BigIntegerField(default=0)),
                    ('counts', models.JSONField(default=dict)),
                    ('report', models.JSONField(default=list)),
                    ('received_at', models.DateTimeField()),
                    ('finished_at', models.DateTimeField(null=True)),
                    ('fence', models.BigIntegerField(default=0)),
                    ('attempts', models.SmallIntegerField(default=0)),
                    ('lease_until', models.DateTimeField(null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', '-id'], name='notice_imports')],
                },
            ),
            migrations.CreateModel(
                name='NoticeMatch',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('notice', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='lineage.notice')),
                    ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lineage.node')),
                    ('by', models.CharField(choices=[('doi', 'Doi'), ('pmid', 'Pmid'), ('title', 'Title'), ('person', 'Person')], max_length=6)),
                    ('state', models.CharField(choices=[('matched', 'Matched'), ('suggested', 'Suggested'), ('rejected', 'Rejected')], max_length=10)),
                    ('signs', models.JSONField(default=list)),
                    ('case', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='lineage.case')),
                    ('due', models.BooleanField(default=True)),
                    ('made_at', models.DateTimeField()),
                    ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('due', True), ('state', 'matched')), fields=['notice'], name='match_due')],
                    'constraints': [models.UniqueConstraint(fields=('notice', 'source'), name='one_match_per_source')],
                },
            ),
            migrations.CreateModel(
                name='PassageVerdict',
                fields=[
                    ('passage', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='fresh', serialize=False, to='lineage.node')),
                    ('source', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lineage.node')),
                    ('version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='lineage.node')),
                    ('verdict', models.CharField(choices=[('unchanged', 'Unchanged'), ('cosmetic', 'Cosmetic'), ('changed', 'Changed'), ('gone', 'Gone'), ('ambiguous', 'Ambiguous')], max_length=12)),
                    ('at', models.DateTimeField()),
                ],
                options={
                    'indexes': [models.Index(fields=['source', 'verdict'], name='verdict_of_source')],
                },
            ),
            migrations.CreateModel(
                name='Rebinding',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('holder', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lineage.node')),
                    ('relation', models.CharField(max_length=32)),
                    ('old_uid', models.CharField(max_length=30)),
                    ('new_uid', models.CharField(max_length=30)),
                    ('recorded_at', models.DateTimeField()),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'recorded_at'], name='rebinding_since'), models.Index(fields=['old_uid'], name='rebinding_from'), models.Index(fields=['new_uid'], name='rebinding_to')],
                },
            ),
            migrations.CreateModel(
                name='Reference',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('holder', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='references', to='lineage.node')),
                    ('relation', models.CharField(max_length=32)),
                    ('pointer', models.CharField(blank=True, max_length=200)),
                    ('ordinal', models.IntegerField(default=0)),
                    ('edge', models.CharField(blank=True, max_length=24)),
                    ('kind', models.CharField(max_length=16)),
                    ('address', models.CharField(blank=True, max_length=30)),
                    ('anywhere', models.CharField(blank=True, max_length=26)),
                    ('digest', models.CharField(blank=True, max_length=80)),
                    ('uid_named', models.CharField(blank=True, max_length=30)),
                    ('event_at', models.DateTimeField(null=True)),
                    ('status', models.CharField(choices=[('bound', 'Bound'), ('unresolved', 'Unresolved'), ('ambiguous', 'Ambiguous')], max_length=12)),
                    ('from_node', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='edges_out', to='lineage.node')),
                    ('to_node', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='edges_in', to='lineage.node')),
                    ('properties', models.JSONField(default=dict)),
                ],
                options={
                    'indexes': [models.Index(fields=['from_node', 'edge'], name='reference_out'), models.Index(fields=['to_node', 'edge'], name='reference_in'), models.Index(fields=['workspace', 'address'], name='reference_address'), models.Index(fields=['workspace', 'anywhere'], name='reference_anywhere')],
                },
            ),
            migrations.CreateModel(
                name='RestsOn',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('answer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rests_on', to='lineage.node')),
                    ('target', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='supports', to='lineage.node')),
                    ('grade', models.SmallIntegerField()),
                    ('origin_grade', models.SmallIntegerField(default=0)),
                    ('via', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lineage.node')),
                    ('at', models.BigIntegerField(default=-1)),
                ],
                options={
                    'indexes': [models.Index(fields=['target', 'grade', '-at'], name='rests_on_target')],
                    'constraints': [models.UniqueConstraint(fields=('target', 'answer'), name='one_grade')],
                },
            ),
            migrations.CreateModel(
                name='SearchDue',
                fields=[
                    ('node', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='search_due', serialize=False, to='lineage.node')),
                    ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workspaces.workspace')),
                ],
            ),
            migrations.CreateModel(
                name='SearchNear',
                fields=[
                    ('pk', models.CompositePrimaryKey('workspace_id', 'token', 'term_id', blank=True, editable=False, primary_key=True, serialize=False)),
                    ('workspace', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workspaces.workspace')),
                    ('token', models.BigIntegerField()),
                    ('term', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='near', to='lineage.searchterm')),
                ],
            ),
            migrations.CreateModel(
                name='SearchToken',
                fields=[
                    ('pk', models.CompositePrimaryKey('workspace_id', 'token', 'node_id', blank=True, editable=False, primary_key=True, serialize=False)),
                    ('workspace', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workspaces.workspace')),
                    ('token', models.BigIntegerField()),
                    ('node', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='lineage.node')),
                ],
            ),
            migrations.CreateModel(
                name='SearchWord',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('node', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='words', to='lineage.node')),
                    ('word', models.CharField(max_length=64)),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'word'], name='search_word')],
                    'constraints': [models.UniqueConstraint(fields=('node', 'word'), name='one_word_per_node')],
                },
            ),
            migrations.CreateModel(
                name='Sighting',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('kind', models.CharField(max_length=16)),
                    ('address', models.CharField(max_length=30)),
                    ('digest', models.CharField(max_length=26)),
                    ('content_digest', models.CharField(blank=True, max_length=80)),
                    ('occurred_at', models.DateTimeField(null=True)),
                    ('recorded_at', models.DateTimeField()),
                    ('fields', models.JSONField(default=dict)),
                    ('attributes', models.JSONField(default=dict)),
                    ('flags', models.JSONField(default=list)),
                    ('node', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='sightings', to='lineage.node')),
                    ('direct', models.BooleanField(default=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('workspace', 'address', 'digest'), name='one_sighting_per_record')],
                },
            ),
            migrations.CreateModel(
                name='SourceAuthority',
                fields=[
                    ('source', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='authority', serialize=False, to='lineage.node')),
                    ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('authority', models.IntegerField()),
                    ('set_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('set_at', models.DateTimeField()),
                ],
            ),
            migrations.CreateModel(
                name='SourceCheck',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('source', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='checks', to='lineage.node')),
                    ('at', models.DateTimeField()),
                    ('outcome', models.CharField(choices=[('first', 'First'), ('unchanged', 'Unchanged'), ('same', 'Same'), ('changed', 'Changed'), ('gone', 'Gone'), ('paywall', 'Paywall'), ('unreachable', 'Unreachable'), ('unreadable', 'Unreadable'), ('robots', 'Robots'), ('refused', 'Refused'), ('no_address', 'No Address')], max_length=12)),
                    ('status', models.IntegerField(null=True)),
                    ('failure', models.CharField(blank=True, max_length=20)),
                    ('moved', models.BooleanField(default=False)),
                    ('asked_for', models.BooleanField(default=False)),
                    ('acquisition', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='lineage.node')),
                    ('version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='lineage.node')),
                ],
                options={
                    'indexes': [models.Index(fields=['source', '-id'], name='check_of_source'), models.Index(fields=['at'], name='check_by_age')],
                },
            ),
            migrations.CreateModel(
                name='SourceDue',
                fields=[
                    ('source', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='rights_due', serialize=False, to='lineage.node')),
                    ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workspaces.workspace')),
                ],
            ),
            migrations.CreateModel(
                name='SourceOpen',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('source', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lineage.node')),
                    ('group', models.CharField(blank=True, max_length=200)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('source', 'group'), name='one_opening_per_group')],
                },
            ),
            migrations.CreateModel(
                name='SourceRights',
                fields=[
                    ('source', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='rights', serialize=False, to='lineage.node')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('licence', models.CharField(blank=True, max_length=200)),
                    ('family', models.CharField(max_length=16)),
                    ('kind', models.CharField(blank=True, max_length=40)),
                    ('language', models.CharField(blank=True, max_length=16)),
                    ('described', models.BooleanField()),
                    ('has_creator', models.BooleanField()),
                    ('versions', models.IntegerField(default=0)),
                    ('unlicensed', models.IntegerField(default=0)),
                    ('chunks', models.IntegerField(default=0)),
                    ('answers', models.IntegerField(default=0)),
                    ('ends_at', models.DateTimeField(null=True)),
                    ('summarised_at', models.DateTimeField()),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', '-answers', 'source'], name='rights_by_answers'), models.Index(fields=['workspace', 'ends_at', 'source'], name='rights_by_end'), models.Index(fields=['workspace', 'family'], name='rights_by_family'), models.Index(fields=['workspace', 'summarised_at'], name='rights_by_age'), models.Index(condition=models.Q(('ends_at__isnull', False)), fields=['ends_at'], name='rights_ending')],
                },
            ),
            migrations.CreateModel(
                name='SourceWatch',
                fields=[
                    ('source', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='watch', serialize=False, to='lineage.node')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('paused', models.BooleanField(default=False)),
                    ('next_at', models.DateTimeField()),
                    ('taken_by', models.CharField(blank=True, max_length=22)),
                    ('lease_until', models.DateTimeField(null=True)),
                    ('first_at', models.DateTimeField(null=True)),
                    ('checked_at', models.DateTimeField(null=True)),
                    ('confirmed_at', models.DateTimeField(null=True)),
                    ('changed_at', models.DateTimeField(null=True)),
                    ('outcome', models.CharField(blank=True, choices=[('first', 'First'), ('unchanged', 'Unchanged'), ('same', 'Same'), ('changed', 'Changed'), ('gone', 'Gone'), ('paywall', 'Paywall'), ('unreachable', 'Unreachable'), ('unreadable', 'Unreadable'), ('robots', 'Robots'), ('refused', 'Refused'), ('no_address', 'No Address')], max_length=12)),
                    ('failing_since', models.DateTimeField(null=True)),
                    ('failures', models.IntegerField(default=0)),
                    ('looks', models.IntegerField(default=0)),
                    ('changes', models.IntegerField(default=0)),
                    ('digest', models.CharField(blank=True, max_length=80)),
                    ('comparable', models.BooleanField(default=False)),
                    ('read', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='lineage.node')),
                    ('version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='lineage.node')),
                    ('observed', models.BooleanField(default=False)),
                    ('cited', models.IntegerField(default=0)),
                    ('drifted', models.IntegerField(default=0)),
                    ('answers', models.IntegerField(default=0)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('paused', False)), fields=['next_at'], name='watch_due'), models.Index(fields=['workspace', 'outcome'], name='watch_by_outcome'), models.Index(fields=['workspace', 'checked_at'], name='watch_by_age')],
                },
            ),
            migrations.CreateModel(
                name='TraceHome',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('trace', models.CharField(max_length=26)),
                    ('home', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lineage.inboxpayload')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('workspace', 'trace'), name='one_trace')],
                },
            ),
            migrations.CreateModel(
                name='UidAlias',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('uid', models.CharField(max_length=30, unique=True)),
                    ('node', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='aliases', to='lineage.node')),
                ],
            ),
            migrations.CreateModel(
                name='Webhook',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('uid', models.CharField(max_length=30, unique=True)),
                    ('incident', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='lineage.incident')),
                    ('url', models.TextField()),
                    ('types', models.JSONField(default=list)),
                    ('owner_id', models.BigIntegerField()),
                    ('created_at', models.DateTimeField()),
                    ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('disabled_at', models.DateTimeField(null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', '-id'], name='webhook_list')],
                },
            ),
            migrations.CreateModel(
                name='Withdrawal',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='withdrawals', to='lineage.case')),
                    ('node', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='withdrawals', to='lineage.node')),
                    ('at', models.DateTimeField()),
                    ('ended_at', models.DateTimeField(null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'ended_at'], name='register_active')],
                    'constraints': [models.UniqueConstraint(fields=('case', 'node'), name='one_withdrawal')],
                },
            ),
            migrations.CreateModel(
                name='Derivation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('origin', models.CharField(max_length=30)),
                    ('sighting', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='derivations', to='lineage.sighting')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('workspace', 'origin', 'sighting'), name='one_derivation_per_origin')],
                },
            ),
            migrations.CreateModel(
                name='ErasedNode',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('erasure', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='nodes', to='lineage.erasure')),
                    ('node', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='erasures', to='lineage.node')),
                    ('uid', models.CharField(max_length=30)),
                    ('kind', models.CharField(max_length=16)),
                    ('address', models.CharField(max_length=30)),
                    ('place', models.CharField(blank=True, max_length=30)),
                    ('digest', models.CharField(blank=True, max_length=80)),
                ],
                options={
                    'indexes': [models.Index(fields=['workspace', 'address'], name='erased_address'), models.Index(fields=['workspace', 'uid'], name='erased_uid'), models.Index(fields=['workspace', 'digest'], name='erased_digest')],
                    'constraints': [models.UniqueConstraint(fields=('erasure', 'uid'), name='one_tombstone_per_node')],
                },
            ),
            migrations.CreateModel(
                name='ErasedText',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
                    ('erasure', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='texts', to='lineage.erasure')),
                    ('digest', models.CharField(max_length=80)),
                    ('uid', models.CharField(max_length=30)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('workspace', 'digest', 'erasure'), name='one_erased_text')],
                },
            ),
            migrations.CreateModel(
                name='ErasurePlace',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('erasure', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='places', to='lineage.erasure')),
                    ('name', models.CharField(max_length=40)),
                    ('ordinal', models.SmallIntegerField()),
                    ('target', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='places', to='lineage.externaltarget')),
                    ('state', models.CharField(choices=[('pending', 'Pending'), ('failed', 'Failed'), ('waiting', 'Waiting'), ('done', 'Done')], default='pending', max_length=8)),
                    ('attempts', models.IntegerField(default=0)),
                    ('error', models.CharField(blank=True, max_length=60)),
                    ('cleared', models.BigIntegerField(default=0)),
                    ('cursor', models.BigIntegerField(default=0)),
                    ('message', models.CharField(blank=True, max_length=30)),
                    ('tried_at', models.DateTimeField(null=True)),
                    ('next_at', models.DateTimeField(null=True)),
                    ('done_at', models.DateTimeField(null=True)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('next_at__isnull', False)), fields=['next_at'], name='erasure_place_due')],
                    'constraints': [models.UniqueConstraint(fields=('erasure', 'name'), name='one_row_per_place')],
                },
            ),
            migrations.CreateModel(
                name='ErasureProbe',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('erasure', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='probes', to='lineage.erasure')),
                    ('name', models.CharField(max_length=24)),
                    ('looked_at', models.BigIntegerField(default=0)),
                    ('found', models.BigIntegerField(default=0)),
                    ('asked_at', models.DateTimeField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('erasure', 'name'), name='one_answer_per_probe')],
                },
            ),
            migrations.CreateModel(
                name='TracePayload',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('trace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='payloads', to='lineage.tracehome')),
                    ('payload', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lineage.inboxpayload')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('trace', 'payload'), name='one_payload_of_a_trace')],
                },
            ),
            migrations.CreateModel(
                name='WebhookDelivery',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='lineage.webhook')),
                    ('uid', models.CharField(max_length=30, unique=True)),
                    ('type', models.CharField(max_length=40)),
                    ('subject', models.CharField(blank=True, max_length=30)),
                    ('body', models.JSONField()),
                    ('state', models.CharField(choices=[('pending', 'Pending'), ('delivered', 'Delivered'), ('failed', 'Failed')], default='pending', max_length=12)),
                    ('created_at', models.DateTimeField()),
                    ('delivered_at', models.DateTimeField(null=True)),
                    ('next_at', models.DateTimeField(null=True)),
                    ('attempts', models.SmallIntegerField(default=0)),
                    ('replays', models.SmallIntegerField(default=0)),
                    ('status', models.SmallIntegerField(null=True)),
                    ('failure', models.CharField(blank=True, max_length=24)),
                ],
                options={
                    'indexes': [models.Index(fields=['webhook', '-id'], name='delivery_log'), models.Index(condition=models.Q(('next_at__isnull', False)), fields=['next_at'], name='delivery_due')],
                },
            ),
        ]),
        migrations.RunPython(leave_room, migrations.RunPython.noop),
    ]
