"""Whether an address wants every collection no longer follows from the collections that are left of those it chose."""

from django.db import migrations, models


def keep_to_what_was_chosen(apps, schema_editor):
    rows = apps.get_model("blog", "Subscriber").objects.using(schema_editor.connection.alias)
    rows.filter(categories__isnull=False).update(every_category=False)


class Migration(migrations.Migration):
    dependencies = [("blog", "0003_newsletter")]

    operations = [
        migrations.AddField(
            model_name="subscriber",
            name="every_category",
            field=models.BooleanField(db_default=True, default=True, verbose_name="toutes les collections"),
        ),
        migrations.RunPython(keep_to_what_was_chosen, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="subscriber",
            name="categories",
            field=models.ManyToManyField(
                blank=True, related_name="+", to="catalog.category", verbose_name="collections choisies"
            ),
        ),
    ]
