import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0015_picture_source"),
    ]

    operations = [
        migrations.AddField(
            model_name="pictureimport",
            name="replaces",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="catalog.productimage",
                verbose_name="photo remplacée",
            ),
        ),
    ]
