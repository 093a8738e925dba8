import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0013_dates_transfers_cards'),
    ]

    operations = [
        migrations.AddField(
            model_name='cardchange',
            name='customer_id',
            field=models.CharField(blank=True, default='', max_length=255),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='cardchange',
            name='mandate_text',
            field=models.TextField(default='', verbose_name='autorisation de prélèvement acceptée'),
            preserve_default=False,
        ),
        migrations.CreateModel(
            name='DiscardedCard',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('payment_method_id', models.CharField(max_length=255, unique=True)),
                ('discarded_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='remplacée le')),
                ('deleted_at', models.DateTimeField(blank=True, null=True, verbose_name='effacée le')),
                ('order', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='discarded_cards', to='orders.order')),
            ],
            options={
                'verbose_name': 'carte à effacer',
                'verbose_name_plural': 'cartes à effacer',
                'indexes': [models.Index(condition=models.Q(('deleted_at__isnull', True)), fields=['discarded_at'], name='discarded_card_waiting')],
            },
        ),
    ]
