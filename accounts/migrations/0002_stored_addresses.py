"""Accounts from before an address had one form (`a@épi.fr`, `"a"@exemple.fr`) are stored as sign-ins look for them."""

from django.db import migrations, transaction

from shop.core.email_addresses import normalise_email


def forwards(apps, schema_editor):
    alias = schema_editor.connection.alias
    users = apps.get_model("accounts", "User").objects.using(alias)
    addresses = apps.get_model("account", "EmailAddress").objects.using(alias)
    for pk, email in list(users.order_by("pk").values_list("pk", "email")):
        stored = normalise_email(email)
        # Where its mailbox has an account under the one form already, that one is found; two can't be joined here.
        if stored == email or users.filter(email=stored).exists():
            continue
        with transaction.atomic(using=alias):
            users.filter(pk=pk).update(email=stored)
            addresses.filter(user=pk, email=email).update(email=stored)


class Migration(migrations.Migration):
    # Beside sales: a row at a time.
    atomic = False

    dependencies = [
        ("accounts", "0001_initial"),
        ("account", "0009_emailaddress_unique_primary_email"),
    ]

    operations = [migrations.RunPython(forwards, migrations.RunPython.noop)]
