from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("statistics", "0001_initial"),
    ]

    # Names alone: they stand where their fields are made now, as altering each here made every model anew.
    operations = []
