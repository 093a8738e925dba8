from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0006_covered_indexes"),
    ]

    operations = [
        migrations.AlterField(
            model_name="category",
            name="slug_de",
            field=models.SlugField(blank=True, default="", max_length=60, verbose_name="adresse (allemand)"),
        ),
        migrations.AlterField(
            model_name="category",
            name="slug_en",
            field=models.SlugField(blank=True, default="", max_length=60, verbose_name="adresse (anglais)"),
        ),
        migrations.AlterField(
            model_name="category",
            name="slug_es",
            field=models.SlugField(blank=True, default="", max_length=60, verbose_name="adresse (espagnol)"),
        ),
    ]
