"""The card that a customer left with the payment provider for the later parts of an order, and its replacement."""

import uuid
from datetime import date

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from orders.models.order import Order
from orders.models.payment import PROVIDER_ID


class StoredCard(models.Model):
    """Which card the later installments of an order are charged to. The number itself never reaches the shop."""

    order = models.OneToOneField(
        Order, verbose_name=_("commande"), on_delete=models.PROTECT, related_name="card"
    )
    customer_id = models.CharField(_("client chez Stripe"), max_length=PROVIDER_ID)
    payment_method_id = models.CharField(_("carte chez Stripe"), max_length=PROVIDER_ID)
    brand = models.CharField(_("réseau"), max_length=30, blank=True)
    last4 = models.CharField(_("quatre derniers chiffres"), max_length=4, blank=True)
    expiry_month = models.PositiveSmallIntegerField(_("mois d'expiration"), null=True, blank=True)
    expiry_year = models.PositiveSmallIntegerField(_("année d'expiration"), null=True, blank=True)
    refused_code = models.CharField(
        _("refusée pour toujours"),
        max_length=60,
        blank=True,
        help_text=_("Le code de la banque qui interdit tout nouvel essai sur cette carte."),
    )
    forgotten_at = models.DateTimeField(_("effacée le"), null=True, blank=True)
    kept_at = models.DateTimeField(_("enregistrée le"), default=timezone.now)

    class Meta:
        verbose_name = _("carte enregistrée")
        verbose_name_plural = _("cartes enregistrées")

    def __str__(self) -> str:
        return f"{self.brand} •••• {self.last4}"

    def ends_before(self, day: date) -> bool:
        """Return whether the card ends in a month before that of `day`; False when its end is not known."""
        if not self.expiry_year:
            return False
        return (self.expiry_year, self.expiry_month or 12) < (day.year, day.month)


class DiscardedCustomer(models.Model):
    """A customer that the provider must delete, with their address and cards: their order was erased (GDPR art. 17).

    The row goes once the provider has done so.
    """

    customer_id = models.CharField(_("client chez Stripe"), max_length=PROVIDER_ID, unique=True)
    discarded_at = models.DateTimeField(_("à effacer depuis"), default=timezone.now)

    class Meta:
        verbose_name = _("client à effacer chez Stripe")
        verbose_name_plural = _("clients à effacer chez Stripe")

    def __str__(self) -> str:
        return self.customer_id


class DiscardedCard(models.Model):
    """A card that the provider must delete: another one took its place, or it was left for nothing.

    Written with the change that makes it useless, so that a provider that is away only delays its end.
    """

    order = models.ForeignKey(
        Order, on_delete=models.PROTECT, related_name="discarded_cards", verbose_name=_("commande")
    )
    payment_method_id = models.CharField(_("carte chez Stripe"), max_length=PROVIDER_ID, unique=True)
    discarded_at = models.DateTimeField(_("remplacée le"), default=timezone.now)
    deleted_at = models.DateTimeField(_("effacée le"), null=True, blank=True)

    class Meta:
        verbose_name = _("carte à effacer")
        verbose_name_plural = _("cartes à effacer")
        indexes = (
            models.Index(
                fields=("discarded_at",), name="discarded_card_waiting", condition=Q(deleted_at__isnull=True)
            ),
        )

    def __str__(self) -> str:
        return self.payment_method_id


class CardChangeState(models.TextChoices):
    """`closed` stored no card: it expired, did not fit, or no card was needed any more."""

    OPEN = "open", _("En cours")
    DONE = "done", _("Carte remplacée")
    CLOSED = "closed", _("Abandonné")


class CardChange(models.Model):
    """A page of the provider on which a customer leaves another card, without paying anything.

    Written before the provider is asked, with a key of its own; at most one is open for an order. What the page says
    (`mandate_text`) and whose card it stores (`customer_id`, "" for a new customer) are stored as they were asked: the
    same key must ask for the same.
    """

    id = models.UUIDField(_("clé"), primary_key=True, default=uuid.uuid4, editable=False)
    order = models.ForeignKey(
        Order, on_delete=models.PROTECT, related_name="card_changes", verbose_name=_("commande")
    )
    state = models.CharField(
        _("état"), max_length=6, choices=CardChangeState.choices, default=CardChangeState.OPEN
    )
    customer_id = models.CharField(_("client chez Stripe"), max_length=PROVIDER_ID, blank=True)
    mandate_text = models.TextField(_("autorisation de prélèvement acceptée"))
    checkout_session_id = models.CharField(
        _("page de paiement chez Stripe"), max_length=PROVIDER_ID, unique=True, null=True, blank=True
    )
    checkout_session_url = models.TextField(_("adresse de cette page"), blank=True)
    created_at = models.DateTimeField(_("demandé le"), default=timezone.now)
    expires_at = models.DateTimeField(_("valable jusqu'à"))
    settled_at = models.DateTimeField(_("terminé le"), null=True, blank=True)

    class Meta:
        verbose_name = _("changement de carte")
        verbose_name_plural = _("changements de carte")
        ordering = ("-created_at",)
        constraints = (
            models.UniqueConstraint(
                fields=("order",), condition=Q(state="open"), name="card_change_one_open_an_order"
            ),
            models.CheckConstraint(
                condition=Q(state__in=CardChangeState.values), name="card_change_state_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.order} · {self.get_state_display()}"

    @property
    def idempotency_key(self) -> str:
        """The provider's idempotency key: one a demand."""
        return f"card-{self.pk}"
