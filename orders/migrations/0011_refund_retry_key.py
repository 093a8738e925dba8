from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0010_withdrawal_shipping_allowed'),
    ]

    operations = [
        migrations.AddField(
            model_name='refund',
            name='retry_key',
            field=models.CharField(blank=True, editable=False, max_length=255, null=True, unique=True),
        ),
    ]
