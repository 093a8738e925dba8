"""What the accounts rest on besides the ledger: tax rates of other countries, the provider's events, discrepancies."""

from datetime import date

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_countries.fields import CountryField

from orders.models.order import Order
from orders.models.payment import EVENT_KIND, PROVIDER_ID
from shop.core.append_only import AppendOnlyModel

SINCE_EVER = date(2000, 1, 1)


class VatRate(models.Model):
    """A rate of a country of the Union, France included, from a day on: the standard one, or that of a category.

    French rates count once the seller is liable for VAT, those of other countries beyond the threshold of art. 258 A
    CGI too.
    """

    country = CountryField(_("pays"))
    category = models.ForeignKey(
        "catalog.Category",
        verbose_name=_("catégorie"),
        on_delete=models.CASCADE,
        related_name="+",
        null=True,
        blank=True,
        help_text=_("Vide\u00a0: le taux normal du pays."),
    )
    percent = models.DecimalField(_("taux (%)"), max_digits=4, decimal_places=2)
    starts_on = models.DateField(
        _("à partir du"), default=SINCE_EVER, help_text=_("Le plus récent taux déjà en vigueur compte.")
    )

    class Meta:
        verbose_name = _("taux de TVA")
        verbose_name_plural = _("taux de TVA")
        ordering = ("country", "category_id", "-starts_on")
        constraints = (
            models.CheckConstraint(condition=Q(percent__gte=0, percent__lt=100), name="vat_rate_percent"),
            models.UniqueConstraint(
                fields=("country", "starts_on"), condition=Q(category=None), name="vat_rate_standard_once"
            ),
            models.UniqueConstraint(
                fields=("country", "category", "starts_on"), name="vat_rate_of_category_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.country.code} {self.percent} %"


class PurgedYear(AppendOnlyModel):
    """A year of the books whose legal period is over (L123-22 C. com.): only what it adds up to stays.

    The first columns are the year as it stood: its invoice series and its ledger. The `purged_` ones are what went with
    it: the documents and movements of every order that ended in it, or before and was not settled then. What began in
    the year and ended later stays with the later one. The triggers let rows older than `ends_at` be deleted; the audit
    adds up what went and what is left.
    """

    year = models.PositiveSmallIntegerField(_("année"), unique=True)
    ends_at = models.DateTimeField(_("close le"))
    last_number = models.PositiveIntegerField(_("dernier numéro"))
    last_hash = models.CharField(_("dernière empreinte"), max_length=64, blank=True)
    total = models.DecimalField(_("total des documents (€)"), max_digits=14, decimal_places=2)
    movements = models.PositiveIntegerField(_("mouvements d'argent"))
    moved = models.DecimalField(_("argent reçu, moins rendu (€)"), max_digits=14, decimal_places=2)
    purged_orders = models.PositiveIntegerField(_("commandes effacées"))
    purged_documents = models.PositiveIntegerField(_("documents effacés"))
    purged_total = models.DecimalField(_("leur total (€)"), max_digits=14, decimal_places=2)
    purged_movements = models.PositiveIntegerField(_("mouvements effacés"))
    purged_moved = models.DecimalField(_("leur somme (€)"), max_digits=14, decimal_places=2)
    purged_at = models.DateTimeField(_("effacée le"), default=timezone.now)

    class Meta:
        verbose_name = _("année effacée")
        verbose_name_plural = _("années effacées")
        ordering = ("year",)

    def __str__(self) -> str:
        return str(self.year)


class ChainKind(models.TextChoices):
    """What a link of the chain is about."""

    INVOICE = "invoice", _("Facture ou avoir")
    INVOICE_PDF = "invoice_pdf", _("PDF d'une facture")
    CONTRACT_PDF = "contract_pdf", _("PDF d'un contrat")
    MOVEMENT = "movement", _("Mouvement d'argent")


class ChainLink(AppendOnlyModel):
    """A row of the books as it was when it joined the chain: `digest` is the SHA-256 of its columns, `hash` that of the
    link and of the one before. The row may go with its purged year, its link stays."""

    position = models.PositiveBigIntegerField(_("rang"), unique=True)
    kind = models.CharField(_("nature"), max_length=12, choices=ChainKind.choices)
    row_id = models.BigIntegerField(_("clé de la ligne"))
    row_at = models.DateTimeField(_("date de la ligne"))
    digest = models.CharField(_("empreinte de la ligne"), max_length=64)
    hash = models.CharField(_("empreinte"), max_length=64)
    created_at = models.DateTimeField(_("ajouté le"), default=timezone.now)

    class Meta:
        verbose_name = _("maillon de la chaîne des comptes")
        verbose_name_plural = _("chaîne des comptes")
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("kind", "row_id"), name="chain_link_once_a_row"),
            models.CheckConstraint(condition=Q(kind__in=ChainKind.values), name="chain_link_kind_known"),
        )

    def __str__(self) -> str:
        return f"{self.position} {self.hash[:8]}"


