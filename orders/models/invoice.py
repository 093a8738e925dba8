"""Invoices and credit notes: one unbroken series a year, frozen when issued (art. 242 nonies A CGI ann. II)."""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from orders.models.order import Order
from orders.models.returns import RefundRequest
from shop.core.append_only import AppendOnlyModel
from shop.core.languages import SOURCE_LANGUAGE


class InvoiceSeries(models.Model):
    """The counter of a year. Its row is locked by the transaction that issues, so a rolled back one leaves no gap."""

    year = models.PositiveSmallIntegerField(_("année"), unique=True)
    last_number = models.PositiveIntegerField(_("dernier numéro"), default=0)
    last_hash = models.CharField(_("dernière empreinte"), max_length=64, blank=True)

    class Meta:
        verbose_name = _("série de factures")
        verbose_name_plural = _("séries de factures")

    def __str__(self) -> str:
        return str(self.year)


class InvoiceGap(AppendOnlyModel):
    """Numbers that were given before a backup was brought back, to documents that it does not have: never given again.

    Whoever received such a document has it; `backup` names what was brought back.
    """

    year = models.PositiveSmallIntegerField(_("année"))
    first_number = models.PositiveIntegerField(_("du numéro"))
    last_number = models.PositiveIntegerField(_("au numéro"))
    backup = models.CharField(_("sauvegarde restaurée"), max_length=40)
    recorded_at = models.DateTimeField(_("constaté le"), default=timezone.now)

    class Meta:
        verbose_name = _("numéros perdus")
        verbose_name_plural = _("numéros perdus")
        ordering = ("year", "first_number")
        constraints = (
            models.UniqueConstraint(fields=("year", "first_number"), name="invoice_gap_once"),
            models.CheckConstraint(
                condition=Q(first_number__gte=1, last_number__gte=F("first_number")),
                name="invoice_gap_ordered",
            ),
        )

    def __str__(self) -> str:
        return f"F-{self.year}-{self.first_number:05d} – F-{self.year}-{self.last_number:05d}"


class InvoiceKind(models.TextChoices):
    INVOICE = "invoice", _("Facture")
    CREDIT_NOTE = "credit_note", _("Avoir")


class Invoice(models.Model):
    """A document as it was issued. The database refuses to change or delete it.

    `data` holds every text and amount that it prints (amounts as "49.99"). `hash` is the SHA-256 of its number, its
    data and `previous_hash`: a chain over the series, which a changed or missing row breaks.
    """

    kind = models.CharField(_("nature"), max_length=12, choices=InvoiceKind.choices)
    number = models.CharField(_("numéro"), max_length=20, unique=True)
    year = models.PositiveSmallIntegerField(_("année"))
    sequence = models.PositiveIntegerField(_("rang"))
    order = models.ForeignKey(
        Order, verbose_name=_("commande"), on_delete=models.PROTECT, related_name="invoices"
    )
    version = models.PositiveSmallIntegerField(
        _("version"),
        default=1,
        help_text=_("Une facture rectifiée est annulée par un avoir et émise à nouveau."),
    )
    credits = models.ForeignKey(
        "self",
        verbose_name=_("facture créditée"),
        on_delete=models.PROTECT,
        related_name="credit_notes",
        null=True,
        blank=True,
    )
    refund_request = models.OneToOneField(
        RefundRequest,
        verbose_name=_("décision de remboursement"),
        on_delete=models.PROTECT,
        related_name="credit_note",
        null=True,
        blank=True,
    )
    issued_at = models.DateTimeField(_("émise le"), default=timezone.now)
    country = models.CharField(_("pays"), max_length=2)
    total = models.DecimalField(_("total (€, négatif pour un avoir)"), max_digits=10, decimal_places=2)
    vat = models.DecimalField(_("dont TVA (€)"), max_digits=10, decimal_places=2, default=0)
    language = models.CharField(_("langue"), max_length=5, default=SOURCE_LANGUAGE)
    data = models.JSONField(_("contenu"))
    previous_hash = models.CharField(_("empreinte précédente"), max_length=64, blank=True)
    hash = models.CharField(_("empreinte"), max_length=64)

    class Meta:
        verbose_name = _("facture")
        verbose_name_plural = _("factures et avoirs")
        ordering = ("-year", "-sequence")
        indexes = (models.Index(fields=("issued_at",), name="invoice_issued"),)
        constraints = (
            models.UniqueConstraint(fields=("year", "sequence"), name="invoice_once_a_number"),
            models.UniqueConstraint(
                fields=("order", "version"), condition=Q(kind="invoice"), name="invoice_once_a_version"
            ),
            models.CheckConstraint(
                condition=Q(kind="invoice", total__gte=0, credits__isnull=True)
                | Q(kind="credit_note", total__lt=0, credits__isnull=False),
                name="invoice_kind_fits",
            ),
        )

    def __str__(self) -> str:
        return self.number

    @property
    def sign(self) -> int:
        """What the amounts printed on it, none of them negative, count in the accounts: -1 or 1."""
        return -1 if self.kind == InvoiceKind.CREDIT_NOTE else 1


class InvoiceDocument(models.Model):
    """The typeset PDF/A-3 of an invoice, made once from its data; the database refuses to change or delete it."""

    invoice = models.OneToOneField(
        Invoice, on_delete=models.PROTECT, related_name="document", verbose_name=_("facture ou avoir")
    )
    pdf = models.BinaryField(_("fichier PDF"))
    sha256 = models.CharField(_("empreinte SHA-256"), max_length=64)
    created_at = models.DateTimeField(_("fait le"), default=timezone.now)

    class Meta:
        verbose_name = _("document d'une facture")
        verbose_name_plural = _("documents des factures")

    def __str__(self) -> str:
        return f"{self.invoice}.pdf"


class InvoiceDraft(models.Model):
    """What staff change on an invoice before it is issued: the customer's name and address, and notes."""

    order = models.OneToOneField(
        Order, on_delete=models.CASCADE, related_name="invoice_draft", verbose_name=_("commande")
    )
    customer_name = models.CharField(_("nom du client"), max_length=200, blank=True)
    customer_address = models.TextField(_("adresse du client"), max_length=500, blank=True)
    customer_number = models.CharField(
        _("SIREN, SIRET ou n° de TVA du client"), max_length=20, blank=True, default="", db_default=""
    )
    notes = models.TextField(_("notes"), max_length=1000, blank=True)
    updated_at = models.DateTimeField(_("modifié le"), auto_now=True)

    class Meta:
        verbose_name = _("brouillon de facture")
        verbose_name_plural = _("brouillons de facture")

    def __str__(self) -> str:
        return str(self.order)
