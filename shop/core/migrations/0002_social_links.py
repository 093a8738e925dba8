

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='shopsettings',
            name='facebook_url',
            field=models.URLField(blank=True, verbose_name='page Facebook'),
        ),
        migrations.AddField(
            model_name='shopsettings',
            name='instagram_url',
            field=models.URLField(blank=True, verbose_name='page Instagram'),
        ),
    ]
