"""Whether a person closed a difference was read from the text that stands where it was gone by itself."""

from django.db import migrations, models

GONE_BY_ITSELF = "Disparu au rapprochement suivant."


def forwards(apps, schema_editor):
    rows = apps.get_model("orders", "Discrepancy").objects.using(schema_editor.connection.alias)
    closed = rows.filter(resolved_at__isnull=False)
    closed.exclude(resolution=GONE_BY_ITSELF).update(is_explained=True)


class Migration(migrations.Migration):
    dependencies = [("orders", "0019_units_sent_before_refunds")]

    operations = [
        migrations.AddField(
            model_name="discrepancy",
            name="is_explained",
            field=models.BooleanField(db_default=False, default=False, verbose_name="expliqué"),
        ),
        migrations.RunPython(forwards, migrations.RunPython.noop),
    ]
