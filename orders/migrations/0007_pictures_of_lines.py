"""A line of an order names the file of its picture, no more its address."""

from urllib.parse import urlsplit

from django.core.files.storage import default_storage
from django.db import migrations, models


def name_files(apps, schema_editor):
    """Pictures of products are stored as `products/….jpg`, whatever leads there."""
    _replace(apps, lambda address: "/".join(urlsplit(address).path.split("/")[-2:]))


def give_addresses(apps, schema_editor):
    _replace(apps, default_storage.url)


def _replace(apps, new):
    lines = apps.get_model("orders", "OrderItem").objects
    for old in lines.exclude(picture="").order_by().values_list("picture", flat=True).distinct():
        lines.filter(picture=old).update(picture=new(old))


class Migration(migrations.Migration):

    dependencies = [
        ("orders", "0006_workshop_dates"),
        ("catalog", "0008_retired_pictures"),
    ]

    operations = [
        migrations.RenameField(model_name="orderitem", old_name="product_image", new_name="picture"),
        # Both ways the values change while the column takes addresses.
        migrations.RunPython(name_files, give_addresses),
        migrations.AlterField(
            model_name="orderitem",
            name="picture",
            field=models.FileField(
                blank=True, db_index=True, editable=False, max_length=120, upload_to="", verbose_name="image"
            ),
        ),
    ]
