"""The chain over the books and its monthly heads; rows that are there join at the first run of the job."""

import django.utils.timezone
from django.db import migrations, models

from shop.core.append_only import append_only


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0003_contracts'),
    ]

    operations = [
        migrations.CreateModel(
            name='ChainHead',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('month', models.DateField(unique=True, verbose_name='mois')),
                ('position', models.PositiveBigIntegerField(verbose_name='rang')),
                ('hash', models.CharField(max_length=64, verbose_name='empreinte')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='envoyée le')),
            ],
            options={
                'verbose_name': 'empreinte mensuelle des comptes',
                'verbose_name_plural': 'empreintes mensuelles des comptes',
                'ordering': ('month',),
            },
        ),
        migrations.CreateModel(
            name='ChainLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveBigIntegerField(unique=True, verbose_name='rang')),
                ('kind', models.CharField(choices=[('invoice', 'Facture ou avoir'), ('invoice_pdf', "PDF d'une facture"), ('contract_pdf', "PDF d'un contrat"), ('movement', "Mouvement d'argent")], max_length=12, verbose_name='nature')),
                ('row_id', models.BigIntegerField(verbose_name='clé de la ligne')),
                ('row_at', models.DateTimeField(verbose_name='date de la ligne')),
                ('digest', models.CharField(max_length=64, verbose_name='empreinte de la ligne')),
                ('hash', models.CharField(max_length=64, verbose_name='empreinte')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='ajouté le')),
            ],
            options={
                'verbose_name': 'maillon de la chaîne des comptes',
                'verbose_name_plural': 'chaîne des comptes',
                'ordering': ('position',),
                'constraints': [models.UniqueConstraint(fields=('kind', 'row_id'), name='chain_link_once_a_row'), models.CheckConstraint(condition=models.Q(('kind__in', ['invoice', 'invoice_pdf', 'contract_pdf', 'movement'])), name='chain_link_kind_known')],
            },
        ),
        append_only("orders_chainlink"),
        append_only("orders_chainhead"),
    ]
