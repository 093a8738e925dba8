"""The contract of each paid order and its PDF, which the database keeps from being changed until its year is purged."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from shop.core.append_only import append_only

OVER = "EXISTS (SELECT 1 FROM orders_purgedyear AS over WHERE OLD.created_at < over.ends_at)"


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0002_shipped_rows'),
    ]

    operations = [
        migrations.CreateModel(
            name='Contract',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('terms_version', models.CharField(max_length=40, verbose_name='version des conditions acceptées')),
                ('language', models.CharField(default='fr', max_length=5, verbose_name='langue')),
                ('data', models.JSONField(verbose_name='contenu')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='conclu le')),
                ('order', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='contract', to='orders.order', verbose_name='commande')),
            ],
            options={
                'verbose_name': 'contrat',
                'verbose_name_plural': 'contrats',
                'ordering': ('-created_at',),
            },
        ),
        migrations.CreateModel(
            name='ContractDocument',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pdf', models.BinaryField(verbose_name="fichier PDF")),
                ('sha256', models.CharField(max_length=64, verbose_name='empreinte SHA-256')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name="fait le")),
                ('contract', models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="document",
                        to="orders.contract",
                        verbose_name="contrat",
                    )),
            ],
            options={
                'verbose_name': 'document du contrat',
                'verbose_name_plural': 'documents des contrats',
            },
        ),
        migrations.AddIndex(
            model_name='contract',
            index=models.Index(fields=['created_at'], name='contract_created'),
        ),
        append_only("orders_contract", delete_if=OVER),
        append_only("orders_contractdocument", delete_if=OVER),
    ]
