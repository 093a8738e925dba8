"""A letter that was started keeps the name of its collection, so that its copies ask for another once it is gone."""

from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def name_collections(apps, schema_editor):
    alias = schema_editor.connection.alias
    names = apps.get_model("catalog", "Category").objects.using(alias).filter(pk=OuterRef("category"))
    letters = apps.get_model("blog", "Campaign").objects.using(alias)
    letters.filter(started_at__isnull=False, category__isnull=False).update(
        category_name=Subquery(names.values("name_fr")[:1])
    )


class Migration(migrations.Migration):
    dependencies = [("blog", "0004_every_category")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="category_name",
            field=models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        max_length=100,
                        verbose_name="nom de la collection",
                    ),
        ),
        migrations.RunPython(name_collections, migrations.RunPython.noop),
    ]
