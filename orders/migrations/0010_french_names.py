from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("orders", "0009_search_parts")]

    operations = [
        migrations.AddField(
            model_name="orderitem",
            name="french_name",
            field=models.CharField(
                blank=True, db_default="", default="", max_length=200, verbose_name="produit en français"
            ),
        ),
        migrations.AddField(
            model_name="orderitem",
            name="french_variation_name",
            field=models.CharField(
                blank=True, db_default="", default="", max_length=120, verbose_name="format en français"
            ),
        ),
    ]
