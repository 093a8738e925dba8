"""Closures of the workshop, and how many units of each line had to be made."""

from django.db import migrations, models
from django.db.models import F, Q


def count_units_to_make(apps, schema_editor):
    """A line from before was made, unless its units were taken from counted stock."""
    counted = (
        apps.get_model("orders", "StockHold")
        .objects.filter(order=models.OuterRef("order"), variant=models.OuterRef("variant"))
        .exclude(level="")
    )
    lines = apps.get_model("orders", "OrderItem").objects
    lines.filter(~models.Exists(counted)).update(made_quantity=F("quantity"))


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0001_initial'),
        ("orders", "0005_order_addresses"),
    ]

    operations = [
        migrations.CreateModel(
            name='WorkshopClosure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('starts_on', models.DateField(verbose_name='premier jour de fermeture')),
                ('ends_on', models.DateField(db_index=True, verbose_name='dernier jour de fermeture')),
                ('message', models.CharField(blank=True, help_text="Vide : « L'atelier est fermé du … au … ». Affiché sur toutes les pages.", max_length=240, verbose_name='message aux clients')),
                ('message_fr', models.CharField(blank=True, help_text="Vide : « L'atelier est fermé du … au … ». Affiché sur toutes les pages.", max_length=240, null=True, verbose_name='message aux clients')),
                ('message_en', models.CharField(blank=True, help_text="Vide : « L'atelier est fermé du … au … ». Affiché sur toutes les pages.", max_length=240, null=True, verbose_name='message aux clients')),
                ('message_es', models.CharField(blank=True, help_text="Vide : « L'atelier est fermé du … au … ». Affiché sur toutes les pages.", max_length=240, null=True, verbose_name='message aux clients')),
                ('message_de', models.CharField(blank=True, help_text="Vide : « L'atelier est fermé du … au … ». Affiché sur toutes les pages.", max_length=240, null=True, verbose_name='message aux clients')),
            ],
            options={
                'verbose_name': "fermeture de l'atelier",
                'verbose_name_plural': "fermetures de l'atelier",
                'ordering': ('-starts_on', '-pk'),
            },
        ),
        migrations.AddField(
            model_name='orderitem',
            name='made_quantity',
            field=models.PositiveIntegerField(default=0, editable=False, verbose_name='dont à fabriquer'),
        ),
        migrations.AddField(
            model_name="order",
            name="start_by",
            field=models.DateField(
                blank=True, editable=False, null=True, verbose_name="à commencer au plus tard le"
            ),
        ),
        migrations.RunPython(count_units_to_make, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name='orderitem',
            constraint=models.CheckConstraint(condition=models.Q(('made_quantity__lte', models.F('quantity'))), name='item_made_quantity'),
        ),
        migrations.AddConstraint(
            model_name='workshopclosure',
            constraint=models.CheckConstraint(condition=models.Q(('starts_on__lte', models.F('ends_on'))), name='closure_days_ordered'),
        ),
    ]
