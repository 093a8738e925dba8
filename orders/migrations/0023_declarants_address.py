"""A declaration of withdrawal stays in its words; who made it may have another e-mail address by now."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("orders", "0022_link_version"),
    ]

    operations = [
        migrations.AddField(
            model_name="withdrawalcase",
            name="email",
            field=models.EmailField(
                blank=True,
                db_default="",
                default="",
                max_length=254,
                verbose_name="adresse e-mail",
            ),
        ),
    ]
