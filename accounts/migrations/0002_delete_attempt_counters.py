from django.db import migrations


class Migration(migrations.Migration):
    """The counters stand in shop.core now; they live for minutes, so none is copied."""

    dependencies = [
        ('accounts', '0001_initial'),
    ]

    operations = [
        migrations.DeleteModel(name='AttemptCounter'),
    ]
