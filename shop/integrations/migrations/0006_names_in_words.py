from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("integrations", "0005_key_last_day"),
    ]

    # Names alone: they stand where their fields are made now, as altering each here made every model anew.
    operations = []
