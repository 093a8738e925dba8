from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0015_labels'),
    ]

    operations = [
        migrations.AddField(
            model_name='attempt',
            name='closing_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='fermeture demandée le'),
        ),
        migrations.AddField(
            model_name='stockhold',
            name='mailbox',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name='stockhold',
            name='network',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=64),
        ),
        migrations.AddIndex(
            model_name='stockhold',
            index=models.Index(condition=models.Q(('network', ''), _negated=True), fields=['network'], name='hold_by_network'),
        ),
        migrations.AddIndex(
            model_name='stockhold',
            index=models.Index(condition=models.Q(('mailbox', ''), _negated=True), fields=['mailbox'], name='hold_by_mailbox'),
        ),
        migrations.RemoveConstraint(
            model_name='finding',
            name='finding_kind_known',
        ),
        migrations.AlterField(
            model_name='finding',
            name='kind',
            field=models.CharField(choices=[('money_without_order', 'Argent sans commande'), ('order_without_money', 'Commande sans argent'), ('amount_differs', 'Montants différents'), ('refund_differs', 'Remboursements différents'), ('dispute_differs', 'Litiges différents'), ('payment_unmatched', "Paiement d'aucune commande")], max_length=20, verbose_name='nature'),
        ),
        migrations.AddConstraint(
            model_name='finding',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['money_without_order', 'order_without_money', 'amount_differs', 'refund_differs', 'dispute_differs', 'payment_unmatched'])), name='finding_kind_known'),
        ),
    ]
