"""Years whose legal period is over: what they add up to stays, and the triggers let their rows go. The journal of an
order is only added to as well, but for what an erasure takes out."""

import django.utils.timezone
from django.db import migrations, models

from shop.core.append_only import append_only


def over(column: str) -> str:
    return f"EXISTS (SELECT 1 FROM orders_purgedyear AS over WHERE OLD.{column} < over.ends_at)"


DELETED_IF = {
    "orders_ledgerentry": over("occurred_at"),
    "orders_invoice": over("issued_at"),
    "orders_invoicedocument": over("created_at"),
    "orders_withdrawal": over("declared_at"),
    "orders_withdrawalline": (
        "EXISTS (SELECT 1 FROM orders_withdrawal AS declared JOIN orders_purgedyear AS over "
        "ON declared.declared_at < over.ends_at WHERE declared.id = OLD.withdrawal_id)"
    ),
}
# Words about a person go when their order is erased, which the journal itself says first; who did it may be unknown.
EVENT_CHANGED_IF = (
    "NEW.id = OLD.id AND NEW.order_id = OLD.order_id AND NEW.name = OLD.name AND NEW.created_at = OLD.created_at "
    "AND (NEW.actor_id IS NULL OR NEW.actor_id = OLD.actor_id) "
    "AND (NEW.data = OLD.data OR EXISTS (SELECT 1 FROM orders_orderevent AS erased "
    "WHERE erased.order_id = OLD.order_id AND erased.name = 'order.personal_data_erased'))"
)
# With an order that no money ever moved for.
EVENT_DELETED_IF = "NOT EXISTS (SELECT 1 FROM orders_ledgerentry AS moved WHERE moved.order_id = OLD.order_id)"


def let_go(table: str) -> migrations.RunPython:
    """Reversed, the table refuses everything again."""
    return migrations.RunPython(append_only(table, delete_if=DELETED_IF[table]).code, append_only(table).code)


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0011_line_addresses'),
    ]

    operations = [
        migrations.CreateModel(
            name='PurgedYear',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('year', models.PositiveSmallIntegerField(unique=True, verbose_name='année')),
                ('ends_at', models.DateTimeField(verbose_name='close le')),
                ('last_number', models.PositiveIntegerField(verbose_name='dernier numéro')),
                ('last_hash', models.CharField(blank=True, max_length=64, verbose_name='dernière empreinte')),
                ('total', models.DecimalField(decimal_places=2, max_digits=14, verbose_name='total des documents (€)')),
                ('movements', models.PositiveIntegerField(verbose_name="mouvements d'argent")),
                ('moved', models.DecimalField(decimal_places=2, max_digits=14, verbose_name='argent reçu, moins rendu (€)')),
                ('purged_orders', models.PositiveIntegerField(verbose_name='commandes effacées')),
                ('purged_documents', models.PositiveIntegerField(verbose_name='documents effacés')),
                ('purged_total', models.DecimalField(decimal_places=2, max_digits=14, verbose_name='leur total (€)')),
                ('purged_movements', models.PositiveIntegerField(verbose_name='mouvements effacés')),
                ('purged_moved', models.DecimalField(decimal_places=2, max_digits=14, verbose_name='leur somme (€)')),
                ('purged_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='effacée le')),
            ],
            options={
                'verbose_name': 'année effacée',
                'verbose_name_plural': 'années effacées',
                'ordering': ('year',),
            },
        ),
        append_only('orders_purgedyear'),
        *(let_go(table) for table in DELETED_IF),
        append_only('orders_orderevent', update_if=EVENT_CHANGED_IF, delete_if=EVENT_DELETED_IF),
    ]
