from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0009_refund_retries'),
    ]

    operations = [
        migrations.AddField(
            model_name='withdrawalcase',
            name='shipping_allowed_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='expédition du reste permise le'),
        ),
    ]
