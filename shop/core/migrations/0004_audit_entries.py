"""The audit trail, which the database keeps from being changed."""

import django.utils.timezone
from django.db import migrations, models

from shop.core.append_only import append_only


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0003_workshop_week'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(db_index=True, default=django.utils.timezone.now, editable=False, verbose_name='date')),
                ('actor_id', models.BigIntegerField(help_text='Vide\xa0: par une commande du serveur ou par la boutique elle-même.', null=True, verbose_name='par')),
                ('action', models.CharField(db_index=True, max_length=60, verbose_name='action')),
                ('subject_type', models.CharField(max_length=60, verbose_name='objet')),
                ('subject_id', models.CharField(max_length=64, verbose_name="clé de l'objet")),
                ('before', models.JSONField(default=dict, verbose_name='avant')),
                ('after', models.JSONField(default=dict, verbose_name='après')),
            ],
            options={
                'verbose_name': "entrée du journal d'audit",
                'verbose_name_plural': "journal d'audit",
                'ordering': ('-created_at', '-pk'),
                'indexes': [models.Index(fields=['subject_type', 'subject_id'], name='core_audit_subject')],
            },
        ),
        append_only("core_auditentry"),
    ]
