from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0007_discarded_files"),
    ]

    operations = [
        migrations.AddField(
            model_name="shopsettings",
            name="oss_from",
            field=models.DateField(
                blank=True,
                help_text="Jour où l'inscription prend effet. Vide\xa0: chaque trimestre se déclare.",
                null=True,
                verbose_name="inscrit au guichet unique à partir du",
            ),
        ),
    ]
