"""A correction of a guest's e-mail address ends the links that went to the wrong one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("orders", "0021_excused_days"),
    ]

    operations = [
        migrations.AddField(
            model_name="order",
            name="link_version",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, editable=False, verbose_name="version des liens"
            ),
        ),
    ]
