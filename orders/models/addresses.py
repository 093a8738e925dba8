"""Who ordered, where the parcel goes and who is billed, as the customer wrote it."""

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

GIFT_MESSAGE_LENGTH = 300


def _optional(label: Any, length: int) -> "models.CharField[str, str]":
    return models.CharField(label, max_length=length, blank=True, default="", db_default="")


class OrderAddresses(models.Model):
    """The personal columns of an order.

    `address` to `custom_country` are those of the delivery. Empty `billing_*` columns mean that the customer is billed
    there too; empty `gift_*` ones that the customer receives the parcel.
    """

    email = models.EmailField(_("e-mail"))
    first_name = models.CharField(_("prénom"), max_length=100)
    last_name = models.CharField(pgettext_lazy("person", "nom"), max_length=100)
    address = models.CharField(_("adresse"), max_length=250)
    postal_code = models.CharField(_("code postal"), max_length=20)
    city = models.CharField(_("ville"), max_length=100)
    country = models.CharField(_("pays (ISO 3166-1)"), max_length=2)
    custom_country = models.CharField(_("autre pays"), max_length=60, blank=True)
    phone = models.CharField(_("téléphone"), max_length=40, blank=True)
    notes = models.TextField(_("notes du client"), max_length=2000, blank=True)

    billing_name = _optional(_("facturée à"), 200)
    billing_company = _optional(_("société"), 120)
    billing_company_number = _optional(_("SIREN, SIRET ou n° de TVA"), 20)
    billing_address = _optional(_("adresse de facturation"), 250)
    billing_postal_code = _optional(_("code postal de facturation"), 20)
    billing_city = _optional(_("ville de facturation"), 100)
    billing_country = _optional(_("pays de facturation (ISO 3166-1)"), 2)
    billing_custom_country = _optional(_("autre pays de facturation"), 60)

    gift_recipient = _optional(_("cadeau pour"), 200)
    gift_message = models.TextField(
        _("message du cadeau"), max_length=GIFT_MESSAGE_LENGTH, blank=True, default="", db_default=""
    )

    class Meta:
        abstract = True

    @property
    def customer_name(self) -> str:
        return f"{self.first_name} {self.last_name}".strip()

    @property
    def recipient_name(self) -> str:
        """Whose name is on the parcel."""
        return self.gift_recipient or self.customer_name

    @property
    def is_gift(self) -> bool:
        return bool(self.gift_recipient)

    @property
    def has_own_billing(self) -> bool:
        """Whether the customer is billed at an address of its own."""
        return bool(self.billing_name)
