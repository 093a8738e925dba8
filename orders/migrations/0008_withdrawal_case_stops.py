from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0007_withdrawal_case_order'),
    ]

    operations = [
        migrations.AddField(
            model_name='withdrawalcase',
            name='goods',
            field=models.CharField(blank=True, max_length=500, verbose_name='articles rendus, selon le client'),
        ),
        migrations.AddField(
            model_name='withdrawalcase',
            name='voided',
            field=models.DecimalField(decimal_places=2, default=0, max_digits=10, verbose_name='échéances arrêtées (€)'),
        ),
        migrations.AddConstraint(
            model_name='withdrawalcase',
            constraint=models.CheckConstraint(condition=models.Q(('voided__gte', 0)), name='withdrawal_voided_positive'),
        ),
    ]
