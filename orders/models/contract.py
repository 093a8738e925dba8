"""The contract of an order as it was concluded, on a durable medium (L221-13, L213-1)."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from orders.models.order import Order
from shop.core.languages import SOURCE_LANGUAGE


class Contract(models.Model):
    """What was agreed, frozen when the payment is verified. The database refuses to change or delete it.

    `data` holds every text and amount that the document prints but the terms of sale, which `terms_version` names.
    """

    order = models.OneToOneField(
        Order, verbose_name=_("commande"), on_delete=models.PROTECT, related_name="contract"
    )
    terms_version = models.CharField(_("version des conditions acceptées"), max_length=40)
    language = models.CharField(_("langue"), max_length=5, default=SOURCE_LANGUAGE)
    data = models.JSONField(_("contenu"))
    created_at = models.DateTimeField(_("conclu le"), default=timezone.now)

    class Meta:
        verbose_name = _("contrat")
        verbose_name_plural = _("contrats")
        ordering = ("-created_at",)
        indexes = (models.Index(fields=("created_at",), name="contract_created"),)

    def __str__(self) -> str:
        return str(self.order)


class ContractDocument(models.Model):
    """The typeset PDF/A-3 of a contract, made once from its data; the database refuses to change or delete it."""

    contract = models.OneToOneField(
        Contract, on_delete=models.PROTECT, related_name="document", verbose_name=_("contrat")
    )
    pdf = models.BinaryField(_("fichier PDF"))
    sha256 = models.CharField(_("empreinte SHA-256"), max_length=64)
    created_at = models.DateTimeField(_("fait le"), default=timezone.now)

    class Meta:
        verbose_name = _("document du contrat")
        verbose_name_plural = _("documents des contrats")

    def __str__(self) -> str:
        return f"{self.contract}.pdf"
