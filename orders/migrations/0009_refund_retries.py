import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0008_withdrawal_case_stops'),
    ]

    operations = [
        migrations.AddField(
            model_name='refundrequest',
            name='fingerprint',
            field=models.CharField(blank=True, default='', editable=False, max_length=64, verbose_name='empreinte de la demande'),
        ),
        migrations.AddField(
            model_name='refund',
            name='replaces',
            field=models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='replaced_by', to='orders.refund'),
        ),
    ]
