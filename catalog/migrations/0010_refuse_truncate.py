"""What is only ever added to refuses TRUNCATE on PostgreSQL, as it refuses UPDATE and DELETE."""

from django.db import migrations

from shop.core.append_only import append_only


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0009_heights'),
    ]

    operations = [
        append_only("catalog_pricepoint"),
        append_only("catalog_reviewdecision"),
    ]
