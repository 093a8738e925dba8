"""Above which refund people prove again who they are."""

import django.core.validators
from decimal import Decimal
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0005_audit_searches'),
    ]

    operations = [
        migrations.AddField(
            model_name='shopsettings',
            name='refund_confirmation_above',
            field=models.DecimalField(blank=True, decimal_places=2, default=Decimal('200.00'), help_text='Le mot de passe ou le code est redemandé. 0\xa0: toujours. Vide\xa0: jamais.', max_digits=10, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0.00'))], verbose_name='remboursement à confirmer au-delà de (€)'),
        ),
    ]
