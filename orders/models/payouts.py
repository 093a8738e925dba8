"""What the payment provider kept and paid out, and what the bank's statement says of it."""

from decimal import Decimal

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from orders.models.payment import PROVIDER_ID


class PayoutState(models.TextChoices):
    """The provider's own statuses."""

    PENDING = "pending", _("En préparation")
    IN_TRANSIT = "in_transit", _("En route")
    PAID = "paid", _("Versé")
    FAILED = "failed", _("Rejeté")
    CANCELLED = "canceled", _("Annulé")


class Payout(models.Model):
    """A transfer of the provider's to the bank account, negative when it collects there. Differences that somebody
    explained have `closed_at`."""

    provider_id = models.CharField(_("versement chez le prestataire"), max_length=PROVIDER_ID, unique=True)
    amount = models.DecimalField(_("montant (€)"), max_digits=12, decimal_places=2)
    state = models.CharField(_("état"), max_length=12, choices=PayoutState.choices)
    is_automatic = models.BooleanField(_("automatique"), default=True)
    reference = models.CharField(_("référence bancaire"), max_length=PROVIDER_ID, blank=True)
    created_at = models.DateTimeField(_("créé le"))
    arrives_on = models.DateField(_("attendu le"))
    closed_at = models.DateTimeField(_("clos le"), null=True, blank=True)
    closed_reason = models.CharField(_("motif"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("versement")
        verbose_name_plural = _("versements")
        ordering = ("-created_at", "-pk")
        indexes = (models.Index(fields=("arrives_on",), name="payout_by_day"),)

    def __str__(self) -> str:
        return self.provider_id


class BalanceMovement(models.Model):
    """A line of the account at the provider: what moved (`amount`, signed) and what it kept of it (`fee`)."""

    provider_id = models.CharField(_("ligne chez le prestataire"), max_length=PROVIDER_ID, unique=True)
    kind = models.CharField(_("nature"), max_length=60)
    amount = models.DecimalField(_("montant (€)"), max_digits=12, decimal_places=2)
    fee = models.DecimalField(_("frais (€)"), max_digits=12, decimal_places=2, default=Decimal("0.00"))
    source_id = models.CharField(_("objet"), max_length=PROVIDER_ID, blank=True)
    occurred_at = models.DateTimeField(_("mouvement du"))
    available_at = models.DateTimeField(_("disponible le"))
    payout = models.ForeignKey(
        Payout,
        verbose_name=_("versement"),
        on_delete=models.PROTECT,
        related_name="movements",
        null=True,
        blank=True,
    )

    class Meta:
        verbose_name = _("mouvement du compte Stripe")
        verbose_name_plural = _("mouvements du compte Stripe")
        ordering = ("occurred_at", "pk")
        indexes = (models.Index(fields=("occurred_at",), name="balance_by_day"),)

    def __str__(self) -> str:
        return self.provider_id


class BankLine(models.Model):
    """A line of the bank's statement that concerns the provider. `digest` is of its content and of its place among
    equal lines: a statement that is read twice adds nothing."""

    booked_on = models.DateField(_("date"))
    label = models.CharField(_("libellé"), max_length=300)
    amount = models.DecimalField(_("montant (€)"), max_digits=12, decimal_places=2)
    digest = models.CharField(_("empreinte"), max_length=64, unique=True)
    payout = models.OneToOneField(
        Payout,
        verbose_name=_("versement"),
        on_delete=models.PROTECT,
        related_name="bank_line",
        null=True,
        blank=True,
    )
    imported_at = models.DateTimeField(_("lue le"), default=timezone.now)
    closed_at = models.DateTimeField(_("close le"), null=True, blank=True)
    closed_reason = models.CharField(_("motif"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("ligne de relevé")
        verbose_name_plural = _("lignes de relevé")
        ordering = ("-booked_on", "-pk")

    def __str__(self) -> str:
        return f"{self.booked_on:%d/%m/%Y} {self.label}"
