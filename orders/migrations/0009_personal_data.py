"""When an order's personal data were erased."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0008_refuse_truncate'),
    ]

    operations = [
        migrations.AddField(
            model_name='order',
            name='personal_data_erased_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='données personnelles effacées le'),
        ),
    ]
