"""Erasures of people without an account."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('pages', '0003_personal_data'),
    ]

    operations = [
        migrations.AlterField(
            model_name='erasure',
            name='user_key',
            field=models.BigIntegerField(blank=True, null=True, unique=True, verbose_name='compte n°'),
        ),
    ]
