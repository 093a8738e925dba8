from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("statistics", "0001_initial"),
    ]

    # Names alone: the database has nothing to do.
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="dailycount",
                    name="count",
                    field=models.PositiveBigIntegerField(verbose_name="nombre"),
                ),
                migrations.AlterField(
                    model_name="dailycount",
                    name="day",
                    field=models.DateField(verbose_name="jour"),
                ),
                migrations.AlterField(
                    model_name="dailycount",
                    name="device",
                    field=models.CharField(blank=True, max_length=10, verbose_name="appareil"),
                ),
                migrations.AlterField(
                    model_name="dailycount",
                    name="is_demonstration",
                    field=models.BooleanField(default=False, verbose_name="démonstration"),
                ),
                migrations.AlterField(
                    model_name="dailycount",
                    name="label",
                    field=models.CharField(blank=True, max_length=160, verbose_name="détail"),
                ),
                migrations.AlterField(
                    model_name="dailycount",
                    name="language",
                    field=models.CharField(blank=True, max_length=5, verbose_name="langue"),
                ),
                migrations.AlterField(
                    model_name="dailycount",
                    name="measure",
                    field=models.CharField(
                        choices=[
                            ("page_view", "page vue"),
                            ("visit", "visite"),
                            ("source", "visite par provenance"),
                            ("campaign", "visite par campagne"),
                            ("step", "visite par étape d'achat"),
                            ("search", "recherche"),
                            ("empty_search", "recherche sans résultat"),
                        ],
                        max_length=20,
                        verbose_name="mesure",
                    ),
                ),
                migrations.AlterField(
                    model_name="dailyvital",
                    name="bucket",
                    field=models.PositiveSmallIntegerField(verbose_name="tranche"),
                ),
                migrations.AlterField(
                    model_name="dailyvital",
                    name="count",
                    field=models.PositiveBigIntegerField(verbose_name="nombre"),
                ),
                migrations.AlterField(
                    model_name="dailyvital",
                    name="day",
                    field=models.DateField(verbose_name="jour"),
                ),
                migrations.AlterField(
                    model_name="dailyvital",
                    name="device",
                    field=models.CharField(max_length=10, verbose_name="appareil"),
                ),
                migrations.AlterField(
                    model_name="dailyvital",
                    name="is_demonstration",
                    field=models.BooleanField(default=False, verbose_name="démonstration"),
                ),
                migrations.AlterField(
                    model_name="dailyvital",
                    name="metric",
                    field=models.CharField(
                        choices=[
                            ("LCP", "affichage du plus grand élément"),
                            ("INP", "réponse au toucher"),
                            ("CLS", "stabilité de la page"),
                            ("FCP", "premier affichage"),
                            ("TTFB", "réponse du serveur"),
                        ],
                        max_length=5,
                        verbose_name="mesure",
                    ),
                ),
                migrations.AlterField(
                    model_name="dailyvital",
                    name="page",
                    field=models.CharField(max_length=80, verbose_name="page"),
                ),
            ]
        )
    ]
