"""The numbers under which the accounts are kept (plan comptable général)."""

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class AccountRole(models.TextChoices):
    """What an account is for."""

    CUSTOMERS = "customers", _("Clients")
    SALES = "sales", _("Ventes de marchandises")
    REDUCTIONS = "reductions", _("Rabais, remises et ristournes accordés")
    SHIPPING = "shipping", _("Frais de port facturés")
    VAT = "vat", _("TVA française collectée")
    OSS_VAT = "oss_vat", _("TVA d'autres pays collectée (OSS)")
    PROVIDER = "provider", _("Compte chez le prestataire de paiement")
    BANK = "bank", _("Banque")
    FEES = "fees", _("Frais du prestataire de paiement")
    OWNER = "owner", _("Compte de l'exploitant")


DEFAULT_NUMBERS = {
    AccountRole.CUSTOMERS: ("411000", "Clients"),
    AccountRole.SALES: ("707000", "Ventes de marchandises"),
    AccountRole.REDUCTIONS: ("709700", "RRR accordés sur ventes de marchandises"),
    AccountRole.SHIPPING: ("708500", "Ports et frais accessoires facturés"),
    AccountRole.VAT: ("445710", "TVA collectée"),
    AccountRole.OSS_VAT: ("445715", "TVA collectée, guichet unique"),
    AccountRole.PROVIDER: ("517000", "Stripe"),
    AccountRole.BANK: ("512000", "Banque"),
    AccountRole.FEES: ("627000", "Services bancaires et assimilés"),
    AccountRole.OWNER: ("108000", "Compte de l'exploitant"),
}


class AccountNumber(models.Model):
    """The number and name of an account, as the owner's accountant wants them."""

    role = models.CharField(_("rôle"), max_length=12, choices=AccountRole.choices, unique=True)
    number = models.CharField(
        _("numéro de compte"),
        max_length=12,
        validators=[
            RegexValidator(r"\A[1-7][0-9A-Z]{2,11}\Z", _("Un chiffre de 1 à 7, puis au moins deux autres."))
        ],
    )
    label = models.CharField(_("libellé"), max_length=60)

    class Meta:
        verbose_name = _("numéro de compte")
        verbose_name_plural = _("plan comptable")
        ordering = ("number", "pk")
        constraints = (
            models.CheckConstraint(condition=Q(role__in=AccountRole.values), name="account_role_known"),
        )

    def __str__(self) -> str:
        return f"{self.number} {self.label}"
