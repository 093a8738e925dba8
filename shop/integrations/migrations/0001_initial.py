

import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='WebhookDelivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('queued', 'En attente'), ('sending', "En cours d'envoi"), ('succeeded', 'Reçu'), ('failed', 'Échec')], default='queued', max_length=10, verbose_name='état')),
                ('attempts', models.PositiveSmallIntegerField(default=0, verbose_name='tentatives')),
                ('next_attempt_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='prochaine tentative')),
                ('lease_until', models.DateTimeField(null=True, verbose_name="réservé jusqu'à")),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='créé le')),
            ],
            options={'ordering': ("-created_at", "-pk"), 'verbose_name': "envoi d'un webhook", 'verbose_name_plural': "envois des webhooks"},
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80, verbose_name='nom')),
                ('prefix', models.CharField(editable=False, max_length=12, unique=True, verbose_name='début de la clé')),
                ('secret_hash', models.CharField(editable=False, max_length=64)),
                ('scopes', models.JSONField(default=list, verbose_name='droits')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='créée le')),
                ('last_used_at', models.DateTimeField(editable=False, null=True, verbose_name='dernier usage')),
                ('revoked_at', models.DateTimeField(editable=False, null=True, verbose_name='révoquée le')),
                ('created_by', models.ForeignKey(blank=True, help_text='Vide\xa0: par une commande sur le serveur.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='créée par')),
            ],
            options={
                'verbose_name': "clé d'API",
                'verbose_name_plural': "clés d'API",
                'ordering': ('revoked_at', '-created_at', '-pk'),
            },
        ),
        migrations.CreateModel(
            name='WebhookAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date')),
                ('milliseconds', models.PositiveIntegerField(default=0, verbose_name='durée (ms)')),
                ('status', models.PositiveSmallIntegerField(null=True, verbose_name='réponse')),
                ('answer', models.TextField(blank=True, verbose_name='début de la réponse')),
                ('failure', models.CharField(blank=True, max_length=40, verbose_name='erreur')),
                ('delivery', models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="log",
                        to="integrations.webhookdelivery",
                        verbose_name="envoi",
                    )),
            ],
            options={'ordering': ("-started_at", "-pk"), 'verbose_name': "tentative d'envoi", 'verbose_name_plural': "tentatives d'envoi"},
        ),
        migrations.CreateModel(
            name='WebhookEndpoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=2000, verbose_name='adresse')),
                ('description', models.CharField(blank=True, max_length=120, verbose_name='description')),
                ('kinds', models.JSONField(default=list, verbose_name='évènements')),
                ('is_active', models.BooleanField(default=True, verbose_name='active')),
                ('paused_at', models.DateTimeField(editable=False, null=True, verbose_name='mise en pause le')),
                ('secret', models.TextField(editable=False)),
                ('former_secret', models.TextField(blank=True, default='', editable=False)),
                ('former_secret_until', models.DateTimeField(
                        editable=False, null=True, verbose_name="ancien secret valable jusqu'à"
                    )),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='créé le')),
                ('created_by', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='créé par')),
            ],
            options={
                'verbose_name': 'webhook',
                'verbose_name_plural': 'webhooks',
                'ordering': ('-created_at', '-pk'),
            },
        ),
        migrations.AddField(
            model_name='webhookdelivery',
            name='endpoint',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='integrations.webhookendpoint'),
        ),
        migrations.CreateModel(
            name='WebhookEvent',
            fields=[
                ('id', models.UUIDField(
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                        verbose_name="clé",
                    )),
                ('kind', models.CharField(choices=[('order.confirmed', 'Commande payée'), ('order.status_changed', "Statut d'une commande changé"), ('stock.changed', 'Stock changé'), ('product.created', 'Produit créé'), ('product.updated', 'Produit modifié'), ('product.deleted', 'Produit supprimé'), ('webhook.test', 'Essai')], max_length=40, verbose_name='évènement')),
                ('subject', models.CharField(max_length=80, verbose_name='objet')),
                ('data', models.JSONField(verbose_name='données')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='créé le')),
                ('dispatched_at', models.DateTimeField(null=True, verbose_name="réparti le")),
                ('endpoint', models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="integrations.webhookendpoint",
                        verbose_name="webhook",
                    )),
            ],
            options={'ordering': ("-created_at", "-pk"), 'verbose_name': "évènement d'un webhook", 'verbose_name_plural': "évènements des webhooks"},
        ),
        migrations.AddField(
            model_name='webhookdelivery',
            name='event',
            field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="integrations.webhookevent",
                        verbose_name="évènement",
                    ),
        ),
        migrations.CreateModel(
            name='RepeatedCall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('idempotency_key', models.CharField(max_length=200, verbose_name="clé d'idempotence")),
                ('fingerprint', models.CharField(max_length=64)),
                ('subject_id', models.BigIntegerField(null=True, verbose_name="ligne trouvée ou faite")),
                ('created_at', models.DateTimeField(
                        db_index=True, default=django.utils.timezone.now, verbose_name="reçu le"
                    )),
                ('api_key', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='integrations.apikey')),
            ],
            options={'constraints': [models.UniqueConstraint(fields=('api_key', 'idempotency_key'), name='repeated_call_once')], 'verbose_name': "appel répété", 'verbose_name_plural': "appels répétés"},
        ),
        migrations.AddIndex(
            model_name='webhookevent',
            index=models.Index(condition=models.Q(('dispatched_at__isnull', True)), fields=['subject'], name='event_waiting'),
        ),
        migrations.AddIndex(
            model_name='webhookevent',
            index=models.Index(fields=['created_at'], name='event_created'),
        ),
        migrations.AddConstraint(
            model_name='webhookevent',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['order.confirmed', 'order.status_changed', 'stock.changed', 'product.created', 'product.updated', 'product.deleted', 'webhook.test'])), name='event_kind_known'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(condition=models.Q(('state__in', ('queued', 'sending'))), fields=['next_attempt_at'], name='delivery_due'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(fields=['endpoint', '-created_at', '-id'], name='delivery_newest'),
        ),
        migrations.AddConstraint(
            model_name='webhookdelivery',
            constraint=models.UniqueConstraint(fields=('endpoint', 'event'), name='delivery_once'),
        ),
        migrations.AddConstraint(
            model_name='webhookdelivery',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'sending', 'succeeded', 'failed'])), name='delivery_state_known'),
        ),
    ]