class ChainHead(AppendOnlyModel):
    """The last link at the end of a month, as it was mailed to the owner: nobody can rewrite what is in a mailbox."""

    month = models.DateField(_("mois"), unique=True)
    position = models.PositiveBigIntegerField(_("rang"))
    hash = models.CharField(_("empreinte"), max_length=64)
    created_at = models.DateTimeField(_("envoyée le"), default=timezone.now)

    class Meta:
        verbose_name = _("empreinte mensuelle des comptes")
        verbose_name_plural = _("empreintes mensuelles des comptes")
        ordering = ("month",)

    def __str__(self) -> str:
        return f"{self.month:%Y-%m} {self.position}:{self.hash}"


class DiscrepancyKind(models.TextChoices):
    """On what the ledger and the provider's account differ."""

    MONEY_WITHOUT_ORDER = "money_without_order", _("Argent sans commande")
    ORDER_WITHOUT_MONEY = "order_without_money", _("Commande sans argent")
    AMOUNT_DIFFERS = "amount_differs", _("Montants différents")
    REFUND_DIFFERS = "refund_differs", _("Remboursements différents")
    DISPUTE_DIFFERS = "dispute_differs", _("Litiges différents")
    PAYMENT_UNMATCHED = "payment_unmatched", _("Paiement d'aucune commande")


class Discrepancy(models.Model):
    """A movement on which the shop and the payment provider differ, until somebody has looked at it.

    `is_explained`: a person said why it is in order. It is open again once something else is found of the same
    movement, and keeps that `resolution` until the next one.
    """

    kind = models.CharField(_("nature"), max_length=20, choices=DiscrepancyKind.choices)
    provider_id = models.CharField(_("mouvement chez le prestataire"), max_length=PROVIDER_ID)
    order = models.ForeignKey(
        Order,
        verbose_name=_("commande"),
        on_delete=models.PROTECT,
        related_name="discrepancies",
        null=True,
        blank=True,
    )
    amount = models.DecimalField(_("montant (€)"), max_digits=10, decimal_places=2)
    detail = models.CharField(_("détail"), max_length=300, blank=True)
    found_at = models.DateTimeField(_("trouvé le"), default=timezone.now)
    resolved_at = models.DateTimeField(_("réglé le"), null=True, blank=True)
    resolution = models.CharField(_("comment"), max_length=300, blank=True)
    is_explained = models.BooleanField(_("expliqué"), default=False, db_default=False)

    class Meta:
        verbose_name = _("écart de rapprochement")
        verbose_name_plural = _("écarts de rapprochement")
        ordering = ("-found_at",)
        constraints = (
            models.UniqueConstraint(fields=("kind", "provider_id"), name="discrepancy_once"),
            models.CheckConstraint(
                condition=Q(kind__in=DiscrepancyKind.values), name="discrepancy_kind_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.provider_id}"


class StripeEvent(models.Model):
    """An event of the provider, stored before it is processed. The body is a hint: the object is asked for again."""

    event_id = models.CharField(_("évènement"), max_length=PROVIDER_ID, unique=True)
    kind = models.CharField(_("type"), max_length=EVENT_KIND)
    livemode = models.BooleanField(_("argent réel"), default=False)
    body = models.JSONField(_("contenu"))
    received_at = models.DateTimeField(_("reçu le"), default=timezone.now)
    processed_at = models.DateTimeField(_("traité le"), null=True, blank=True)
    tries = models.PositiveSmallIntegerField(_("essais"), default=0)
    error = models.TextField(_("erreur"), blank=True)

    class Meta:
        verbose_name = _("évènement Stripe")
        verbose_name_plural = _("évènements Stripe")
        ordering = ("-received_at", "-pk")
        indexes = (
            models.Index(
                fields=("received_at",), name="event_unprocessed", condition=Q(processed_at__isnull=True)
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.event_id}"
