"""The audit trail of one kind of object is read in the order of its pages."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0007_drop_admin_log'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['subject_type', 'created_at', 'id'], name='core_audit_kind'),
        ),
    ]
