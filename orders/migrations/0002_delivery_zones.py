"""The two zones that the shop starts with; operators change them in the admin."""

from decimal import Decimal

from django.db import migrations

EUROPE = "FR DE ES IT BE NL PT AT CH LU DK SE NO FI".split()
WORLD = "US CA GB JP AU".split()


def create_zones(apps, schema_editor):
    zones = apps.get_model("orders", "ShippingZone")
    zones.objects.update_or_create(
        code="france-europe",
        defaults={
            "name": "France et Europe",
            "countries": EUROPE,
            "rate": Decimal("9.99"),
            "free_from": Decimal("50.00"),
            "delivery_days_min": 2,
            "delivery_days_max": 5,
            "position": 1,
        },
    )
    zones.objects.update_or_create(
        code="rest-of-world",
        defaults={
            "name": "Reste du monde",
            "countries": WORLD,
            "rate": Decimal("49.99"),
            "free_from": None,
            "delivery_days_min": 5,
            "delivery_days_max": 15,
            "duties_notice": True,
            "is_fallback": True,
            "position": 2,
        },
    )


class Migration(migrations.Migration):
    dependencies = [("orders", "0001_initial")]

    operations = [migrations.RunPython(create_zones, migrations.RunPython.noop)]
