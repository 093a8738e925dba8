from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0010_sort_name_indexes"),
    ]

    # Names alone: they stand where their fields are made now, as altering each here made every model anew.
    operations = []
