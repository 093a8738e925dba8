import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models

from shop.core.append_only import append_only, changeable

WHEN_BOOKED = "UPDATE orders_ledgerentry SET occurred_at = created_at"


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0012_refund_labels'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        changeable('orders_ledgerentry'),
        changeable('orders_withdrawal'),
        migrations.CreateModel(
            name='CardChange',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('open', 'En cours'), ('done', 'Carte remplacée'), ('closed', 'Abandonné')], default='open', max_length=6, verbose_name='état')),
                ('session_id', models.CharField(blank=True, max_length=255, null=True, unique=True)),
                ('session_url', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='demandé le')),
                ('expires_at', models.DateTimeField(verbose_name="valable jusqu'à")),
                ('settled_at', models.DateTimeField(blank=True, null=True, verbose_name='terminé le')),
            ],
            options={
                'verbose_name': 'changement de carte',
                'verbose_name_plural': 'changements de carte',
                'ordering': ('-created_at',),
            },
        ),
        migrations.AlterModelOptions(
            name='ledgerentry',
            options={'ordering': ('occurred_at', 'pk'), 'verbose_name': 'écriture', 'verbose_name_plural': 'grand livre'},
        ),
        migrations.AddField(
            model_name='ledgerentry',
            name='occurred_at',
            field=models.DateTimeField(default=django.utils.timezone.now, verbose_name='mouvement du'),
        ),
        # What is known of the movements so far is when the shop booked them.
        migrations.RunSQL(WHEN_BOOKED, migrations.RunSQL.noop),
        migrations.AddField(
            model_name='refund',
            name='method',
            field=models.CharField(choices=[('card', 'Sur la carte'), ('transfer', 'Par virement')], default='card', max_length=8, verbose_name='moyen'),
        ),
        migrations.AddField(
            model_name='refund',
            name='transfer_reference',
            field=models.CharField(blank=True, max_length=100, verbose_name='référence du virement'),
        ),
        migrations.AddField(
            model_name='withdrawal',
            name='channel',
            field=models.CharField(choices=[('site', 'Sur le site'), ('letter', 'Par courrier'), ('mail', 'Par e-mail'), ('other', 'Autrement')], default='site', max_length=6, verbose_name='reçue'),
        ),
        migrations.AddField(
            model_name='withdrawal',
            name='filed_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='enregistrée par'),
        ),
        migrations.AddField(
            model_name='withdrawal',
            name='sent_on',
            field=models.DateField(blank=True, null=True, verbose_name='envoyée le'),
        ),
        migrations.AlterField(
            model_name='ledgerentry',
            name='created_at',
            field=models.DateTimeField(default=django.utils.timezone.now, verbose_name='écrit le'),
        ),
        migrations.AddIndex(
            model_name='ledgerentry',
            index=models.Index(fields=['occurred_at'], name='ledger_by_day'),
        ),
        migrations.AddConstraint(
            model_name='refund',
            constraint=models.CheckConstraint(condition=models.Q(('method__in', ['card', 'transfer'])), name='refund_method_known'),
        ),
        migrations.AddConstraint(
            model_name='withdrawal',
            constraint=models.CheckConstraint(condition=models.Q(('channel__in', ['site', 'letter', 'mail', 'other'])), name='withdrawal_channel_known'),
        ),
        migrations.AddField(
            model_name='cardchange',
            name='order',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='card_changes', to='orders.order'),
        ),
        migrations.AddConstraint(
            model_name='cardchange',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('order',), name='card_change_one_open_an_order'),
        ),
        migrations.AddConstraint(
            model_name='cardchange',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['open', 'done', 'closed'])), name='card_change_state_known'),
        ),
        append_only('orders_ledgerentry'),
        append_only('orders_withdrawal'),
    ]
