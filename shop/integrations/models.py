"""Keys of programs that call the shop, and what the shop reports to programs of others."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from shop.core.dates import shop_day


class Scope(models.TextChoices):
    """What a key opens."""

    READ_PRODUCTS = "products:read", _("Lire les produits")
    WRITE_PRODUCTS = "products:write", _("Créer et modifier des produits")
    READ_STOCK = "stock:read", _("Lire le stock")
    READ_ORDERS = "orders:read", _("Lire les commandes, avec les coordonnées des clients")


class ApiKey(models.Model):
    """A key of a program. `prefix` finds it and is shown; of the secret only a hash is stored.

    Write it through `shop.integrations.keys`.
    """

    name = models.CharField(_("nom"), max_length=80)
    prefix = models.CharField(_("début de la clé"), max_length=12, unique=True, editable=False)
    secret_hash = models.CharField(max_length=64, editable=False)
    scopes = models.JSONField(_("droits"), default=list)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("créée par"),
        help_text=_("Vide\u00a0: par une commande sur le serveur."),
    )
    created_at = models.DateTimeField(_("créée le"), default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(_("dernier usage"), null=True, editable=False)
    revoked_at = models.DateTimeField(_("révoquée le"), null=True, editable=False)
    last_day = models.DateField(_("jusqu'au"), null=True, editable=False)

    objects: ClassVar[models.Manager[ApiKey]] = models.Manager()
    _default_manager: ClassVar[models.Manager[ApiKey]]

    class Meta:
        verbose_name = _("clé d'API")
        verbose_name_plural = _("clés d'API")
        ordering = ("revoked_at", "-created_at", "-pk")

    def __str__(self) -> str:
        return self.name

    @property
    def is_over(self) -> bool:
        """Whether its last day has passed."""
        return self.last_day is not None and self.last_day < shop_day(timezone.now())

    @property
    def scope_labels(self) -> list[str]:
        return [str(Scope(scope).label) for scope in self.scopes if scope in Scope.values]


class RepeatedCall(models.Model):
    """A call that a program, or a page of the staff, marked with an `Idempotency-Key`: its repetition finds what the
    first one made."""

    api_key = models.ForeignKey(
        ApiKey,
        on_delete=models.CASCADE,
        related_name="+",
        null=True,
        db_index=False,
        verbose_name=_("clé d'API"),
    )
    idempotency_key = models.CharField(_("clé d'idempotence"), max_length=200)
    fingerprint = models.CharField(max_length=64)
    subject_id = models.BigIntegerField(_("ligne trouvée ou faite"), null=True)
    created_at = models.DateTimeField(_("reçu le"), default=timezone.now, db_index=True)

    objects: ClassVar[models.Manager[RepeatedCall]] = models.Manager()
    _default_manager: ClassVar[models.Manager[RepeatedCall]]

    class Meta:
        verbose_name = _("appel répété")
        verbose_name_plural = _("appels répétés")
        constraints = (
            models.UniqueConstraint(fields=("api_key", "idempotency_key"), name="repeated_call_once"),
            # To SQL two nulls differ.
            models.UniqueConstraint(
                fields=("idempotency_key",), condition=Q(api_key=None), name="repeated_staff_call_once"
            ),
        )

    def __str__(self) -> str:
        return self.idempotency_key


class EventKind(models.TextChoices):
    """What is reported. The names are public: they are added to, and never change."""

    ORDER_CONFIRMED = "order.confirmed", _("Commande payée")
    ORDER_STATUS_CHANGED = "order.status_changed", _("Statut d'une commande changé")
    ORDER_REFUNDED = "order.refunded", _("Remboursement d'une commande")
    STOCK_CHANGED = "stock.changed", _("Stock changé")
    PRODUCT_CREATED = "product.created", _("Produit créé")
    PRODUCT_UPDATED = "product.updated", _("Produit modifié")
    PRODUCT_DELETED = "product.deleted", _("Produit supprimé")
    TEST = "webhook.test", _("Essai")


CHOSEN_KINDS = tuple(kind for kind in EventKind if kind != EventKind.TEST)
"""Those that an endpoint may ask for; the test is sent by its button alone."""


class WebhookEndpoint(models.Model):
    """An address of somebody else that is called when something happens. Secrets are encrypted.

    `paused_at` is set by the shop after a day of failures; `is_active` is the switch of staff. What happens meanwhile
    waits. Write it through `shop.integrations.endpoints`.
    """

    url = models.CharField(_("adresse"), max_length=2000)
    description = models.CharField(_("description"), max_length=120, blank=True)
    kinds = models.JSONField(_("évènements"), default=list)
    is_active = models.BooleanField(_("active"), default=True)
    paused_at = models.DateTimeField(_("mise en pause le"), null=True, editable=False)
    secret = models.TextField(editable=False)
    former_secret = models.TextField(blank=True, default="", editable=False)
    former_secret_until = models.DateTimeField(_("ancien secret valable jusqu'à"), null=True, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        verbose_name=_("créé par"),
    )
    created_at = models.DateTimeField(_("créé le"), default=timezone.now, editable=False)

    objects: ClassVar[models.Manager[WebhookEndpoint]] = models.Manager()
    _default_manager: ClassVar[models.Manager[WebhookEndpoint]]

    class Meta:
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return self.description or self.url

    @property
    def kind_labels(self) -> list[str]:
        return [str(EventKind(kind).label) for kind in self.kinds if kind in EventKind.values]


class WebhookEvent(models.Model):
    """Something that happened, written in its transaction. `data` is what receivers read.

    `dispatched_at` is set when its deliveries are written; until then a later change of the same subject replaces
    `data`. `endpoint` is set for a test, which goes to one alone.
    """

    id = models.UUIDField(_("clé"), primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(_("évènement"), max_length=40, choices=EventKind.choices)
    subject = models.CharField(_("objet"), max_length=80)
    data = models.JSONField(_("données"))
    endpoint = models.ForeignKey(
        WebhookEndpoint,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("webhook"),
    )
    created_at = models.DateTimeField(_("créé le"), default=timezone.now)
    dispatched_at = models.DateTimeField(_("réparti le"), null=True)

    objects: ClassVar[models.Manager[WebhookEvent]] = models.Manager()
    _default_manager: ClassVar[models.Manager[WebhookEvent]]

    class Meta:
        verbose_name = _("évènement d'un webhook")
        verbose_name_plural = _("évènements des webhooks")
        ordering = ("-created_at", "-pk")
        indexes = (
            models.Index(fields=("subject",), name="event_waiting", condition=Q(dispatched_at__isnull=True)),
            models.Index(fields=("created_at",), name="event_created"),
        )
        constraints = (
            models.CheckConstraint(condition=Q(kind__in=EventKind.values), name="event_kind_known"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class DeliveryState(models.TextChoices):
    QUEUED = "queued", _("En attente")
    SENDING = "sending", _("En cours d'envoi")
    SUCCEEDED = "succeeded", _("Reçu")
    FAILED = "failed", _("Échec")


class WebhookDelivery(models.Model):
    """One event for one endpoint: the row is the truth, and a message to Celery only starts the call sooner."""

    endpoint = models.ForeignKey(
        WebhookEndpoint,
        on_delete=models.CASCADE,
        related_name="deliveries",
        db_index=False,
        verbose_name=_("webhook"),
    )
    event = models.ForeignKey(
        WebhookEvent, on_delete=models.CASCADE, related_name="deliveries", verbose_name=_("évènement")
    )
    state = models.CharField(
        _("état"), max_length=10, choices=DeliveryState.choices, default=DeliveryState.QUEUED
    )
    attempts = models.PositiveSmallIntegerField(_("tentatives"), default=0)
    next_attempt_at = models.DateTimeField(_("prochaine tentative"), default=timezone.now)
    lease_until = models.DateTimeField(_("réservé jusqu'à"), null=True)
    created_at = models.DateTimeField(_("créé le"), default=timezone.now)

    objects: ClassVar[models.Manager[WebhookDelivery]] = models.Manager()
    _default_manager: ClassVar[models.Manager[WebhookDelivery]]

    class Meta:
        verbose_name = _("envoi d'un webhook")
        verbose_name_plural = _("envois des webhooks")
        ordering = ("-created_at", "-pk")
        indexes = (
            models.Index(
                fields=("next_attempt_at",),
                name="delivery_due",
                condition=Q(state__in=("queued", "sending")),
            ),
            models.Index(fields=("endpoint", "-created_at", "-id"), name="delivery_newest"),
        )
        constraints = (
            models.UniqueConstraint(fields=("endpoint", "event"), name="delivery_once"),
            models.CheckConstraint(condition=Q(state__in=DeliveryState.values), name="delivery_state_known"),
        )

    def __str__(self) -> str:
        return f"{self.event_id} → {self.endpoint_id}"


class WebhookAttempt(models.Model):
    """One call: what came back, or why nothing did."""

    delivery = models.ForeignKey(
        WebhookDelivery, on_delete=models.CASCADE, related_name="log", verbose_name=_("envoi")
    )
    started_at = models.DateTimeField(_("date"), default=timezone.now)
    milliseconds = models.PositiveIntegerField(_("durée (ms)"), default=0)
    status = models.PositiveSmallIntegerField(_("réponse"), null=True)
    answer = models.TextField(_("début de la réponse"), blank=True)
    failure = models.CharField(_("erreur"), max_length=40, blank=True)

    objects: ClassVar[models.Manager[WebhookAttempt]] = models.Manager()
    _default_manager: ClassVar[models.Manager[WebhookAttempt]]

    class Meta:
        verbose_name = _("tentative d'envoi")
        verbose_name_plural = _("tentatives d'envoi")
        ordering = ("-started_at", "-pk")

    def __str__(self) -> str:
        return str(self.status or self.failure)
