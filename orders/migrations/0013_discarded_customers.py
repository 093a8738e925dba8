"""Customers that the provider must delete, because their order was erased."""

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0012_purged_years'),
    ]

    operations = [
        migrations.CreateModel(
            name='DiscardedCustomer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('customer_id', models.CharField(max_length=255, unique=True, verbose_name='client chez Stripe')),
                ('discarded_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='à effacer depuis')),
            ],
            options={
                'verbose_name': 'client à effacer chez Stripe',
                'verbose_name_plural': 'clients à effacer chez Stripe',
            },
        ),
    ]
