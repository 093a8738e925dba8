"""The audit trail is searched in the order of its pages, and refuses TRUNCATE as well."""

import django.utils.timezone
from django.db import migrations, models

from shop.core.append_only import append_only


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0004_audit_entries'),
    ]

    operations = [
        migrations.RemoveIndex(model_name='auditentry', name='core_audit_subject'),
        migrations.AlterField(
            model_name='auditentry',
            name='created_at',
            field=models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='date'),
        ),
        migrations.AlterField(
            model_name='auditentry',
            name='action',
            field=models.CharField(max_length=60, verbose_name='action'),
        ),
        migrations.AlterField(
            model_name='auditentry',
            name='actor_id',
            field=models.BigIntegerField(help_text='Vide\xa0: par une commande du serveur ou par la boutique elle-même.', null=True, verbose_name='par'),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['created_at', 'id'], name='core_audit_moment'),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['actor_id', 'created_at', 'id'], name='core_audit_actor'),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['action', 'created_at', 'id'], name='core_audit_action'),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['subject_type', 'subject_id', 'created_at', 'id'], name='core_audit_subject'),
        ),
        append_only("core_auditentry"),
    ]
