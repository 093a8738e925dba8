"""Standard VAT rates of the Union as they stand in November 2026; operators change them in the admin."""

from decimal import Decimal

from django.db import migrations

RATES = {
    "AT": "20", "BE": "21", "BG": "20", "CY": "19", "CZ": "21", "DE": "19", "DK": "25", "EE": "24", "ES": "21",
    "FI": "25.5", "FR": "20", "GR": "24", "HR": "25", "HU": "27", "IE": "23", "IT": "22", "LT": "21", "LU": "17",
    "LV": "21", "MT": "18", "NL": "21", "PL": "23", "PT": "23", "RO": "21", "SE": "25", "SI": "22", "SK": "23",
}


def create_rates(apps, schema_editor):
    rates = apps.get_model("orders", "VatRate")
    for country, percent in RATES.items():
        rates.objects.get_or_create(country=country, defaults={"percent": Decimal(percent)})


def show_duties(apps, schema_editor):
    """Switzerland and Norway are in the first zone and outside the Union: their customers must be told."""
    apps.get_model("orders", "ShippingZone").objects.filter(code="france-europe").update(duties_notice=True)


class Migration(migrations.Migration):
    dependencies = [("orders", "0004_customs_and_findings")]

    operations = [
        migrations.RunPython(create_rates, migrations.RunPython.noop),
        migrations.RunPython(show_duties, migrations.RunPython.noop),
    ]
