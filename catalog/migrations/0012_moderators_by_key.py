"""Decisions about reviews name who took them by the account's key: an address in a row that is never changed can't be
erased."""

from django.conf import settings
from django.db import migrations

from shop.core.append_only import guard_statements, release_statements

TABLE = "catalog_reviewdecision"


def name_by_key(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for statement in release_statements(TABLE, vendor):
        schema_editor.execute(statement, params=None)
    user = apps.get_model(*settings.AUTH_USER_MODEL.split("."))
    keys = dict(user.objects.filter(is_staff=True).values_list("email", "pk"))
    decisions = apps.get_model("catalog", "ReviewDecision").objects
    for actor in set(decisions.filter(actor__contains="@").values_list("actor", flat=True)):
        decisions.filter(actor=actor).update(actor=f"#{keys[actor]}" if actor in keys else "–")
    for statement in guard_statements(TABLE, vendor):
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0011_guest_reviews"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [migrations.RunPython(name_by_key, migrations.RunPython.noop)]
