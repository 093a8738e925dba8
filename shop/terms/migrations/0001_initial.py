"""The versions of the terms of sale, which the database keeps from being changed."""

import django.utils.timezone
from django.db import migrations, models

from shop.core.append_only import append_only


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='TermsVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.CharField(max_length=20, unique=True, verbose_name='numéro')),
                ('published_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='publiée le')),
                ('published_by', models.BigIntegerField(help_text="Vide\xa0: par le serveur.", null=True, verbose_name='par')),
                ('texts', models.JSONField(verbose_name='textes par langue')),
                ('sha256', models.CharField(max_length=64, verbose_name='empreinte SHA-256')),
            ],
            options={
                'verbose_name': 'version des conditions de vente',
                'verbose_name_plural': 'versions des conditions de vente',
                'ordering': ('-pk',),
            },
        ),
        append_only("terms_termsversion"),
    ]
