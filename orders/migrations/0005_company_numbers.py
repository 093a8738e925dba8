"""The number of a company that is billed, and on the draft of its invoice."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0004_books_chain'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='order',
            name='order_billing_whole',
        ),
        migrations.AddField(
            model_name='invoicedraft',
            name='customer_number',
            field=models.CharField(blank=True, db_default='', default='', max_length=20, verbose_name='SIREN, SIRET ou n° de TVA du client'),
        ),
        migrations.AddField(
            model_name='order',
            name='billing_company_number',
            field=models.CharField(blank=True, db_default='', default='', max_length=20, verbose_name='SIREN, SIRET ou n° de TVA'),
        ),
        migrations.AddConstraint(
            model_name='order',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('billing_address', ''), ('billing_city', ''), ('billing_country', ''), ('billing_name', ''), _connector='OR', _negated=True), models.Q(('billing_address', ''), ('billing_city', ''), ('billing_company', ''), ('billing_company_number', ''), ('billing_country', ''), ('billing_custom_country', ''), ('billing_name', ''), ('billing_postal_code', '')), _connector='OR'), name='order_billing_whole'),
        ),
    ]
