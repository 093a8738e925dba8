"""Django's own log of the administration, which the audit trail replaced, names people and is not written any more."""

from typing import Any

from django.db import migrations


def empty(apps: Any, schema_editor: Any) -> None:
    apps.get_model("admin", "LogEntry").objects.all().delete()


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0006_refund_confirmation'),
        ('admin', '0003_logentry_add_action_flag_choices'),
    ]

    operations = [migrations.RunPython(empty, migrations.RunPython.noop)]
