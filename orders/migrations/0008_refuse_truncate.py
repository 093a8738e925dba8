"""What is only ever added to refuses TRUNCATE on PostgreSQL, as it refuses UPDATE and DELETE."""

from django.db import migrations

from shop.core.append_only import append_only


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0007_pictures_of_lines'),
    ]

    operations = [
        append_only("orders_ledgerentry"),
        append_only("orders_withdrawal"),
        append_only("orders_withdrawalline"),
        append_only("orders_invoice"),
        append_only("orders_invoicedocument"),
    ]
