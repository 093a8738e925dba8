"""Somebody without an account has the archive of their data by their address."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("pages", "0003_names_in_words"),
    ]

    operations = [
        migrations.AddField(
            model_name="dataexport",
            name="email",
            field=models.EmailField(
                blank=True, db_default="", default="", max_length=254, verbose_name="adresse e-mail"
            ),
        ),
        migrations.AddConstraint(
            model_name="dataexport",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("requested", "running"))),
                fields=("user_key", "email"),
                name="export_one_for_each",
            ),
        ),
        migrations.RemoveConstraint(model_name="dataexport", name="export_one_under_way"),
    ]
