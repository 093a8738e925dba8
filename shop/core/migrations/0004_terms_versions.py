"""The accountant of the shop; versions of the terms have an app of their own (`shop.terms`)."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0003_measurement_ids'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='shopsettings',
            name='terms_version',
        ),
        migrations.AddField(
            model_name='shopsettings',
            name='accountant_email',
            field=models.EmailField(blank=True, help_text="Reçoit chaque mois l'empreinte des comptes, avec l'atelier.", max_length=254, verbose_name='e-mail du comptable'),
        ),
    ]
