from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_stored_addresses"),
    ]

    # Names alone: they stand where their fields are made now, as altering each here made every model anew.
    operations = []
