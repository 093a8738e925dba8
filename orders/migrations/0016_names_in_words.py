from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("orders", "0015_reductions_account"),
    ]

    # Names alone: they stand where their fields are made now, as altering each here made every model anew.
    operations = []
