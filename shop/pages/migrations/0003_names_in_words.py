from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("pages", "0002_cart_reminders"),
    ]

    # Names alone: they stand where their fields are made now, as altering each here made every model anew.
    operations = []
