from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("blog", "0006_covered_indexes"),
    ]

    # Names alone: they stand where their fields are made now, as altering each here made every model anew.
    operations = []
